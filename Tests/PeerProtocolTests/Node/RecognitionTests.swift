import Basics
import Testing

@testable import PeerProtocol

@Suite("The key by which members recognise an advertisement")
struct RecognitionTests {
  private static let peer = NodeProbe.peer(1)
  private static let (mine, theirs) = (RecognitionKey(Array(0..<16)), RecognitionKey(Array(16..<32)))

  private static func told(_ probe: inout NodeProbe) -> [RecognitionKey] {
    probe.takeEvents().compactMap { if case .recognitionKey(let key, of: peer) = $0 { key } else { nil } }
  }

  @Test("it is told to a member and not to a stranger, and a member's is believed while a stranger's is not")
  func membersOnly() throws {
    var probe = NodeProbe(recognitionKey: Self.mine)
    let stranger = probe.greet(1, Self.peer)
    #expect(try !probe.frames(on: stranger).contains { $0.type == .recognition })
    probe.send(.recognition, on: stranger) { Self.theirs.write(to: &$0) }
    #expect(Self.told(&probe).isEmpty && probe.closed.contains(stranger))

    let link = probe.join(2, Self.peer)
    let frames = try probe.frames(on: link).filter { $0.type == .recognition }
    #expect(try frames.map { try RecognitionKey(body: $0.body.span.bytes) } == [Self.mine])
    probe.send(.recognition, on: link) { Self.theirs.write(to: &$0) }
    #expect(Self.told(&probe) == [Self.theirs])
  }

  @Test("a node without one tells none")
  func hidden() throws {
    var probe = NodeProbe()
    let link = probe.join(1, Self.peer)
    #expect(try !probe.frames(on: link).contains { $0.type == .recognition })
  }
}
