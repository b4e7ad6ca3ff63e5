import AnchorReplication
import Basics
import PeerProtocol
import PeerTransport
import WorldModel

extension Session {
  /// Shares a map with one peer, or with all and every later joiner.
  ///
  /// Its anchors join the session, once, under their own ids. Of two maps shared with all, that of the later epoch is
  /// the session's, and within an epoch that of the higher revision.
  ///
  /// - Returns: the id of this revision of the map.
  /// - Throws: ``SessionError`` with the code `not-permitted` when the session's rule for providers does not allow it,
  ///   `unknown-peer`, `invalid-argument` or `limit-exceeded`.
  @discardableResult
  public func share(_ map: WorldMap, with peer: PeerID? = nil) async throws(SessionError) -> MapID {
    if let peer { try requireMember(peer) }
    if peer == nil, try !read({ node, _ in node.mayShareMap }) { throw SessionError(.mayNotShare, anchor: nil) }
    let package = try await Self.pack(map)
    // The host may have changed while the map was encoded.
    guard case .shared(let id) = try handle(.share(package, anchors: map.anchors, with: peer)) else {
      throw SessionError(.mayNotShare, anchor: nil)
    }
    maps.keep(map, id: id, number: maps.nextNumber())
    return id
  }

  /// Stops fetching a map, for good; nothing happens if it is here already.
  public func cancelMap(_ id: MapID) { input(.cancelMap(id)) }

  /// Tells everybody that this peer's app has found where it is in the session's map, or has lost it.
  public func setRelocalised(_ isRelocalised: Bool) { input(.relocalised(isRelocalised)) }

  /// The session's map, or the latest one sent to this peer alone; nil until one is complete.
  public func map() -> WorldMap? { maps.latest?.map }

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
      return MapPackage(joining: parts.sorted { $0.0 < $1.0 }.map(\.1))
    }
  }

  /// Decodes a map that has arrived, beside the event loop.
  func open(_ package: MapPackage, id: MapID, from peer: PeerID) {
    let number = maps.nextNumber()
    // Chunks of other maps that wait to be proven come first.
    let added = jobs.add(priority: .utility) { [weak self] in
      do {
        let map = try WorldMap(decoding: try package.assembled())
        await self?.opened(map, id: id, number: number, from: peer, bytes: package.size)
      } catch {
        await self?.failedToOpen(id, error)
      }
    }
    maps.beginOpening()
    if !added { endOpening([.mapFailed(SessionError(.limitExceeded, "too much work is waiting"))]) }
  }

  /// Tells what became of a map that was being decoded, and the news that waited for it.
  private func endOpening(_ events: [Event]) {
    hub.publish(events)
    if let digest = maps.endOpening() { hub.publish([.synchronised(digest)]) }
  }

  private func opened(_ map: WorldMap, id: MapID, number: UInt64, from peer: PeerID, bytes: Int) {
    maps.keep(map, id: id, number: number)
    let receipt = MapReceipt(
      from: peer, mapID: id, points: map.cloud.count, anchors: map.anchors.count, bytes: bytes)
    endOpening([.mapReceived(receipt)])
  }

  private func failedToOpen(_ id: MapID, _ error: any Error) {
    endOpening([.mapFailed(SessionError(.corruptData, "map \(id) cannot be read: \(error)", cause: error))])
  }

  /// Runs a check beside the event loop.
  ///
  /// Returns whether there was room for it.
  func run(_ check: ChunkCheck) -> Bool {
    jobs.add { [weak self] in
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
    guard let store = chunkStore else { return }
    switch wish {
    case .find(let search):
      let isTaken = jobs.add { [weak self] in await Self.find(search, in: store) { await self?.take($0) } }
      if !isTaken { input(.chunksFound(search.map, [], isLast: true)) }
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

  /// What the cache has to say.
  private enum CacheAnswer: Sendable {
    case found(MapID, [FoundChunk], isLast: Bool)
    case success
    case failure(SessionError)
  }

  private nonisolated static func find(
    _ search: ChunkSearch, in store: ChunkStore, _ answer: (CacheAnswer) async -> Void
  ) async {
    var found: [FoundChunk] = []
    for wanted in search.wanted {
      do throws(SessionError) {
        guard let chunk = try await store.chunk(wanted.name.hash, rawSize: wanted.name.size) else { continue }
        found.append(FoundChunk(index: wanted.index, chunk: chunk))
      } catch {
        await answer(.failure(error))
        break
      }
      guard found.count == batch else { continue }
      await answer(.found(search.map, found, isLast: false))
      found = []
    }
    await answer(.found(search.map, found, isLast: true))
  }

  /// A cache that fails costs time and nothing else; it is told of once, until it works again.
  private func take(_ answer: CacheAnswer) {
    switch answer {
    case .found(let map, let chunks, let isLast): input(.chunksFound(map, chunks, isLast: isLast))
    case .success: _ = cacheFailure.note(nil)
    case .failure(let error): if let news = cacheFailure.note(error) { hub.publish([.problem(news)]) }
    }
  }
}
