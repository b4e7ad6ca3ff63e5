import AnchorReplication
import Basics
@testable import PeerProtocol
import Testing
import WorldModel

/// Words on their way: which of two stands, whose word counts, who is told, and what finds what was missed.
@Suite struct RegisterTests {
  private static let author = node(1)
  private static let far = NodeID(peer: NodeProbe.peer(9), incarnation: 9)

  /// The peer with this number.
  private static func node(_ number: Int) -> NodeID {
    NodeID(peer: NodeProbe.peer(number), incarnation: UInt64(10 + number))
  }

  private static func word(_ version: UInt64, _ name: String = "a", by author: NodeID = author) -> SpreadWord {
    SpreadWord(grouping: [name], by: author, version: version)
  }

  /// A node with links to the peers 1, 2 …, which are linked to it alone.
  private struct Meeting {
    var probe = NodeProbe()
    private(set) var links: [LinkID] = []

    init(_ count: Int) throws {
      for number in 1...count {
        let node = node(number)
        links.append(probe.join(UInt64(number), node.peer, incarnation: node.incarnation))
      }
      for number in 1...count { announce(node(number), [probe.node.me.incarnation], by: number) }
      for link in links { _ = try probe.frames(on: link) }
    }

    /// A peer says, or hands on, whom a node is linked to.
    mutating func announce(_ node: NodeID, _ neighbors: [UInt64], version: UInt32 = 1, by number: Int) {
      var state = LinkState(node: node, configuration: ElectionConfiguration())
      (state.version, state.neighbors) = (version, neighbors.sorted())
      probe.send(.linkAnnouncement, on: links[number - 1]) { state.write(to: &$0) }
    }

    /// What is known of an author's groups.
    func groups(of author: NodeID) -> [String]? { probe.node.words.first { $0.author == author }?.groups }
  }

