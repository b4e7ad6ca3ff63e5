import Basics
import Testing
import WorldModel

@testable import PeerProtocol

@Suite("Resources of a node")
struct ResourceTests {
  private let other = NodeProbe.peer(1)
  private let third = NodeProbe.peer(2)

  private static func package(_ count: Int = 3, size: Int = 1000) -> ResourcePackage {
    ResourcePackage(name: "x", names: (0..<count).map { ChunkName(naming: [UInt8](repeating: UInt8($0), count: size)) })
  }

  private static func offer(_ number: UInt64, _ package: ResourcePackage = package()) -> ResourceAnnouncement {
    let manifest = ContentManifest(.resource, epoch: 7, revision: number, names: package.names)
    return ResourceAnnouncement(head: manifest.head, name: package.name)
  }

  private static func offers(in events: [NodeEvent]) -> [OfferedResource] {
    events.compactMap { if case .resource(.offered(let offer)) = $0 { offer } else { nil } }
  }

  private static func words(_ frames: [(type: FrameType?, body: [UInt8])]) throws -> [ResourceWord.Stage] {
    try frames.filter { $0.type == .resourceWord }.map { try ResourceWord(body: $0.body.span.bytes).stage }
  }

  /// The results that a sender was told of.
  private static func results(in events: [NodeEvent]) -> [ResourceFailure?] {
    events.compactMap { event -> ResourceFailure?? in
      if case .resource(.settled(_, let failure)) = event { .some(failure) } else { nil }
    }
  }

  @Test("a member has 16 offers open here at most, and hears that more are too many")
  func boundsOffers() throws {
    var probe = NodeProbe()
    let link = probe.join(1, other)
    _ = try probe.frames(on: link)
    for number in 1...20 { probe.send(.resourceOffer, on: link) { Self.offer(UInt64(number)).write(to: &$0) } }
    #expect(Self.offers(in: probe.takeEvents()).count == ProtocolLimits.resourcesOfPeer)
    #expect(try Self.words(probe.frames(on: link)) == Array(repeating: .failed(.busy), count: 4))
  }

  @Test("a node offers no more than a receiver takes")
  func boundsOwnOffers() throws {
    var probe = NodeProbe()
    _ = probe.join(1, other)
    for _ in 0..<ProtocolLimits.resourcesOfPeer {
      guard case .offered = probe.input(.offerResource(Self.package(), to: [other])) else {
        Issue.record("an offer was refused")
        return
      }
    }
    #expect(probe.input(.offerResource(Self.package(), to: [other])) == .refused(.resourcesWait))
    let stranger = NodeProbe.peer(9)
    #expect(probe.input(.offerResource(Self.package(), to: [stranger])) == .refused(.notReceiver(stranger)))
  }

  @Test("an offer that is said again after it was declined gets the same answer, and the app is not asked again")
  func remembersAnswers() throws {
    var probe = NodeProbe()
    let link = probe.join(1, other)
    probe.send(.resourceOffer, on: link) { Self.offer(1).write(to: &$0) }
    let offer = try #require(Self.offers(in: probe.takeEvents()).first)
    #expect(probe.input(.answerResource(offer.id, accepts: false)) == .done)
    _ = try probe.frames(on: link)
    probe.send(.resourceOffer, on: link) { Self.offer(1).write(to: &$0) }
    #expect(try Self.words(probe.frames(on: link)) == [.failed(.declined)])
    #expect(Self.offers(in: probe.takeEvents()).isEmpty)
    #expect(probe.input(.answerResource(offer.id, accepts: true)) == .refused(.noResource))
  }

  @Test("a peer that is no receiver, or has not accepted, gets nothing of a resource", arguments: [false, true])
  func servesReceiversAlone(isReceiver: Bool) throws {
    var probe = NodeProbe()
    let link = probe.join(1, other)
    let stranger = probe.join(2, third)
    guard case .offered(let id) = probe.input(.offerResource(Self.package(), to: [other])) else { return }
    let asking = isReceiver ? link : stranger
    _ = try probe.frames(on: asking)
    probe.send(.manifestRequest, on: asking) {
      ManifestRequest(content: id.content, first: 0).write(to: &$0)
    }
    probe.send(.chunkRequest, on: asking) {
      ContentRequest(content: id.content, chunks: [0, 1]).write(to: &$0)
    }
    #expect(try probe.frames(on: asking).allSatisfy { $0.type != .manifest && $0.type != .chunkPiece })
  }

