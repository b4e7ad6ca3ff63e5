@testable import PeerProtocol
import Testing

@Suite("A member that comes back")
struct ReconnectedTests {
  private static let peer = NodeProbe.peer(1)

  private static func words(_ events: [NodeEvent]) -> [String] {
    events.compactMap { event in
      switch event {
      case .peerJoined(peer, _): "joined"
      case .peerReconnecting(peer): "reconnecting"
      case .peerReconnected(peer): "reconnected"
      case .peerLeft(peer, _, _): "left"
      default: nil
      }
    }
  }

  @Test("is told of as reconnected if it was told of as reconnecting, and as joined if it was told of as gone")
  func comesBack() {
    var probe = NodeProbe()
    probe.input(.linkClosed(probe.join(1, Self.peer)))
    probe.wait(.seconds(1))
    #expect(Self.words(probe.takeEvents()) == ["joined", "reconnecting"])
    let link = probe.join(2, Self.peer)
    #expect(Self.words(probe.takeEvents()) == ["reconnected"])
    probe.input(.linkClosed(link))
    probe.wait(.milliseconds(100))
    let next = probe.join(3, Self.peer)
    #expect(Self.words(probe.takeEvents()) == [])
    probe.input(.linkClosed(next))
    probe.wait(.seconds(11))
    #expect(Self.words(probe.takeEvents()) == ["reconnecting", "left"])
    _ = probe.join(4, Self.peer)
    #expect(Self.words(probe.takeEvents()) == ["joined"])
  }

  @Test("is shown as told of: away for so short a time that nothing was said it is not noticed")
  func notice() {
    var probe = NodeProbe()
    probe.input(.linkClosed(probe.join(1, Self.peer)))
    probe.wait(.milliseconds(100))
    #expect(probe.node.memberSummaries.map(\.isNoticed) == [false])
    probe.wait(.seconds(1))
    #expect(probe.node.memberSummaries.map(\.isNoticed) == [true])
    _ = probe.join(2, Self.peer)
    #expect(probe.node.memberSummaries.map(\.isNoticed) == [false])
  }
}
