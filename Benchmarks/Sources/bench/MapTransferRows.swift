import Glibc
import SharedWorld

/// A map of 100 MB that does not compress, from one peer to others, until each has verified the last byte of it.
///
/// Encoding and decoding do not count: the clock runs from the moment at which the sender has the map cut and hashed.
enum MapTransferRows {
  /// Bytes of the map, near enough.
  private static let size = 100_000_000
  private static let descriptor = 64

  static let all = [
    Benchmark(name: "map-transfer/1") { [try await oneReceiver()] },
    Benchmark(name: "map-transfer/8") { [try await manyReceivers(8)] },
  ]

  private static func oneReceiver() async throws -> Row {
    let map = incompressible()
    var pairs: [(rate: Double, baseline: Double)] = []
    for _ in 0..<5 {
      let baseline = try TLSLoopback.bytesPerSecond(bytes: size)
      pairs.append((try await bytesPerSecond(map, receivers: 1), baseline))
    }
    return row(
      "map-transfer/1", median(pairs.map(\.rate)), "OpenSSL, TLS 1.3, 16 KiB records",
      baseline: median(pairs.map(\.baseline)))
  }

  private static func manyReceivers(_ count: Int) async throws -> Row {
    let map = incompressible()
    var pairs: [(rate: Double, baseline: Double)] = []
    for _ in 0..<3 {
      let baseline = try await bytesPerSecond(map, receivers: 1)
      pairs.append((try await bytesPerSecond(map, receivers: count), baseline))
    }
    return row(
      "map-transfer/\(count)", median(pairs.map(\.rate)), "the same map to one peer",
      baseline: median(pairs.map(\.baseline)))
  }

  private static func row(_ name: String, _ rate: Double, _ what: String, baseline: Double) -> Row {
    Row(
      name: name, value: rate / 1e6, unit: "MB/s in all", baseline: what, baselineValue: baseline / 1e6,
      ratio: rate / baseline)
  }

  /// A map of random points with random descriptors: nothing in it compresses but the positions' exponents.
  private static func incompressible() -> WorldMap {
    var random = SplitMix64(seed: 7)
    let count = size / (descriptor + 20)
    return WorldMap(
      cloud: FeatureCloud(
        positions: (0..<count).map { _ in
          SIMD3(Float.random(in: -9...9, using: &random), .random(in: -9...9, using: &random), .random(in: -9...9, using: &random))
        },
        identifiers: (0..<count).map { _ in random.next() },
        channels: FeatureCloud.Channels(
          descriptors: .init(
            kind: "random", size: descriptor,
            bytes: (0..<count * descriptor).map { _ in UInt8(truncatingIfNeeded: random.next()) }))))
  }

  private static func bytesPerSecond(_ map: WorldMap, receivers: Int) async throws -> Double {
    try await Party.with(receivers: receivers) { party in
      let total = try await withThrowingTaskGroup(of: Int.self) { group in
        for receiver in party.receivers { group.addTask { await verifiedBytes(at: receiver) } }
        try await party.sender.share(map)
        let clock = ContinuousClock()
        let start = clock.now
        var total = 0
        for try await bytes in group { total += bytes }
        return Double(total) / ((clock.now - start) / .seconds(1))
      }
      return total
    }
  }

  /// Waits until a whole map is verified and gives its size.
  private static func verifiedBytes(at session: Session) async -> Int {
    for await event in session.events {
      if case .mapProgress(let progress) = event, progress.verifiedBytes == progress.totalBytes {
        return progress.totalBytes
      }
    }
    return 0
  }
}
