import PeerProtocol
import PeerTransport
import WorldModel

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
    case .success: hasCacheFailed = false
    case .failure(let error):
      if !hasCacheFailed { hub.publish([.problem(error)]) }
      hasCacheFailed = true
    }
  }
}
