import Basics
import PeerProtocol
import Testing
import WorldModel

/// A node that fetches a map from peer 1 over a link that the peer dialled, and what that peer says by hand.
private struct Fetching {
  var probe = NodeProbe()
  let other = NodeProbe.peer(1)
  let control: LinkID
  let package: MapPackage
  var manifest: ContentManifest

  init(chunks: Int = 6) throws {
    var random = SeededRandom(seed: 5)
    let map = (0..<chunks * ProtocolLimits.chunk).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    package = MapPackage(map: map)
    manifest = ContentManifest(.map, epoch: 1, revision: 1, names: package.names)
    control = probe.join(1, other)
    _ = try probe.frames(on: control)
  }

  /// Announces the map on a link and sends its manifest, or a forgery of it, from the asked holder.
  mutating func announce(on link: LinkID, names: [ChunkName]? = nil) {
    let announcement = MapAnnouncement(manifest, provider: other, isPrivate: false)
    probe.send(.mapAnnounce, on: link) { announcement.write(to: &$0) }
    probe.send(.manifest, on: link) {
      manifest.id.write(to: &$0)
      $0.write(UInt32(0))
      for name in names ?? manifest.names { name.write(to: &$0) }
    }
  }

  /// The chunks asked for on a link since the last call, and the offer of a second connection.
  mutating func asked(on link: LinkID) throws -> (chunks: [Int], offer: BulkOffer?) {
    var chunks: [Int] = []
    var offer: BulkOffer?
    for frame in try probe.frames(on: link) {
      var reader = ByteReader(frame.body.span)
      if frame.type == .bulkOffer { offer = try BulkOffer(reading: &reader) }
      guard frame.type == .chunkRequest else { continue }
      _ = try reader.readByte()
      _ = try reader.readDigest()
      while !reader.isAtEnd { chunks.append(Int(try reader.read(UInt32.self))) }
    }
    return (chunks, offer)
  }

  /// The percentages of the map that the node told of itself since the last call.
  mutating func told() throws -> [Int] {
    // The last byte of a status.
    try probe.words(on: control).filter { $0.topic == WordTopic.mapStatus.rawValue }.compactMap { $0.body.last }
      .map(Int.init)
  }

  /// Sends one chunk whole, perhaps with a bit flipped.
  mutating func send(_ chunk: Int, on link: LinkID, flipping bit: Bool = false) {
    var bytes = package.chunks[chunk].bytes
    if bit { bytes[1000] ^= 4 }
    for offset in stride(from: 0, to: bytes.count, by: ProtocolLimits.bulkPiece) {
      let piece = ChunkPiece(
        content: manifest.id, chunk: chunk, codec: package.chunks[chunk].codec, storedSize: bytes.count, offset: offset)
      probe.send(.chunkPiece, on: link) {
        piece.write(to: &$0)
        $0.write(bytes: bytes[offset..<min(offset + ProtocolLimits.bulkPiece, bytes.count)])
      }
    }
  }

  /// A connection of a peer that begins with a token.
  mutating func attach(_ number: UInt64, _ peer: PeerID, _ token: BulkOffer.Token) -> LinkID {
    let link = probe.open(number, peer)
    probe.send(.attach, on: link) { token.write(to: &$0) }
    return link
  }
}

@Suite("The status of a map on its way")
struct TransferStatusTests {
  @Test("progress that comes too soon after the last word is told when its time is over, though nothing more comes")
  func tellsLate() throws {
    var fetching = try Fetching()
    fetching.announce(on: fetching.control)
    fetching.probe.wait(ProtocolTimes.mapStatus)
    #expect(try fetching.told() == [0])
    fetching.send(0, on: fetching.control)
    fetching.send(1, on: fetching.control)
    #expect(try fetching.told() == [16])
    fetching.probe.wait(ProtocolTimes.mapStatus)
    #expect(try fetching.told() == [33])
    fetching.probe.wait(ProtocolTimes.mapStatus * 4)
    #expect(try fetching.told() == [])
  }
}

