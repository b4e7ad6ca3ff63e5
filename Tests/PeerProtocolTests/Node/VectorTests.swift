import AnchorReplication
import Basics
import PeerProtocol
import Testing
import WorldModel

@Suite("Vectors")
struct VectorTests {
  /// A node that has had an anchor for long, and a member that has told it that it has nothing.
  private static func meeting() throws -> (probe: NodeProbe, link: LinkID) {
    var probe = NodeProbe()
    try probe.edit(.place(Anchor(name: "floor")))
    let link = probe.join(1, NodeProbe.peer(1))
    probe.send(VersionVector(), on: link)
    probe.wait(seconds: 12, keeping: [link])
    _ = try probe.frames(on: link)
    return (probe, link)
  }

  private static func vectors(_ probe: inout NodeProbe, on link: LinkID) throws -> [[UInt8]] {
    try probe.frames(on: link).filter { $0.type == .vector }.map(\.body)
  }

  @Test("questions that come together are answered by one vector, which asks nothing")
  func together() throws {
    var (probe, link) = try Self.meeting()
    probe.ask(times: 50, on: link)
    let answers = try Self.vectors(&probe, on: link)
    // Behind the head of the chunk.
    #expect(answers.count == 1 && answers.first?[8] == 0)
    probe.ask(times: 1, on: link)
    #expect(try Self.vectors(&probe, on: link).count == 1)
    probe.send(probe.node.anchors.vector, on: link)
    #expect(try Self.vectors(&probe, on: link).isEmpty)
  }

  @Test("questions of a member that reads nothing leave one answer behind")
  func unread() throws {
    var (probe, link) = try Self.meeting()
    probe.isSlow = true
    // Their answers fill the window.
    var pings = ByteWriter()
    while pings.count < 2 * ProtocolLimits.transmitWindow { pings.writeFrame(.ping) { $0.write(UInt64(1)) } }
    probe.send(bytes: pings.bytes, on: link)
    for _ in 0..<50 { probe.ask(times: 1, on: link) }
    #expect(try Self.vectors(&probe, on: link).isEmpty)
    probe.isSlow = false
    probe.input(.writable(link))
    #expect(try Self.vectors(&probe, on: link).count == 1)
  }

  @Test("a stream begins again for a member that lacks what it should have, but once in a second")
  func restarts() throws {
    var (probe, link) = try Self.meeting()
    for round in 0..<3 {
      for _ in 0..<20 { probe.send(VersionVector(), on: link) }
      let streams = try probe.frames(on: link).count { $0.type == .operations }
      #expect(streams == 1, "round \(round)")
      probe.wait(seconds: 1, keeping: [link])
      _ = try probe.frames(on: link)
    }
  }
}
