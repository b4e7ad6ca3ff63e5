import AnchorReplication
import Basics
import PeerProtocol
import PeerTransport
import WorldModel

extension Session {
  /// Shares a map with one peer, or with all and every later joiner, as ``Maps/share(_:with:)`` of ``Session/maps``.
  @discardableResult
  public func share(_ map: WorldMap, with peer: PeerID? = nil) async throws(SessionError) -> MapID {
    if let peer { try requireMember(peer) }
    if peer == nil, try !read({ node, _ in node.mayShareMap }) { throw SessionError(.mayNotShare, anchor: nil) }
    var map = map
    map.provider = nil
    let package = try await Self.pack(map)
    // The host may have changed while the map was encoded.
    guard case .shared(let id) = try handle(.share(package, anchors: map.anchors, with: peer)) else {
      throw SessionError(.mayNotShare, anchor: nil)
    }
    mapDesk.keep(.decoded(map), of: map.cloud.count, id: id, number: mapDesk.numbers.next())
    updateSnapshot()
    return id
  }

  /// Captures the session's anchors and `cloud` and shares them as a map with everybody, if that is worth it: once the
  /// place is mapped well enough to be found in again, and another peer is connected.
  func shareCapture(of cloud: FeatureCloud, views: UInt32?) async throws(SessionError) -> MapID {
    let map = try await maps.capture(cloud, views: views)
    guard map.mappingStatus.allowsSharing else {
      throw SessionError(
        .mapNotReady, "the place is not mapped well enough (\(map.mappingStatus)); move the device around more of it")
    }
    guard state.peers.contains(where: { $0.state == .connected }) else {
      throw SessionError(.notConnected, "no other peer is connected; share the map when one has joined")
    }
    return try await shareFromOwnFrame(map)
  }

  /// The session's map, or the latest one sent to this peer alone; nil until one is complete.
  func map() async -> WorldMap? {
    guard let latest = mapDesk.latest else { return nil }
    switch latest.contents {
    case .decoded(let map): return map
    case .packed(let package, let provider):
      return await withCheckedContinuation { caller in
        guard mapDesk.await(latest.number, caller) else { return }
        let added = jobs.add { [weak self] in
          let result = Result {
            var map = try WorldMap(decoding: try package.assembled())
            map.provider = provider
            return map
          }
          await self?.decoded(latest.id, latest.number, result)
        }
        if !added { mapDesk.finish(latest.number, nil) }
      }
    }
  }

  /// Brings a decoded map to those that asked for it.
  private func decoded(_ id: MapID, _ number: UInt64, _ result: Result<WorldMap, any Error>) {
    switch result {
    case .success(let map):
      mapDesk.keepDecoded(map, number: number)
      mapDesk.finish(number, map)
    case .failure(let error):
      mapDesk.drop(number)
      mapDesk.finish(number, nil)
      hub.publish([.mapFailed(SessionError(unreadable: id, error))])
    }
  }

  /// Tasks that cut a map at once.
  private static let packers = 4

  /// Encodes, cuts and hashes a map on the ordinary executor.
  ///
  /// Its blocks lie in space, so that of a later revision only what differs is fetched.
  @concurrent
  private nonisolated static func pack(_ map: WorldMap) async throws(SessionError) -> MapPackage {
    do {
      return await cut(try map.encoded(EncodingOptions(arrangement: .inSpace)))
    } catch {
      throw SessionError(.invalidArgument, "the map cannot be encoded: \(error)", cause: error)
    }
  }

  /// Cuts, hashes and compresses an encoded map by several tasks at once.
  private nonisolated static func cut(_ map: [UInt8]) async -> MapPackage {
    let ranges = MapPackage.cut(map)
    return await withTaskGroup(of: (Int, MapPackage).self) { group in
      for index in 0..<packers {
        let share = ranges[(ranges.count * index / packers)..<(ranges.count * (index + 1) / packers)]
        group.addTask { (index, MapPackage(map: map, ranges: share)) }
      }
      var parts: [(Int, MapPackage)] = []
      for await part in group { parts.append(part) }
      return MapPackage(joining: parts.inOrder { $0.0 < $1.0 }.map(\.1))
    }
  }

  /// Reads the head of a map that has arrived, beside the event loop; its points are decoded when the app asks for them.
  func open(_ package: MapPackage, id: MapID, from peer: Peer) {
    let number = mapDesk.numbers.next()
    let limit = configuration.limits.mapMemory
    // Chunks of other maps that wait to be proven come first.
    let added = jobs.add(priority: .utility) { [weak self] in
      do {
        let head = try package.head()
        try package.check(head, limit: limit)
        let receipt = MapReceipt(
          from: peer, mapID: id, points: head.pointCount, anchors: head.anchorCount, bytes: package.size)
        await self?.opened(package, receipt, number: number)
      } catch {
        await self?.endOpening([.mapFailed(error as? SessionError ?? SessionError(unreadable: id, error))])
      }
    }
    mapDesk.beginOpening()
    if !added { endOpening([.mapFailed(SessionError(.limitExceeded, "too much work is waiting"))]) }
  }

