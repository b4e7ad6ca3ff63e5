import AnchorReplication
import Basics
import Testing
import WorldModel

@testable import PeerProtocol

@Suite("Attachments of a node")
struct AttachmentTests {
  private let other = NodeProbe.peer(1)

  private static let id = ContentID(.resource, SHA256Digest(hashing: [1]))

  private static func package(_ count: Int = 2) -> ResourcePackage {
    ResourcePackage(name: "x", names: (0..<count).map { ChunkName(naming: [UInt8](repeating: UInt8($0), count: 2000)) })
  }

  /// The word of a start with what it has attached under these numbers.
  private static func word(_ node: NodeID, last: UInt64, _ numbers: [UInt64]) -> AttachmentWord {
    let facts = numbers.map { number in
      let manifest = ContentManifest(.resource, epoch: node.incarnation, revision: number, names: package().names)
      return AttachmentFact(head: manifest.head, name: "x")
    }
    return AttachmentWord(node: node, last: last, facts: facts)
  }

  private static func stages(_ events: [NodeEvent]) -> [AttachmentStage] {
    events.compactMap { if case .resource(.attachment(_, let stage)) = $0 { stage } else { nil } }
  }

  private static func words(_ frames: [(type: FrameType?, body: [UInt8])]) throws -> [AttachmentWord] {
    try frames.filter { $0.type == .attachments }.map { try AttachmentWord(body: $0.body.span.bytes) }
  }

  @Test("words merge to the same in any order: what one has and the other knows without having was removed")
  func merges() {
    let node = NodeID(peer: other, incarnation: 7)
    let words = [
      Self.word(node, last: 0, []), Self.word(node, last: 2, [1, 2]), Self.word(node, last: 3, [2, 3]),
      Self.word(node, last: 3, [1, 3]), Self.word(node, last: 4, [4]),
    ]
    func merge(_ one: AttachmentWord, _ two: AttachmentWord) -> AttachmentWord { one.merged(with: two, rules: .all) }
    for one in words {
      #expect(merge(one, one) == one)
      for two in words {
        #expect(merge(one, two) == merge(two, one))
        #expect(merge(merge(one, two), two) == merge(one, two))
        for three in words { #expect(merge(merge(one, two), three) == merge(one, merge(two, three))) }
      }
    }
    #expect(merge(words[1], words[2]) == Self.word(node, last: 3, [2, 3]))
    #expect(merge(words[2], words[3]) == Self.word(node, last: 3, [3]))
  }

  @Test("a node attaches so much and no more, until it has removed some")
  func bounds() {
    var probe = NodeProbe()
    var last: ResourceID?
    for _ in 0..<ProtocolLimits.attachments {
      if case .offered(let id) = probe.input(.attach(Self.package())) { last = id }
    }
    #expect(probe.node.attachments.count == ProtocolLimits.attachments)
    #expect(probe.input(.attach(Self.package())) == .refused(.tooManyAttachments))
    #expect(last.map { probe.input(.detach($0)) } == .done)
    #expect(last.map { probe.input(.detach($0)) } == .refused(.noResource))
    guard case .offered = probe.input(.attach(Self.package())) else {
      Issue.record("nothing can be attached after a removal")
      return
    }
  }

  @Test("a new neighbour is told of everything, and of what is here")
  func tellsNewcomers() throws {
    var probe = NodeProbe()
    guard case .offered(let id) = probe.input(.attach(Self.package())) else { return }
    let link = probe.join(1, other)
    let frames = try probe.frames(on: link)
    #expect(try Self.words(frames).map { $0.facts.map(\.head.id) } == [[id.content]])
    let haves = try frames.filter { $0.type == .chunkHave }.map {
      try ContentHave(body: $0.body.span.bytes)
    }
    #expect(try haves.map { try $0.chunks(of: 2).count } == [2])
    probe.send(.manifestRequest, on: link) {
      ManifestRequest(content: id.content, first: 0).write(to: &$0)
    }
    #expect(try probe.frames(on: link).contains { $0.type == .manifest })
  }

  @Test("a word is passed on as far as it is news, and its removals reach the app once")
  func passesOn() throws {
    var probe = NodeProbe()
    let (link, second) = (probe.join(1, other), probe.join(2, NodeProbe.peer(2)))
    let author = NodeID(peer: NodeProbe.peer(3), incarnation: 5)
    for link in [link, second] { _ = try probe.frames(on: link) }
    _ = probe.takeEvents()
    for _ in 0..<2 { probe.send(.attachments, on: link) { Self.word(author, last: 2, [1, 2]).write(to: &$0) } }
    #expect(Self.stages(probe.takeEvents()) == [.listed, .listed])
    #expect(try Self.words(probe.frames(on: second)) == [Self.word(author, last: 2, [1, 2])])
    #expect(try Self.words(probe.frames(on: link)).isEmpty)
    // The second one knows of a removal, and of less than this node.
    probe.send(.attachments, on: second) { Self.word(author, last: 1, []).write(to: &$0) }
    #expect(Self.stages(probe.takeEvents()) == [.removed])
    for link in [link, second] {
      #expect(try Self.words(probe.frames(on: link)) == [Self.word(author, last: 2, [2])])
    }
  }

  @Test("attachments that nobody has whole, or that a member keeps back, do not hold up another one")
  func passesOverStuck() throws {
    var probe = NodeProbe()
    let link = probe.join(1, other)
    let word = Self.word(NodeID(peer: other, incarnation: 7), last: 6, Array(1...6))
    probe.send(.attachments, on: link) { word.write(to: &$0) }
    for fact in word.facts {
      probe.input(.answerResource(ResourceID(fact.head.id), accepts: true))
      let chunks = fact.number == 6 ? ChunkSet.all(2) : ChunkSet(capacity: 2)
      probe.send(.chunkHave, on: link) {
        ContentHave(content: fact.head.id, chunks: chunks).write(to: &$0)
      }
    }
    #expect(try probe.frames(on: link).count { $0.type == .manifestRequest } == 6)
    for fact in word.facts {
      probe.send(.manifest, on: link) {
        ManifestPart(content: fact.head.id, first: 0, names: Self.package().names).write(to: &$0)
      }
    }
    let requests = try probe.frames(on: link).filter { $0.type == .chunkRequest }
    #expect(
      try requests.map { try ContentRequest(body: $0.body.span.bytes).content } == [
        word.facts[5].head.id
      ])
  }

