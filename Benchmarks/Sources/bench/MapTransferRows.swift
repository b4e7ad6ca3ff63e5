import Basics
import Glibc
import SharedWorld
import WorldModel

/// A map of 100 MB that does not compress, from one peer to others.
///
/// Encoding does not count: the clock runs from the moment at which the sender has the map cut and hashed. To one peer
/// it runs until that has verified the last byte, as TLS has nothing to open. To several it runs until each has the map
/// open, and so for the one beside them: who is served first opens the map while the others are still served.
enum MapTransferRows {
  /// Bytes of the map but for its head.
  private static let size = 100_000_000

  static let all = [
    Benchmark(name: "map-transfer/1") { try await oneReceiver() },
    Benchmark(name: "map-transfer/8") { try await manyReceivers(8) },
  ]

  private static func oneReceiver() async throws -> [Row] {
    let map = incompressible()
    return try await rows("1", of: "OpenSSL, TLS 1.3, 16 KiB records", rounds: 5) {
      try Cost.of(size) { _ = try TLSLoopback.bytesPerSecond(bytes: size) }
    } subject: {
      try await transfer(map, receivers: 1, until: verifiedBytes)
    }
  }

  private static func manyReceivers(_ count: Int) async throws -> [Row] {
    let map = incompressible()
    return try await rows("\(count)", of: "the same map to one peer", rounds: 3) {
      try await transfer(map, receivers: 1, until: openedBytes)
    } subject: {
      try await transfer(map, receivers: count, until: openedBytes)
    }
  }

  private static func rows(
    _ name: String, of what: String, rounds: Int, baseline: () async throws -> Cost, subject: () async throws -> Cost
  ) async throws -> [Row] {
    var pairs: [(baseline: Cost, subject: Cost)] = []
    for _ in 0..<rounds { pairs.append((try await baseline(), try await subject())) }
    let (rate, rateBefore) = (median(pairs.map(\.subject.rate)), median(pairs.map(\.baseline.rate)))
    let (work, workBefore) = (median(pairs.map(\.subject.work)), median(pairs.map(\.baseline.work)))
    return [
      Row(
        name: "map-transfer/\(name)", value: rate / 1e6, unit: "MB/s in all", baseline: what,
        baselineValue: rateBefore / 1e6, ratio: rate / rateBefore),
      Row(
        name: "map-transfer-cpu/\(name)", value: work * 1e9, unit: "ns of CPU/byte", baseline: what,
        baselineValue: workBefore * 1e9, ratio: work / workBefore),
    ]
  }

  /// What a transfer took.
  private struct Cost {
    /// Bytes delivered a second.
    let rate: Double
    /// CPU time of the whole process for each byte (seconds): hardly moved by other programs.
    let work: Double

    static func of(_ bytes: Int, _ transfer: () throws -> Void) rethrows -> Cost {
      let (clock, start, cpu) = (ContinuousClock(), ContinuousClock.now, processTime())
      try transfer()
      return Cost(
        rate: Double(bytes) / ((clock.now - start) / .seconds(1)), work: (processTime() - cpu) / Double(bytes))
    }
  }

  private static func processTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// A map that is all but random bytes, in a section of its own: next to nothing to encode and decode, so that peers
  /// that have it already take no time from those that have not.
  private static func incompressible() -> WorldMap {
    var random = SplitMix64(seed: 7)
    var bytes = [UInt8](repeating: 0, count: size)
    bytes.withUnsafeMutableBytes { raw in
      for index in 0..<size / 8 { raw.storeBytes(of: random.next(), toByteOffset: 8 * index, as: UInt64.self) }
    }
    var map = WorldMap()
    map.unknownSections = [
      .init(code: 0x454c_4946, codec: 0, rawLength: UInt64(size), coveredLength: 0, bytes: bytes)
    ]
    return map
  }

  /// - Parameter arrival: Waits at a receiver until the map is there, and gives its bytes.
  private static func transfer(
    _ map: WorldMap, receivers: Int, until arrival: @escaping @Sendable (Session) async -> Int
  ) async throws -> Cost {
    try await Party.with(receivers: receivers) { party in
      try await withThrowingTaskGroup(of: Int.self) { group in
        for receiver in party.receivers { group.addTask { await arrival(receiver) } }
        try await party.sender.share(map)
        let (start, cpu) = (ContinuousClock.now, processTime())
        var bytes = 0
        for try await size in group { bytes += size }
        return Cost(
          rate: Double(bytes) / ((ContinuousClock.now - start) / .seconds(1)),
          work: (processTime() - cpu) / Double(bytes))
      }
    }
  }

  /// Waits until a whole map is verified and gives its size.
  @Sendable
  private static func verifiedBytes(at session: Session) async -> Int {
    for await event in session.events {
      if case .mapProgress(let progress) = event, progress.verifiedBytes == progress.totalBytes {
        return progress.totalBytes
      }
    }
    return 0
  }

  /// Waits until a map is there for the app and gives its size.
  @Sendable
  private static func openedBytes(at session: Session) async -> Int {
    for await event in session.events {
      if case .mapReceived(let receipt) = event { return receipt.bytes }
    }
    return 0
  }
}
