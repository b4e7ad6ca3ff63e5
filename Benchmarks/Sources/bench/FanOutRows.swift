import SharedWorld

/// Anchors placed by one peer and seen by the others through the public API, encrypted and applied, against plain TCP.
enum FanOutRows {
  private static let anchors = 20_000

  static let all = [1, 8].map { peers in
    Benchmark(name: "anchor-fanout/\(peers)") { [try await row(peers)] }
  }

  private static func row(_ peers: Int) async throws -> Row {
    let raw = try RawTCP.deliveriesPerSecond(receivers: peers, bytes: 512 * 1024 * 1024 / peers)
    let applied = try await Party.with(receivers: peers) { try await deliveriesPerSecond($0) }
    return Row(
      name: "anchor-fanout/\(peers)", value: applied, unit: "deliveries/s", baseline: "raw TCP, 40 KiB sends",
      baselineValue: raw, ratio: applied / raw)
  }

  private static func deliveriesPerSecond(_ party: Party) async throws -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for receiver in party.receivers { group.addTask { await receiveAll(receiver) } }
      for number in 0..<anchors { try await party.sender.place(Anchor(name: "anchor \(number)")) }
      try await group.waitForAll()
    }
    return Double(anchors * party.receivers.count) / ((clock.now - start) / .seconds(1))
  }

  /// Reads batches until every anchor has come.
  private static func receiveAll(_ session: Session) async {
    var events = session.events.makeAsyncIterator()
    var seen = 0
    while seen < anchors, let batch = await events.nextBatch() {
      seen += batch.count { if case .anchorAdded = $0 { true } else { false } }
    }
  }
}
