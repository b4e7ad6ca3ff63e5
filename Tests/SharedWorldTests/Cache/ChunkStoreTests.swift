import Basics
import Foundation
import Glibc
import PeerProtocol
import Synchronization
import TestSupport
import Testing
import WorldModel

@testable import SharedWorld

@Suite("Cache of maps")
struct ChunkStoreTests {
  private static func folder() -> String {
    FileManager.default.temporaryDirectory.appending(path: "sharedworld-cache-\(UUID().uuidString)").path()
  }

  /// A chunk of so many bytes and the hash of them.
  private static func chunk(_ seed: UInt8, size: Int = 5000) -> (hash: SHA256Digest, chunk: StoredChunk) {
    let raw = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* Int(seed) &+ $0 / 251) }
    return (SHA256Digest(hashing: raw), StoredChunk(codec: .raw, bytes: raw))
  }

  @Test("a chunk is kept under its hash, for this user alone, and found by the next program")
  func keeps() async throws {
    let folder = Self.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (hash, chunk) = Self.chunk(7)
    try await ChunkStore(folder: folder, limit: 1 << 20).keep(chunk, under: hash)
    let path = folder + "/" + hash.description
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [hash.description])
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.uint16Value == 0o600)
    let next = ChunkStore(folder: folder, limit: 1 << 20)
    #expect(try await next.chunk(hash, rawSize: 5000) == chunk)
    #expect(try await next.chunk(Self.chunk(8).hash, rawSize: 5000) == nil)
  }

  @Test("Fault 25: a corrupted file is not believed and goes, whatever is wrong with it")
  func dropsCorrupted() async throws {
    let folder = Self.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (hash, chunk) = Self.chunk(7)
    let path = folder + "/" + hash.description
    let damages: [(inout [UInt8]) -> Void] = [
      { $0[100] ^= 1 }, { $0.removeLast() }, { $0 = [] }, { $0[0] = 9 }, { $0[0] = 1 }, { $0.append(0) },
    ]
    for damage in damages {
      let store = ChunkStore(folder: folder, limit: 1 << 20)
      try await store.keep(chunk, under: hash)
      var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
      damage(&bytes)
      try Data(bytes).write(to: URL(filePath: path))
      #expect(try await store.chunk(hash, rawSize: 5000) == nil)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test("at the limit what was not used for the longest time goes")
  func evicts() async throws {
    let folder = Self.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let chunks = (1...4).map { Self.chunk(UInt8($0)) }
    let store = ChunkStore(folder: folder, limit: 3 * 5001)
    for (hash, chunk) in chunks.prefix(3) { try await store.keep(chunk, under: hash) }
    #expect(try await store.chunk(chunks[0].hash, rawSize: 5000) != nil)
    try await store.keep(chunks[3].chunk, under: chunks[3].hash)
    var kept: [Bool] = []
    for (hash, _) in chunks { kept.append(try await store.chunk(hash, rawSize: 5000) != nil) }
    #expect(kept == [true, false, true, true])
  }

  @Test("Fault 25: on a full disk and without descriptors the error says so, and the cache works again afterwards")
  func survivesRefusals() async throws {
    let folder = Self.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let refusal = Mutex<Int32?>(nil)
    let store = ChunkStore(folder: folder, limit: 1 << 20) { path, flags in
      if let code = refusal.withLock({ $0 }) {
        errno = code
        return -1
      }
      return open(path, flags | O_CLOEXEC, 0o600)
    }
    for code in [ENOSPC, EMFILE] {
      let (hash, chunk) = Self.chunk(UInt8(truncatingIfNeeded: code))
      refusal.withLock { $0 = code }
      let error = await #expect(throws: SessionError.self) { try await store.keep(chunk, under: hash) }
      #expect(
        error?.code == (code == ENOSPC ? .diskFull : .io)
          && error?.message.contains(String(cString: strerror(code))) == true)
      refusal.withLock { $0 = nil }
      try await store.keep(chunk, under: hash)
      refusal.withLock { $0 = code }
      await #expect(throws: SessionError.self) { try await store.chunk(hash, rawSize: 5000) }
      refusal.withLock { $0 = nil }
      #expect(try await store.chunk(hash, rawSize: 5000) == chunk)
    }
  }
}

@Suite("Sessions with a cache of maps", .endsHangs)
struct SessionCacheTests {
  private static func map() -> WorldMap {
    var random = SeededRandom(seed: 3)
    var map = WorldMap()
    map.unknownSections = [
      .init(
        code: 0x454c_4946, codec: 0, rawLength: 900_000, coveredLength: 0,
        bytes: (0..<900_000).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    ]
    return map
  }

  /// Joins `alice` with a session that has a cache, until it has the map and is synchronised; what it asked others for.
  private static func fetch(_ alice: Session, cache folder: String) async throws -> (asked: Int, problems: Int) {
    var configuration = TestSessions.configuration()
    configuration.storage.mapCache = MapCache(folder: folder)
    let identity = try TestSessions.identity("bob")
    return try await Session.withSession(as: identity, configuration: configuration) { bob in
      _ = try await alice.peers.invite(bob.address)
      var (asked, problems, isHere) = (0, 0, false)
      for await event in bob.events {
        switch event {
        case .mapProgress(let progress): asked = progress.requestedBytes
        case .mapReceived: isHere = true
        case .problem(let error): problems += error.code == .io ? 1 : 0
        case .synchronized(let digest):
          guard isHere else { continue }
          #expect(await alice.world.digest == digest)
          return (asked, problems)
        default: break
        }
      }
      throw EndedTooSoon()
    }
  }

  @Test("a map that was here once is not asked for again, but for a part whose file was damaged (fault 25)")
  func comesFromCache() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sharedworld-cache-\(UUID().uuidString)").path()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: TestSessions.configuration()) {
      alice in
      try await alice.share(Self.map())
      let first = try await Self.fetch(alice, cache: folder)
      #expect(first.asked > 900_000)
      let files = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(files.count == 4)
      #expect(try await Self.fetch(alice, cache: folder).asked == 0)
      let victim = try #require(
        files.first { name in
          let size = try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.size] as? Int
          return size == ProtocolLimits.chunk + 1
        })
      try Data([0, 1, 2]).write(to: URL(filePath: folder + "/" + victim))
      #expect(try await Self.fetch(alice, cache: folder).asked == ProtocolLimits.chunk)
    }
  }

  @Test("Fault 25: a cache that cannot be used is told of once, and the map arrives all the same")
  func worksWithoutCache() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "sharedworld-file-\(UUID().uuidString)").path()
    defer { try? FileManager.default.removeItem(atPath: file) }
    try Data().write(to: URL(filePath: file))
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: TestSessions.configuration()) {
      alice in
      try await alice.share(Self.map())
      let outcome = try await Self.fetch(alice, cache: file)
      #expect(outcome.asked > 900_000 && outcome.problems == 1)
    }
  }
}