  /// Tells what became of a map that was being opened, and the news that waited for it.
  private func endOpening(_ events: [Event]) {
    hub.publish(events)
    if let digest = mapDesk.endOpening() { hub.publish([.synchronized(digest)]) }
  }

  private func opened(_ package: MapPackage, _ receipt: MapReceipt, number: UInt64) {
    mapDesk.keep(.packed(package, provider: receipt.from.id), of: receipt.points, id: receipt.mapID, number: number)
    updateSnapshot()
    endOpening([.mapReceived(receipt)])
  }

  /// The event for the app about a map that is not fetched.
  func refused(_ map: MapID, of provider: String, _ refusal: MapRefusal) -> Event {
    switch refusal {
    case .notPermitted:
      return .problem(SessionError(.notPermitted, "\(provider) may not share a map; \(map) was not taken"))
    case .tooLarge(let bytes):
      return .mapFailed(
        SessionError(tooLarge: "map \(map) of \(provider)", bytes: bytes, limit: configuration.limits.mapMemory))
    }
  }

  /// Runs a check beside the event loop.
  ///
  /// Returns whether there was room for it.
  func run(_ check: ChunkCheck) -> Bool {
    if let file = resources.file(of: check.content) {
      write(check, to: file)
      return true
    }
    return jobs.add { [weak self] in
      let verdict = check.run()
      await self?.input(.chunkChecked(verdict))
    }
  }
}

// MARK: - The cache

extension Session {
  /// Chunks that the cache gives the node at a time.
  private static let batch = 16

  /// Does what the node wants of the cache, beside the event loop.
  func serve(_ wish: CacheWish) {
    guard let store = mapDesk.store else { return }
    switch wish {
    case .find(let search):
      let file = resources.file(of: search.content)
      let isTaken = jobs.add { [weak self] in
        await Self.find(search, in: store, for: file) { await self?.take($0) }
      }
      if !isTaken { input(.chunksFound(search.content, [], isLast: true)) }
    case .keep(let hash, let chunk):
      // Under too much work a chunk is simply not kept.
      _ = jobs.add(priority: .utility) { [weak self] in
        do throws(SessionError) {
          try await store.keep(chunk, under: hash)
          await self?.take(.success)
        } catch {
          await self?.take(.failure(error))
        }
      }
    }
  }

  /// The answers of the cache.
  private enum CacheAnswer: Sendable {
    case found(ContentID, [FoundChunk], isLast: Bool)
    case unwritten(ContentID, ResourceFailure)
    case success
    case failure(SessionError)
  }

  private nonisolated static func find(
    _ search: ChunkSearch, in store: ChunkStore, for file: ResourceFile?, _ answer: (CacheAnswer) async -> Void
  ) async {
    var found: [FoundChunk] = []
    for wanted in search.wanted {
      do throws(SessionError) {
        guard let chunk = try await store.chunk(wanted.name.hash, rawSize: wanted.name.size) else { continue }
        do throws(ResourceFailure) {
          try file?.write(chunk, at: wanted)
        } catch {
          return await answer(.unwritten(search.content, error))
        }
        found.append(FoundChunk(index: wanted.index, chunk: chunk))
      } catch {
        await answer(.failure(error))
        break
      }
      guard found.count == batch else { continue }
      await answer(.found(search.content, found, isLast: false))
      found = []
    }
    await answer(.found(search.content, found, isLast: true))
  }

  /// A cache that fails costs time and nothing else; it is told of once, until it works again.
  private func take(_ answer: CacheAnswer) {
    switch answer {
    case .found(let content, let chunks, let isLast): input(.chunksFound(content, chunks, isLast: isLast))
    case .unwritten(let content, let failure): input(.endResource(ResourceID(content), failure))
    case .success: _ = mapDesk.cacheFailure.note(nil)
    case .failure(let error): if let news = mapDesk.cacheFailure.note(error) { hub.publish([.problem(news)]) }
    }
  }
}

extension MapPackage {
  /// Refuses a map of another peer that would take too much memory, or more than its bytes can be worth.
  fileprivate func check(_ head: WorldMapDecoder, limit: Int) throws(SessionError) {
    let bytes = head.memorySize
    guard bytes <= limit else { throw SessionError(tooLarge: "the map", bytes: bytes, limit: limit) }
    guard bytes <= max(ProtocolLimits.smallMap, ProtocolLimits.mapExpansion * storedSize) else {
      throw SessionError(
        .limitExceeded,
        "the map's \(storedSize) bytes would become \(bytes), more than \(ProtocolLimits.mapExpansion) for each; "
          + "it was not decoded")
    }
  }
}

extension SessionError {
  fileprivate init(tooLarge map: String, bytes: Int, limit: Int) {
    self.init(
      .limitExceeded,
      "\(map) takes \(bytes) bytes of memory, more than \(limit); raise limits.mapMemory of the configuration to take it"
    )
  }

  fileprivate init(unreadable map: MapID, _ error: any Error) {
    self.init(.corruptData, "map \(map) cannot be read: \(error)", cause: error)
  }
}
