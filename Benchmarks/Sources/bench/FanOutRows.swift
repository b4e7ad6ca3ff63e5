import SharedWorld

/// Moves of anchors by one peer, encrypted, applied by the others and told through the public API, against plain TCP.
enum FanOutRows {
  private static let anchors = 1000
  /// Moves in one call, as a busy app batches them.
  private static let batch = 500
  /// Moves between two marks that everybody waits for: within what the sender's log holds, so that every single
  /// operation is delivered and none is replaced by a snapshot.
  private static let stride = 30_000
  private static let strides = 10

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
    let list = (0..<anchors).map { Anchor(name: "anchor \($0)") }
    try await party.sender.place(list)
    var readers = party.receivers.map { $0.events.makeAsyncIterator() }
    try await mark(party, &readers)
    let clock = ContinuousClock()
    let start = clock.now
    for round in 0..<strides {
      for first in Swift.stride(from: 0, to: stride, by: batch) {
        let moves = (0..<batch).map { number in
          let step = Float(round * stride + first + number)
          return (id: list[(first + number) % anchors].id, transform: Transform(translation: [step, 0, 0]))
        }
        try await party.sender.move(moves)
      }
      try await mark(party, &readers)
    }
    return Double(strides * stride * party.receivers.count) / ((clock.now - start) / .seconds(1))
  }

  /// Places an anchor and waits until every receiver has told of it: all that was done before has then arrived, since
  /// one author's operations keep their order.
  private static func mark(_ party: Party, _ readers: inout [Session.Events.Iterator]) async throws {
    let id = try await party.sender.place(Anchor(name: "mark"))
    for index in readers.indices {
      while let events = await readers[index].nextBatch() {
        if events.contains(where: { if case .anchorAdded(let anchor, _) = $0 { anchor.id == id } else { false } }) {
          break
        }
      }
    }
  }
}
