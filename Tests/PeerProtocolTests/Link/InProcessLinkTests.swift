import Basics
import PeerProtocol
import Testing

@Suite("Links within a process")
struct InProcessLinkTests {
  /// What two members say to each other in a minute, and how often their nodes ask to be called.
  private func minute(isInProcess: Bool) throws -> (pings: Int, others: Int, ticks: Int) {
    // Without a host, whose heartbeat is another matter.
    var pair = ProbePair(
      NodeProbe(canHost: false, me: NodeProbe.peer(1)), NodeProbe(canHost: false, me: NodeProbe.peer(2)))
    let link = try pair.connect(isInProcess: isInProcess)
    try pair.pump(link)
    var (pings, others) = (0, 0)
    let before = pair.dialler.ticks + pair.acceptor.ticks
    for _ in 0..<60 {
      pair.dialler.wait(.seconds(1))
      pair.acceptor.wait(.seconds(1))
      for _ in 0..<3 {
        let (ours, theirs) = (try pair.dialler.frames(on: link), try pair.acceptor.frames(on: link))
        for case (let type?, let body) in ours { pair.acceptor.send(type, on: link) { $0.write(bytes: body) } }
        for case (let type?, let body) in theirs { pair.dialler.send(type, on: link) { $0.write(bytes: body) } }
        let heartbeats = (ours + theirs).count { $0.type == .ping || $0.type == .pong }
        pings += heartbeats
        others += ours.count + theirs.count - heartbeats
      }
    }
    #expect(pair.dialler.closed.isEmpty && pair.acceptor.closed.isEmpty)
    #expect(pair.dialler.node.roster.presentCount == 2)
    return (pings, others, pair.dialler.ticks + pair.acceptor.ticks - before)
  }

  @Test("neither end pings the other, and both nodes sleep longer than where one may die alone")
  func work() throws {
    let (within, between) = (try minute(isInProcess: true), try minute(isInProcess: false))
    #expect(within.pings == 0)
    #expect(between.pings >= 100)
    #expect(within.others <= between.others)
    // The exchange of vectors, and no more.
    #expect(within.ticks <= 60, "\(within)")
    #expect(between.ticks >= 120, "\(between)")
  }
}