@Suite("The second connection")
struct BulkTests {
  @Test("it is offered when much is to come, attached by its token, and takes pieces and nothing else")
  func attaches() throws {
    var fetching = try Fetching()
    fetching.announce(on: fetching.control)
    let (chunks, offer) = try fetching.asked(on: fetching.control)
    // The other side dialled the control link, so it knows a way.
    let token = try #require(offer.map { $0.receiverDials ? $0.token : nil } ?? nil)
    #expect(chunks.count == 6)
    let second = fetching.attach(2, fetching.other, token)
    #expect(fetching.probe.node.bulkLinkCount == 1)
    #expect(try fetching.probe.frames(on: second).map(\.type) == [.attach])
    for chunk in chunks { fetching.send(chunk, on: second) }
    #expect(fetching.probe.node.currentMap?.content == fetching.manifest.id)
    fetching.probe.send(.mapCancel, on: second) { $0.write(bytes: fetching.manifest.id.digest.bytes) }
    #expect(fetching.probe.closed == [second])
  }

  @Test("a connection with a wrong token, or of another peer, is let go, and pieces go on coming on the control link")
  func refusesStrangers() throws {
    var fetching = try Fetching()
    fetching.announce(on: fetching.control)
    let (chunks, offer) = try fetching.asked(on: fetching.control)
    let token = try #require(offer?.token)
    let wrong = fetching.attach(2, fetching.other, BulkOffer.Token(high: 1, low: 2))
    let stranger = fetching.attach(3, NodeProbe.peer(2), token)
    #expect(fetching.probe.node.bulkLinkCount == 0)
    fetching.probe.wait(ProtocolLimits.helloTime)
    #expect(fetching.probe.closed == [wrong, stranger])
    for chunk in chunks { fetching.send(chunk, on: fetching.control) }
    #expect(fetching.probe.node.currentMap?.content == fetching.manifest.id)
  }