  @Test func `the later word stands, and of two of one version the same everywhere`() throws {
    let words = [Self.word(1, "z"), Self.word(2, "a"), Self.word(2, "b")]
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1]] {
      var meeting = try Meeting(1)
      for place in order { meeting.probe.say([words[place]], on: meeting.links[0]) }
      #expect(meeting.groups(of: Self.author) == ["b"])
    }
  }

  @Test func `news goes on to those whom the author does not reach, and nothing goes twice`() throws {
    var meeting = try Meeting(3)
    // The author says that it is linked to the second one.
    let me = meeting.probe.node.me.incarnation
    meeting.announce(Self.author, [me, Self.node(2).incarnation], version: 2, by: 1)
    meeting.announce(Self.node(2), [me, Self.author.incarnation], version: 2, by: 2)
    for link in meeting.links { _ = try meeting.probe.frames(on: link) }
    for _ in 0..<2 { meeting.probe.say([Self.word(1)], on: meeting.links[0]) }
    #expect(try meeting.probe.words(on: meeting.links[0]).isEmpty)
    #expect(try meeting.probe.words(on: meeting.links[1]).isEmpty)
    #expect(try meeting.probe.words(on: meeting.links[2]) == [Self.word(1)])
  }

  @Test func `a new link begins with the words of all`() throws {
    var meeting = try Meeting(1)
    meeting.probe.say([Self.word(3), Self.word(1, "far", by: Self.far)], on: meeting.links[0])
    meeting.probe.input(.setGroup("mine", isIn: true))
    let link = meeting.probe.join(5, NodeProbe.peer(5))
    let mine = SpreadWord(grouping: ["mine"], by: meeting.probe.node.me)
    let words = try meeting.probe.words(on: link)
    #expect(words.count == 3 && [mine, Self.word(3), Self.word(1, "far", by: Self.far)].allSatisfy(words.contains))
  }

  // MARK: Lies

  @Test(arguments: [1 << 62, 1 << 20] as [UInt64])
  func `a number of the future counts from the author alone, and its next word follows anything`(future: UInt64) throws
  {
    var meeting = try Meeting(2)
    meeting.probe.say([Self.word(1, "true")], on: meeting.links[0])
    meeting.probe.say([Self.word(future, "lie")], on: meeting.links[1])
    #expect(meeting.groups(of: Self.author) == ["true"])
    // A lie that came first gives way to the author's own word, which it does not get over by being told again.
    var late = try Meeting(2)
    late.probe.say([Self.word(future, "lie")], on: late.links[1])
    late.probe.say([Self.word(1, "true")], on: late.links[0])
    late.probe.say([Self.word(future, "lie")], on: late.links[1])
    #expect(late.groups(of: Self.author) == ["true"])
    // The author hears of the lie, so that it can say its word again.
    #expect(try late.probe.words(on: late.links[0]).first?.groups == ["lie"])
  }

  @Test func `of an author without a link here those on the way to it are believed, and nobody else`() throws {
    var meeting = try Meeting(2)
    // The far one is linked to the first peer, and both say so.
    let me = meeting.probe.node.me.incarnation
    meeting.announce(Self.node(1), [me, Self.far.incarnation], version: 2, by: 1)
    meeting.announce(Self.far, [Self.node(1).incarnation], by: 1)
    meeting.probe.say([Self.word(1 << 62, "lie", by: Self.far)], on: meeting.links[1])
    #expect(meeting.groups(of: Self.far) == ["lie"])
    meeting.probe.say([Self.word(1, "true", by: Self.far)], on: meeting.links[1])
    #expect(meeting.groups(of: Self.far) == ["lie"])
    meeting.probe.say([Self.word(1, "true", by: Self.far)], on: meeting.links[0])
    #expect(meeting.groups(of: Self.far) == ["true"])
  }

  @Test func `a word that others spread in this node's name is said again, above it`() throws {
    var meeting = try Meeting(1)
    meeting.probe.input(.setGroup("a", isIn: true))
    let me = meeting.probe.node.me
    for (lie, next) in [(7, 8), (1 << 62, 1)] as [(UInt64, UInt64)] {
      _ = try meeting.probe.frames(on: meeting.links[0])
      meeting.probe.say([Self.word(lie, "b", by: me)], on: meeting.links[0])
      #expect(try meeting.probe.words(on: meeting.links[0]) == [Self.word(next, "a", by: me)])
    }
    #expect(meeting.probe.node.groups[me.peer] == ["a"])
  }

  @Test func `who has declared nothing writes in the shared frame again after a lie about that`() throws {
    var meeting = try Meeting(1)
    let anchor = Anchor(name: "a")
    try meeting.probe.edit(.place(anchor))
    let me = meeting.probe.node.me
    let lie = FrameDeclaration(number: 1, isShared: false, clock: 0, sequence: 1, sessionTime: 0)
    meeting.probe.say([SpreadWord(declaring: [lie], by: me)], on: meeting.links[0])
    #expect(meeting.probe.node.placedAnchors.map(\.name) == ["a"])
    #expect(try meeting.probe.words(on: meeting.links[0]) == [SpreadWord(.declarations, by: me, version: 2, body: [])])
    // The same of somebody else.
    meeting.probe.say([SpreadWord(declaring: [lie], by: Self.far)], on: meeting.links[0])
    meeting.probe.say([SpreadWord(.declarations, by: Self.far, version: 2, body: [])], on: meeting.links[0])
    #expect(meeting.probe.node.worldFrames.frame(of: Self.far) == .shared)
    #expect(meeting.probe.node.worldFrames.book.frame(of: Self.far.actor, clock: 5) == .shared)
  }

  @Test func `measurements invented in this node's name push none of its own out`() throws {
    var meeting = try Meeting(1)
    let me = meeting.probe.node.me
    let estimate = try #require(FrameEstimate(.identity, center: .zero, position: 0.01, orientation: 0.001))
    func frame(_ number: Int) -> WorldFrame { WorldFrame(owner: Self.author.actor, number: UInt32(number)) }
    meeting.probe.input(.measure(from: frame(1), to: .shared, estimate, isPrompt: true))
    let own = try #require(meeting.probe.node.words.first { $0.author == me })
    let lies = (2...2 + ProtocolLimits.measurementsOfObserver).map { number in
      let key = FrameMeasurement.Key(source: frame(number), target: .shared, observer: me.actor)
      return SpreadWord(
        measuring: FrameMeasurement(key: key, version: UInt64(number) * 10, sessionTime: 0, estimate: estimate), by: me)
    }
    meeting.probe.say(lies, on: meeting.links[0])
    let standing = meeting.probe.node.words.filter { $0.author == me && !$0.body.isEmpty }
    #expect(standing.map(\.key) == [own.key])
    #expect(meeting.probe.node.worldFrames.book.registers == [try FrameMeasurement(own).key])
  }

  @Test func `of strangers the first names stay, whatever the order, and no member finds no room for them`() throws {
    var meetings = [try Meeting(1), try Meeting(1)]
    let strangers = (0..<1_000).map { Self.word(1, by: NodeID(peer: NodeProbe.peer(100 + $0), incarnation: 1)) }
    for word in strangers { meetings[0].probe.say([word], on: meetings[0].links[0]) }
    for word in strangers.reversed() { meetings[1].probe.say([word], on: meetings[1].links[0]) }
    #expect(meetings[0].probe.node.words == meetings[1].probe.node.words)
    #expect(meetings[0].probe.node.words.count == 4 * ProtocolLimits.members)
    #expect(meetings[0].probe.node.groups.isEmpty && meetings[0].probe.node.receivers(in: "a").isEmpty)
    meetings[0].probe.say([Self.word(1)], on: meetings[0].links[0])
    #expect(meetings[0].probe.node.receivers(in: "a") == [NodeProbe.peer(1)])
  }

  // MARK: Digests

  @Test func `a digest brings what was missed, once a second, and equal ones nothing`() throws {
    var meeting = try Meeting(1)
    meeting.probe.say([Self.word(1)], on: meeting.links[0])
    func answer(to sums: [UInt64]) throws -> [SpreadWord] {
      meeting.probe.send(.wordDigest, on: meeting.links[0]) { WordDigest(sums: sums).write(to: &$0) }
      return try meeting.probe.words(on: meeting.links[0])
    }
    let nothing = [UInt64](repeating: 0, count: 8)
    #expect(try answer(to: nothing) == [Self.word(1)])
    for _ in 0..<100 { #expect(try answer(to: nothing).isEmpty) }
    meeting.probe.wait(seconds: 6, keeping: meeting.links)
    let ours = try #require(try meeting.probe.frames(on: meeting.links[0]).last { $0.type == .wordDigest })
    let digest = try WordDigest(body: ours.body)
    #expect(digest.sums.count { $0 != 0 } == 1)
    #expect(try answer(to: digest.sums).isEmpty)
    meeting.probe.wait(seconds: 1, keeping: meeting.links)
    #expect(try answer(to: nothing) == [Self.word(1)])
  }

  @Test func `words that do not count are in no digest, and a node that knows none sends none`() throws {
    var meeting = try Meeting(1)
    meeting.probe.wait(seconds: 6, keeping: meeting.links)
    #expect(try !meeting.probe.frames(on: meeting.links[0]).contains { $0.type == .wordDigest })
    meeting.probe.say([Self.word(1, by: Self.far)], on: meeting.links[0])
    meeting.probe.wait(seconds: 6, keeping: meeting.links)
    let sent = try meeting.probe.frames(on: meeting.links[0]).filter { $0.type == .wordDigest }
    #expect(try sent.map { try WordDigest(body: $0.body).sums } == [Array(repeating: 0, count: 8)])
  }

  // MARK: Bytes

  @Test func `a topic of a later version is skipped, and a broken word ends the link before any other counts`() throws {
    var meeting = try Meeting(1)
    meeting.probe.send(.words, on: meeting.links[0]) { body in
      var later = ByteWriter()
      Self.word(1).write(to: &later)
      body.write(bytes: [200] + later.bytes.dropFirst())
      Self.word(4).write(to: &body)
    }
    #expect(meeting.groups(of: Self.author) == ["a"] && meeting.probe.closed.isEmpty)
    // A stage of a map that comes later.
    let stage = SpreadWord(.mapStatus, by: Self.author, version: 1, body: [UInt8](repeating: 1, count: 32) + [9, 0])
    meeting.probe.say([stage, Self.word(5)], on: meeting.links[0])
    #expect(meeting.probe.node.words.map(\.version) == [5] && meeting.probe.closed.isEmpty)
    let broken = SpreadWord(.groups, by: Self.author, version: 7, body: [1, 0])
    meeting.probe.say([Self.word(6, "b"), broken], on: meeting.links[0])
    #expect(meeting.groups(of: Self.author) == ["a"])
    #expect(try meeting.probe.goodbye(on: meeting.links[0]) == .protocolError)
  }

  @Test(arguments: [
    SpreadWord(.groups, by: author, key: [1], version: 1, body: [0]),
    SpreadWord(.groups, by: author, version: 0, body: [0]),
    SpreadWord(.groups, by: author, version: 1 << 62 + 1, body: [0]),
    SpreadWord(.removals, by: author, key: [1, 2], version: 1, body: [1]),
    SpreadWord(.measurements, by: author, key: Array(repeating: 0, count: 40), version: 1, body: [1]),
    SpreadWord(.declarations, by: author, version: 1, body: [0]),
  ])
  func `keys, versions and bodies out of range are refused`(word: SpreadWord) throws {
    var meeting = try Meeting(1)
    meeting.probe.say([word], on: meeting.links[0])
    #expect(try meeting.probe.goodbye(on: meeting.links[0]) == .protocolError)
  }
}