  @Test("nobody attaches anything in this node's name")
  func ownWord() throws {
    var probe = NodeProbe()
    guard case .offered = probe.input(.attach(Self.package())) else { return }
    let link = probe.join(1, other)
    _ = try probe.frames(on: link)
    _ = probe.takeEvents()
    let own = Self.word(probe.node.me, last: 1, [1])
    let forged = AttachmentWord(
      node: own.node, last: 9, facts: own.facts + Self.word(own.node, last: 9, [9]).facts)
    probe.send(.attachments, on: link) { forged.write(to: &$0) }
    #expect(Self.stages(probe.takeEvents()).isEmpty)
    #expect(try Self.words(probe.frames(on: link)) == [Self.word(own.node, last: 9, [1])])
    // Its next one has a number that nobody takes for a removed one.
    guard case .offered = probe.input(.attach(Self.package())) else { return }
    #expect(try Self.words(probe.frames(on: link)).last?.facts.map(\.number) == [1, 10])
  }

  @Test("a member that says that it knows more attachments of a start than there may be is let go")
  func refusesWrongWords() throws {
    let author = NodeID(peer: NodeProbe.peer(3), incarnation: 5)
    for word in [
      Self.word(author, last: ProtocolLimits.counter + 1, []), Self.word(author, last: 1, [2]),
      Self.word(author, last: 3, [2, 2]),
      AttachmentWord(
        node: author, last: 1,
        facts: [
          AttachmentFact(head: ContentHead(id: Self.id, epoch: 5, revision: 1, size: 1024, chunks: 2), name: "x")
        ]),
      Self.word(author, last: 20, Array(1...17)),
    ] {
      var writer = ByteWriter()
      word.write(to: &writer)
      #expect(throws: DecodingFailure.self) { try AttachmentWord(body: writer.bytes.span.bytes) }
    }
  }
}
