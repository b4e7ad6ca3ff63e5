import SharedWorld

/// Moves of anchors by one peer, encrypted, applied by the others and told through the public API, against plain TCP.
enum FanOutRows {
  private static let anchors = 1000
  /// Moves in one call, as a busy app batches them.
  private static let batch = 500
  /// Moves between two marks that everybody waits for: within what the sender's log holds, so that every single
  /// operation is delivered and none is replaced by a snapshot.
  private static let stride = 30_000
  /// Deliveries in all, about.
  private static let deliveries = 3_000_000

  static let all = [1, 4, 8, 16, 32].map { peers in
    Benchmark(name: "anchor-fanout/\(peers)") { try await rows(peers) }
  }

  /// The rate, and what a delivery takes, for a number of receivers.
  private static func rows(_ peers: Int) async throws -> [Row] {
    let bytes = 512 * 1024 * 1024 / peers
    let before = try RawTCP.fanOut(receivers: peers, bytes: bytes)
    let ours = try await Party.with(receivers: peers) { try await fanOut($0) }
    let after = try RawTCP.fanOut(receivers: peers, bytes: bytes)
    // The best of plain TCP: what else the machine does slows it down for a while.
    let raw = before.cost.seconds < after.cost.seconds ? before : after
    let rawCPU = min(before.cost.cpu, after.cost.cpu)
    let (count, rawCount) = (Double(ours.deliveries), Double(raw.deliveries))
    func row(_ name: String, _ value: Double, _ unit: String, _ baseline: String, _ baselineValue: Double) -> Row {
      Row(
        name: "anchor-fanout\(name)/\(peers)", value: value, unit: unit, baseline: baseline,
        baselineValue: baselineValue, ratio: value / baselineValue)
    }
    let tcp = "raw TCP, 40 KiB sends"
    return [
      row("", count / ours.cost.seconds, "deliveries/s", tcp, rawCount / raw.cost.seconds),
      row("-cpu", ours.cost.cpu / count * 1e9, "ns/delivery", tcp, rawCPU / rawCount * 1e9),
      row("-calls", ours.cost.calls / count, "calls/delivery", tcp, raw.cost.calls / rawCount),
      row("-allocations", ours.cost.allocations / count, "blocks/delivery", "one a delivery", 1),
    ]
  }

  private static func fanOut(_ party: Party) async throws -> (deliveries: Int, cost: Cost) {
    let list = (0..<anchors).map { Anchor(name: "anchor \($0)") }
    try await party.sender.place(list)
    let strides = max(2, deliveries / stride / party.receivers.count)
    let (seen, mark) = AsyncStream.makeStream(of: Void.self)
    var marks = seen.makeAsyncIterator()
    return try await withThrowingTaskGroup(of: Void.self) { group in
      for receiver in party.receivers { group.addTask { await read(receiver.events, mark) } }
      try await settle(party, &marks)
      let cost = try await Cost.of {
        for round in 0..<strides {
          for first in Swift.stride(from: 0, to: stride, by: batch) {
            let moves = (0..<batch).map { number in
              let step = Float(round * stride + first + number)
              return (id: list[(first + number) % anchors].id, transform: Transform(translation: [step, 0, 0]))
            }
            try await party.sender.move(moves)
          }
          try await settle(party, &marks)
        }
      }
      group.cancelAll()
      return (strides * stride * party.receivers.count, cost)
    }
  }

  /// Reads as an app does, everything there is each time, and tells of marks.
  private static func read(_ events: Session.Events, _ mark: AsyncStream<Void>.Continuation) async {
    var iterator = events.makeAsyncIterator()
    while let batch = await iterator.nextBatch() {
      for case .anchorAdded(let anchor, _) in batch where anchor.name == "mark" { mark.yield() }
    }
  }

  /// Places an anchor and waits until every receiver has told of it: all that was done before has then arrived, since
  /// one author's operations keep their order.
  private static func settle(_ party: Party, _ marks: inout AsyncStream<Void>.Iterator) async throws {
    try await party.sender.place(Anchor(name: "mark"))
    for _ in party.receivers { await marks.next() }
  }
}
