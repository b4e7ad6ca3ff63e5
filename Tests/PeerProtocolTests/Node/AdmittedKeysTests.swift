import Basics
import PeerProtocol
import Testing
import WorldModel

/// A node with a list of keys: nobody else is linked, no matter which peer dials, invites or admits.
@Suite("A list of admitted keys")
struct AdmittedKeysTests {
  private let bob = NodeProbe.peer(1)
  private let mallory = NodeProbe.peer(2)

  @Test("a key that is not on it is refused before a hello; one that is gets in")
  func inbound() throws {
    var probe = NodeProbe(admitted: [bob])
    let link = probe.open(1, mallory)
    #expect(try probe.frames(on: link).map(\.type) == [.goodbye])
    #expect(probe.closed == [link])
    _ = probe.join(2, bob)
    #expect(probe.node.memberSummaries.map(\.peerID) == [bob])
  }

  @Test("a key that is not on it and answers a dial is sent nothing, and the invitation says so")
  func outbound() throws {
    var probe = NodeProbe(admitted: [bob])
    let id = InvitationID(rawValue: 1)
    probe.input(.invite(id, [.loopback(port: 1)], context: [], timeout: .seconds(5)))
    let link = probe.open(1, mallory, dial: try #require(probe.dials.first).dial)
    #expect(try probe.frames(on: link).isEmpty && probe.closed == [link])
    let results = probe.takeEvents().compactMap { event -> InvitationResult? in
      if case .invitationEnded(id, let result) = event { result } else { nil }
    }
    #expect(results == [.notAdmitted(mallory)])
  }

  @Test("a peer that another member admits is neither dialled nor linked; its record is passed on as any other")
  func admittedByOthers() throws {
    var probe = NodeProbe(admitted: [bob, NodeProbe.peer(4)])
    let link = probe.join(1, bob)
    let other = probe.join(2, NodeProbe.peer(4))
    _ = try probe.frames(on: other)
    let record = RosterEntry(
      peerID: mallory, version: 1, incarnation: 7, name: "mallory", addresses: [.loopback(port: 3)])
    var frames = ByteWriter()
    Roster.writeFrames([record], to: &frames)
    probe.send(bytes: frames.bytes, on: link)
    #expect(probe.node.roster.admits(mallory))
    #expect(try probe.frames(on: other).contains { $0.type == .roster })
    for _ in 0..<10 {
      probe.wait(.seconds(1))
      for link in [link, other] { probe.send(.pong, on: link) { $0.write(UInt64(0)) } }
    }
    #expect(!probe.dials.contains { $0.address == .loopback(port: 3) })
    let attempt = probe.open(9, mallory)
    #expect(try probe.goodbye(on: attempt) == .refused)
    #expect(!probe.node.isLinked(to: mallory))
  }
}
