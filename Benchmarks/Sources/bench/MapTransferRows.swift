import SharedWorld

/// A map shared with others until they have it decoded, against plain TCP.
enum MapTransferRows {
  private static let points = 1_000_000

  static let all = [1, 4].map { peers in
    Benchmark(name: "map-transfer/\(peers)") { [try await row(peers)] }
  }

  private static func row(_ peers: Int) async throws -> Row {
    let map = SyntheticRoom(seed: 1, pointCount: points).map()
    let bytes = try map.encoded().count
    let raw = try RawTCP.deliveriesPerSecond(receivers: peers, bytes: bytes) * Double(RawTCP.frame) / 1e6
    let time = try await Party.with(receivers: peers) { try await seconds($0, map) }
    let rate = Double(bytes * peers) / 1e6 / time
    return Row(
      name: "map-transfer/\(peers)", value: rate, unit: "MB/s encoded", baseline: "raw TCP, 40 KiB sends",
      baselineValue: raw, ratio: rate / raw)
  }

  private static func seconds(_ party: Party, _ map: WorldMap) async throws -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for receiver in party.receivers {
        group.addTask {
          for await event in receiver.events {
            if case .mapReceived = event { return }
          }
        }
      }
      try await party.sender.share(map)
      try await group.waitForAll()
    }
    return (clock.now - start) / .seconds(1)
  }
}