  @Test("a receiver that has accepted gets the manifest, and learns who else fetches")
  func introducesReceivers() throws {
    var probe = NodeProbe()
    let links = [probe.join(1, other), probe.join(2, third)]
    guard case .offered(let id) = probe.input(.offerResource(Self.package(), to: [other, third])) else { return }
    for link in links { probe.send(.resourceWord, on: link) { ResourceWord(.accepted, of: id.content).write(to: &$0) } }
    let frames = try probe.frames(on: links[0])
    let told = frames.filter { $0.type == .resourcePeers }
    let peers = try told.map { try ResourcePeers(body: $0.body.span.bytes).peers }
    #expect(peers.map(Set.init) == [[other], [other, third]])
    probe.send(.manifestRequest, on: links[1]) {
      ManifestRequest(content: id.content, first: 0).write(to: &$0)
    }
    #expect(try probe.frames(on: links[1]).contains { $0.type == .manifest })
  }

  @Test("a manifest of chunks whose places do not follow from their numbers ends the resource")
  func refusesUnevenChunks() throws {
    var probe = NodeProbe()
    let link = probe.join(1, other)
    let package = ResourcePackage(
      name: "x", names: [10, 20, 5].map { ChunkName(naming: [UInt8](repeating: 1, count: $0)) })
    probe.send(.resourceOffer, on: link) { Self.offer(1, package).write(to: &$0) }
    let offer = try #require(Self.offers(in: probe.takeEvents()).first)
    probe.input(.answerResource(offer.id, accepts: true))
    _ = try probe.frames(on: link)
    probe.send(.manifest, on: link) {
      ManifestPart(content: offer.id.content, first: 0, names: package.names).write(to: &$0)
    }
    #expect(try Self.words(probe.frames(on: link)) == [.failed(.corrupt)])
  }

  @Test("an offer that nobody answers ends after ten minutes, at both ends")
  func unanswered() throws {
    var probe = NodeProbe()
    let link = probe.join(1, other)
    probe.input(.offerResource(Self.package(), to: [other]))
    probe.wait(seconds: 590, keeping: [link])
    #expect(Self.results(in: probe.takeEvents()).isEmpty)
    _ = try probe.frames(on: link)
    probe.wait(seconds: 20, keeping: [link])
    #expect(Self.results(in: probe.takeEvents()) == [.unanswered])
    #expect(try Self.words(probe.frames(on: link)) == [.failed(.unanswered)])
  }

  @Test("a resource of which nothing comes ends after two minutes")
  func stalled() throws {
    var probe = NodeProbe()
    let link = probe.join(1, other)
    probe.send(.resourceOffer, on: link) { Self.offer(1).write(to: &$0) }
    let offer = try #require(Self.offers(in: probe.takeEvents()).first)
    probe.input(.answerResource(offer.id, accepts: true))
    probe.wait(seconds: 130, keeping: [link])
    let failures = probe.takeEvents().compactMap { event -> ResourceFailure? in
      if case .resource(.failed(_, let failure)) = event { failure } else { nil }
    }
    #expect(failures == [.stalled])
  }

  @Test("what a new start of a receiver has not been offered fails with the old one")
  func restarted() throws {
    var probe = NodeProbe()
    _ = probe.join(1, other)
    probe.input(.offerResource(Self.package(), to: [other]))
    probe.input(.linkClosed(LinkID(rawValue: 1)))
    _ = probe.takeEvents()
    _ = probe.join(2, other, incarnation: 8)
    #expect(Self.results(in: probe.takeEvents()) == [.restarted])
    #expect(probe.node.openResources == 0)
  }
}
