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

  /// Attachments of a start under these numbers.
  private static func facts(_ node: NodeID, _ numbers: [UInt64]) -> [AttachmentFact] {
    numbers.map { number in
      let manifest = ContentManifest(.resource, epoch: node.incarnation, revision: number, names: package().names)
      return AttachmentFact(head: manifest.head, name: "x")
    }
  }

  private static func stages(_ events: [NodeEvent]) -> [AttachmentStage] {
    events.compactMap { if case .resource(.attachment(_, let stage)) = $0 { stage } else { nil } }
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
    let words = try frames.filter { $0.type == .words }.flatMap { try SpreadWord.read($0.body) }
    #expect(try words.map { try AttachmentList($0).facts.map(\.head.id) } == [[id.content]])
    let haves = try frames.filter { $0.type == .chunkHave }.map { try ContentHave(body: $0.body.span.bytes) }
    #expect(try haves.map { try $0.chunks(of: 2).count } == [2])
    probe.send(.manifestRequest, on: link) {
      ManifestRequest(content: id.content, first: 0).write(to: &$0)
    }
    #expect(try probe.frames(on: link).contains { $0.type == .manifest })
  }

  @Test("what an author takes back, and what another one removes, is gone, and comes back with no older word")
  func removals() throws {
    var probe = NodeProbe()
    let (link, second) = (probe.join(1, other), probe.join(2, NodeProbe.peer(2)))
    let author = NodeID(peer: other, incarnation: 7)
    _ = probe.takeEvents()
    let words = [1, 2, 3].map { version in
      SpreadWord(
        attaching: Self.facts(author, [[1, 2], [2, 3], []][version - 1]), by: author, version: UInt64(version))
    }
    probe.say([words[0]], on: link)
    #expect(Self.stages(probe.takeEvents()) == [.listed, .listed])
    probe.say([words[1], words[0]], on: link)
    #expect(Self.stages(probe.takeEvents()) == [.removed, .listed])
    let remover = NodeID(peer: NodeProbe.peer(2), incarnation: 7)
    probe.say([SpreadWord(removing: 2, of: author, by: remover)], on: second)
    #expect(Self.stages(probe.takeEvents()) == [.removed])
    // Of an attachment that is not known yet too.
    probe.say([SpreadWord(removing: 4, of: author, by: remover, version: 2)], on: second)
    probe.say([SpreadWord(attaching: Self.facts(author, [2, 3, 4]), by: author, version: 3)], on: link)
    #expect(Self.stages(probe.takeEvents()).isEmpty)
    #expect(probe.node.attachments.map(\.offer.id) == [ResourceID(Self.facts(author, [3])[0].head.id)])
  }

  @Test("an author lists what another one has removed no more, so that it stays removed without that one")
  func withdraws() throws {
    var probe = NodeProbe()
    guard case .offered(let id) = probe.input(.attach(Self.package())) else { return }
    let link = probe.join(1, other)
    _ = try probe.words(on: link)
    let remover = NodeID(peer: other, incarnation: 7)
    probe.say([SpreadWord(removing: 1, of: probe.node.me, by: remover)], on: link)
    #expect(probe.node.attachments.isEmpty)
    #expect(try probe.words(on: link).map(\.body.isEmpty) == [true])
    #expect(probe.input(.detach(id)) == .refused(.noResource))
  }

  @Test("attachments that nobody has whole, or that a member keeps back, do not hold up another one")
  func passesOverStuck() throws {
    var probe = NodeProbe()
    let link = probe.join(1, other)
    let facts = Self.facts(NodeID(peer: other, incarnation: 7), Array(1...6))
    probe.say([SpreadWord(attaching: facts, by: NodeID(peer: other, incarnation: 7))], on: link)
    for fact in facts {
      probe.input(.answerResource(ResourceID(fact.head.id), accepts: true))
      let chunks = fact.number == 6 ? ChunkSet.all(2) : ChunkSet(capacity: 2)
      probe.send(.chunkHave, on: link) {
        ContentHave(content: fact.head.id, chunks: chunks).write(to: &$0)
      }
    }
    #expect(try probe.frames(on: link).count { $0.type == .manifestRequest } == 6)
    for fact in facts {
      probe.send(.manifest, on: link) {
        ManifestPart(content: fact.head.id, first: 0, names: Self.package().names).write(to: &$0)
      }
    }
    let requests = try probe.frames(on: link).filter { $0.type == .chunkRequest }
    #expect(try requests.map { try ContentRequest(body: $0.body.span.bytes).content } == [facts[5].head.id])
  }

  @Test("nobody attaches anything in this node's name")
  func ownWord() throws {
    var probe = NodeProbe()
    guard case .offered = probe.input(.attach(Self.package())) else { return }
    let link = probe.join(1, other)
    _ = (try probe.words(on: link), probe.takeEvents())
    let me = probe.node.me
    probe.say([SpreadWord(attaching: Self.facts(me, [1, 9]), by: me, version: 5)], on: link)
    #expect(Self.stages(probe.takeEvents()).isEmpty)
    #expect(try probe.words(on: link) == [SpreadWord(attaching: Self.facts(me, [1]), by: me, version: 6)])
  }

  @Test("a member that says that it knows more attachments of a start than there may be is let go")
  func refusesWrongWords() throws {
    let author = NodeID(peer: other, incarnation: 7)
    let small = ContentHead(id: Self.id, epoch: 7, revision: 1, size: 1024, chunks: 2)
    for facts in [
      Self.facts(author, [ProtocolLimits.counter + 1]), Self.facts(author, [2, 2]), Self.facts(author, [2, 1]),
      [AttachmentFact(head: small, name: "x")], Self.facts(author, Array(1...17)),
    ] {
      var probe = NodeProbe()
      let link = probe.join(1, other)
      probe.say([SpreadWord(attaching: facts, by: author)], on: link)
      #expect(try probe.goodbye(on: link) == .protocolError)
    }
  }
}
