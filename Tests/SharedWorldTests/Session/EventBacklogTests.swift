import Basics
import Testing

@testable import PeerProtocol
@testable import SharedWorld

@Suite("Unread events are bounded")
struct EventBacklogTests {
  private static func peer(_ number: UInt64) -> Peer {
    Peer(id: PeerID(SHA256Digest(words: SIMD4(number, 0, 0, 0))), name: "peer \(number)")
  }

  private static func map(_ number: UInt64) -> MapID { MapID(SHA256Digest(words: SIMD4(number, 1, 0, 0))) }

  private static func progress(_ number: UInt64, _ verified: Int) -> Session.Event {
    .mapProgress(
      Session.MapProgress(
        from: peer(0), mapID: map(number), verifiedBytes: verified, totalBytes: 100, bytesPerSecond: 0,
        requestedBytes: 0, receivedBytes: 0))
  }

  private static func problem(_ text: String) -> Session.Event { .problem(SessionError(.io, text)) }

  /// The events of a backlog in words.
  private static func words(_ backlog: EventBacklog) -> [String] {
    // Of a copy: what is read counts no longer.
    var copy = backlog
    return copy.take().map { event in
      switch event {
      case .mapProgress(let progress): "\(progress.verifiedBytes) bytes"
      case .peerMapChanged(let peer, let status): "\(peer.name) \(status.stage)"
      case .candidateFound(let candidate): "found \(candidate.id) \(candidate.name ?? "-")"
      case .candidateLost(let candidate): "lost \(candidate.id)"
      case .mapReceived: "map"
      case .mapFailed(let error): error.message
      case .peerJoined(let peer): "\(peer.name) joined"
      case .problem(let error): error.message
      case .ended(let reason): "ended \(reason)"
      default: "other"
      }
    }
  }

  @Test("unread progress of one map, status of one peer and sightings of one service each become one event")
  func coalesced() {
    var backlog = EventBacklog()
    for verified in 0..<1_000 {
      backlog.append(Self.progress(0, verified))
      backlog.append(Self.progress(1, verified + 5))
      for number: UInt64 in 0...1 {
        let status = MapStatus(map: Self.map(0), stage: .transferring(percent: verified / 10))
        backlog.append(.peerMapChanged(Self.peer(number), status))
        backlog.append(.candidateFound(Candidate(id: "service \(number)", name: "\(verified)", peer: nil)))
      }
    }
    #expect(
      Self.words(backlog) == [
        "999 bytes", "1004 bytes", "peer 0 transferring(percent: 99)", "found service 0 999",
        "peer 1 transferring(percent: 99)", "found service 1 999",
      ])
  }

  @Test("what ends a subject separates what is said of it before and after")
  func separated() {
    var backlog = EventBacklog()
    let (peer, map) = (Self.peer(0), Self.map(0))
    let candidate = Candidate(id: "s", name: nil, peer: nil)
    let receipt = Session.MapReceipt(from: peer, mapID: map, points: 0, anchors: 0, bytes: 0)
    for event: Session.Event in [
      Self.progress(0, 1), .mapReceived(receipt), Self.progress(0, 2), .candidateFound(candidate),
      .candidateLost(candidate), .candidateFound(candidate),
      .peerMapChanged(peer, MapStatus(map: map, stage: .received)), .peerJoined(peer),
      .peerMapChanged(peer, MapStatus(map: map, stage: .relocalized)),
    ] { backlog.append(event) }
    #expect(
      Self.words(backlog) == [
        "1 bytes", "map", "2 bytes", "found s -", "lost s", "found s -", "peer 0 received", "peer 0 joined",
        "peer 0 relocalized",
      ])
  }

  @Test("the failure of a map separates the progress of any map before and after")
  func failed() {
    var backlog = EventBacklog()
    for event: Session.Event in [
      Self.progress(0, 70), Self.progress(1, 20), .mapFailed(SessionError(.corruptData, "unreadable")),
      Self.progress(0, 5), Self.progress(0, 9),
    ] { backlog.append(event) }
    #expect(Self.words(backlog) == ["70 bytes", "20 bytes", "unreadable", "9 bytes"])
  }

  @Test("problems that nobody reads are dropped beyond a number, with a word, and nothing else is")
  func problems() {
    var backlog = EventBacklog()
    backlog.append(.peerJoined(Self.peer(0)))
    for number in 0..<Session.Events.problemCapacity { backlog.append(Self.problem("\(number)")) }
    #expect(backlog.count == Session.Events.problemCapacity + 1)
    backlog.append(Self.problem("one too many"))
    backlog.append(Self.problem("later"))
    #expect(
      Self.words(backlog) == [
        "peer 0 joined", "problems were dropped because they were not read; read events faster", "later",
      ])
  }

  @Test("whatever comes, a backlog has a bound, and the end of the session is always told")
  func bounded() {
    var backlog = EventBacklog()
    let (peer, anchor) = (Self.peer(0), Anchor(name: "a"))
    for number in 0..<(Session.Events.capacity + 10) {
      backlog.append(.peerJoined(peer))
      backlog.append(.peerLeft(peer, reason: .lost))
      backlog.append(.anchorAdded(anchor, origin: .remote))
      if number % 100 == 0 { backlog.append(Self.problem("\(number)")) }
    }
    backlog.append(.ended(.left))
    #expect(backlog.count <= 2 * Session.Events.capacity + Session.Events.problemCapacity + 2)
    let words = Self.words(backlog)
    #expect(words.last == "ended left")
    #expect(words.contains { $0.contains("session.state") } || words.contains { $0.contains("problems were") })
  }

  @Test("news of a peer that has gone and come again stands after that, and replaces news of that time alone")
  func comesAgain() {
    var backlog = EventBacklog()
    let (peer, other) = (Self.peer(0), Self.peer(1))
    let states: [String: PeerAlignment.State] = ["a": .aligned, "b": .aligning, "c": .lost]
    func say(_ word: String) {
      backlog.append(.groupsChanged(peer, groups: [word]))
      backlog.append(.roleChanged(peer, role: word == "a" ? .guest : .member))
      backlog.append(.alignmentChanged(peer, PeerAlignment(states[word] ?? .unaligned)))
      backlog.append(.unreliableMessage(Array(word.utf8), key: "k", from: peer))
      backlog.append(.groupsChanged(other, groups: [word]))
    }
    say("a")
    backlog.append(.peerLeft(peer, reason: .lost))
    backlog.append(.peerJoined(peer))
    say("b")
    say("c")
    #expect(
      backlog.take().map(\.description) == [
        "peer 0 is in a", "peer 0 is guest", "the frame of peer 0 is aligned", "peer 0 sent 1 bytes under 'k'",
        "peer 1 is in c", "peer 0 is gone: lost", "peer 0 joined", "peer 0 is in c", "peer 0 is member",
        "the frame of peer 0 is lost", "peer 0 sent 1 bytes under 'k'",
      ])
  }

  @Test("what was read counts no longer")
  func drained() {
    var backlog = EventBacklog()
    for number in 0..<Session.Events.problemCapacity { backlog.append(Self.problem("\(number)")) }
    #expect(backlog.take().count == Session.Events.problemCapacity)
    backlog.append(Self.problem("first"))
    backlog.append(Self.progress(0, 1))
    #expect(Self.words(backlog) == ["first", "1 bytes"])
  }
}