  @Test("when it breaks, what was on its way is asked for again on the control link, and what is verified is kept")
  func fallsBack() throws {
    var fetching = try Fetching()
    fetching.announce(on: fetching.control)
    let (chunks, offer) = try fetching.asked(on: fetching.control)
    let second = fetching.attach(2, fetching.other, try #require(offer?.token))
    for chunk in chunks.prefix(2) { fetching.send(chunk, on: second) }
    fetching.probe.input(.linkClosed(second))
    #expect(try fetching.asked(on: fetching.control).chunks.sorted() == chunks.dropFirst(2).sorted())
    for chunk in chunks.dropFirst(2) { fetching.send(chunk, on: fetching.control) }
    #expect(fetching.probe.node.currentMap?.content == fetching.manifest.id)
  }

  @Test("cancelling a map says so once, and nothing that still arrives counts")
  func cancels() throws {
    var fetching = try Fetching()
    fetching.announce(on: fetching.control)
    let chunks = try fetching.asked(on: fetching.control).chunks
    let id = fetching.manifest.id
    fetching.probe.input(.cancelMap(MapID(id)))
    fetching.probe.input(.cancelMap(MapID(id)))
    let frames = try fetching.probe.frames(on: fetching.control)
    #expect(frames.count { $0.type == .mapCancel } == 1)
    // Others may have asked for chunks of it.
    #expect(frames.filter { $0.type == .chunkHave }.map(\.body) == [[0] + id.digest.bytes + [0]])
    _ = fetching.probe.takeEvents()
    for chunk in chunks { fetching.send(chunk, on: fetching.control) }
    fetching.announce(on: fetching.control)
    #expect(fetching.probe.takeEvents().isEmpty)
    #expect(fetching.probe.node.currentMap == nil)
    #expect(try fetching.asked(on: fetching.control).chunks.isEmpty)
  }

  @Test("a new revision that comes while a map is fetched takes its place, and only what it changes is asked for")
  func changesRevision() throws {
    var fetching = try Fetching()
    fetching.announce(on: fetching.control)
    _ = try fetching.asked(on: fetching.control)
    for chunk in 0..<3 { fetching.send(chunk, on: fetching.control) }
    _ = (try fetching.probe.frames(on: fetching.control), fetching.probe.takeEvents())
    let old = fetching.manifest.id
    var names = fetching.manifest.names
    names.swapAt(0, 5)
    fetching.manifest = ContentManifest(.map, epoch: 1, revision: 2, names: names)
    fetching.announce(on: fetching.control)
    let frames = try fetching.probe.frames(on: fetching.control)
    #expect(frames.count { $0.type == .mapCancel && $0.body == old.digest.bytes } == 1)
    let asked = frames.filter { $0.type == .chunkRequest }.map { Set($0.body.dropFirst(33)).subtracting([0]) }
    // Of the first three chunks the first is the sixth now.
    #expect(asked == [[3, 4]])
  }

  @Test("Fault 24: a source that sends a flipped bit is marked down and told of, and another holder serves the chunk")
  func marksSourceDown() throws {
    var fetching = try Fetching()
    let honest = NodeProbe.peer(2)
    let second = fetching.probe.join(2, honest)
    fetching.announce(on: fetching.control)
    let bad = try #require(try fetching.asked(on: fetching.control).chunks.first)
    fetching.announce(on: second)
    _ = try fetching.asked(on: second)
    fetching.send(bad, on: fetching.control, flipping: true)
    let failures = fetching.probe.takeEvents().compactMap { event in
      if case .mapSourceRefused(_, let peer, let failure) = event { (peer, failure) } else { nil }
    }
    #expect(failures.map(\.0) == [fetching.other] && failures.map(\.1) == [.wrongHash])
    #expect(try fetching.asked(on: second).chunks.contains(bad))
    fetching.announce(on: fetching.control)
    #expect(try fetching.asked(on: fetching.control).chunks.isEmpty)
    for chunk in 0..<6 { fetching.send(chunk, on: second) }
    #expect(fetching.probe.node.currentMap?.content == fetching.manifest.id)
  }

  @Test(
    "a wrong part of a manifest costs its sender's place among the holders and nobody else's", arguments: [false, true])
  func spoilsNoManifest(isAsked: Bool) throws {
    var fetching = try Fetching()
    let liar = NodeProbe.peer(2)
    let second = fetching.probe.join(2, liar)
    // Who announces it first is asked.
    for link in isAsked ? [second, fetching.control] : [fetching.control, second] {
      fetching.announce(on: link, names: link == second ? fetching.manifest.names.reversed() : [])
    }
    fetching.announce(on: fetching.control)
    let refused = fetching.probe.takeEvents().compactMap { event in
      if case .mapSourceRefused(_, let peer, _) = event { peer } else { nil }
    }
    #expect(refused == (isAsked ? [liar] : []))
    let chunks = try fetching.asked(on: fetching.control).chunks
    for chunk in chunks { fetching.send(chunk, on: fetching.control) }
    #expect(!chunks.isEmpty && fetching.probe.node.mapStatus.stage != .none)
  }

  @Test("a map of somebody the rule does not name is not taken, and one the host alone may share only from the host")
  func keepsTheRule() throws {
    for (policy, isTaken) in [(MapProviders.named([]), false), (.named([NodeProbe.peer(1)]), true), (.host, false)] {
      var fetching = try Fetching(chunks: 1)
      fetching.probe.node = Node(
        NodeConfiguration(
          peerID: NodeProbe.me, incarnation: 1, name: "me", service: "test", mapPolicy: policy, seed: 1),
        at: fetching.probe.now)
      let link = fetching.probe.join(9, fetching.other)
      fetching.probe.wait(.seconds(3))
      _ = fetching.probe.takeEvents()
      fetching.announce(on: link)
      fetching.send(0, on: link)
      #expect((fetching.probe.node.currentMap != nil) == isTaken, "\(policy)")
      let refusals = fetching.probe.takeEvents().count { if case .mapRefused = $0 { true } else { false } }
      #expect((refusals > 0) != isTaken)
    }
  }
}
