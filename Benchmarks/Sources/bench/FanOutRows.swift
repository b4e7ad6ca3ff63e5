import SharedWorld

/// Moves of anchors by one peer, encrypted, applied by the others and told through the public API, against plain TCP and
/// against what NATS (by its client and by bare sockets) and ZeroMQ deliver, as many messages of the same size at the same
/// pace.
enum FanOutRows {
  private static let anchors = 1000
  /// Moves in one call, as a busy app batches them.
  private static let batch = 500
  /// Moves between two marks that everybody waits for: within what the sender's log holds, so that every single
  /// operation is delivered and none is replaced by a snapshot.
  private static let stride = 30_000
  /// Deliveries in all, about.
  private static let deliveries = 30_000_000

  /// How often each contender runs; its best counts, because what else the machine does slows it down for a while.
  private static let rounds = 1

  static let all = [1, 4, 8, 16, 32].map { peers in
    Benchmark(name: "anchor-fanout/\(peers)") { try await rows(peers) }
  }

  /// What one contender delivered, and at what cost.
  private typealias Run = (deliveries: Int, cost: Cost)

  /// The rate, and what a delivery takes, for a number of receivers: ours, and beside it plain TCP and other libraries.
  private static func rows(_ peers: Int) async throws -> [Row] {
    let (bytes, count) = (512 * 1024 * 1024 / peers, strides(for: peers) * stride)
    var raw: [Run] = []
    var others: [String: [Run]] = [:]
    func runOthers() throws {
      raw.append(try RawTCP.fanOut(receivers: peers, bytes: bytes))
      for library in libraries {
        let run = try library.fanOut(receivers: peers, count: count, stride: stride, size: RawTCP.frame)
        if let run { others[library.name, default: []].append(run) }
      }
    }
    // Contenders take turns, so that all of them meet the same noise.
    var ours: [Run] = []
    for _ in 0..<rounds {
      try runOthers()
      ours.append(try await Party.with(receivers: peers) { try await fanOut($0) })
    }
    try runOthers()
    return rows(peers, ours, against: "raw TCP, 40 KiB sends", raw)
      + libraries.flatMap { rows(peers, ours, against: $0.name, others[$0.name] ?? []) }
      + extras(peers, ours, raw)
  }

  private static let libraries = [PeerLibrary.nats, .natsSocket, .zeroMQ]

  /// Rate and processor time against one baseline; without a run of that, rows that say so.
  private static func rows(_ peers: Int, _ ours: [Run], against baseline: String, _ runs: [Run]) -> [Row] {
    // Plain TCP, which needs no word, gives the rows their plain names.
    let suffix = baseline.hasPrefix("raw") ? "" : "-" + baseline.lowercased()
    let best = (rate: ours.map(rate).max() ?? .nan, cpu: ours.map(cpu).min() ?? .nan)
    guard let theirs = runs.map(rate).max(), let theirCPU = runs.map(cpu).min() else {
      return [Row(name: "anchor-fanout\(suffix)/\(peers)", value: best.rate, unit: "deliveries/s", missing: baseline)]
    }
    return [
      Row(
        name: "anchor-fanout\(suffix)/\(peers)", value: best.rate, unit: "deliveries/s", baseline: baseline,
        baselineValue: theirs, ratio: best.rate / theirs),
      Row(
        name: "anchor-fanout-cpu\(suffix)/\(peers)", value: best.cpu, unit: "ns/delivery", baseline: baseline,
        baselineValue: theirCPU, ratio: best.cpu / theirCPU),
    ]
  }

  /// What a delivery asks of the kernel and of the heap.
  private static func extras(_ peers: Int, _ ours: [Run], _ raw: [Run]) -> [Row] {
    func least(_ runs: [Run], _ part: (Cost) -> Double) -> Double {
      runs.map { part($0.cost) / Double($0.deliveries) }.min() ?? .nan
    }
    let (calls, rawCalls) = (least(ours, \.calls), least(raw, \.calls))
    let blocks = least(ours, \.allocations)
    return [
      Row(
        name: "anchor-fanout-calls/\(peers)", value: calls, unit: "calls/delivery", baseline: "raw TCP, 40 KiB sends",
        baselineValue: rawCalls, ratio: calls / rawCalls),
      Row(
        name: "anchor-fanout-allocations/\(peers)", value: blocks, unit: "blocks/delivery", baseline: "one a delivery",
        baselineValue: 1, ratio: blocks),
    ]
  }

  /// Deliveries a second.
  private static func rate(_ run: Run) -> Double { Double(run.deliveries) / run.cost.seconds }

  /// Processor time a delivery (nanoseconds).
  private static func cpu(_ run: Run) -> Double { run.cost.cpu / Double(run.deliveries) * 1e9 }

  /// How often everybody waits for everybody, for a number of receivers.
  private static func strides(for peers: Int) -> Int { max(2, deliveries / stride / peers) }

  private static func fanOut(_ party: Party) async throws -> (deliveries: Int, cost: Cost) {
    let list = (0..<anchors).map { Anchor(name: "anchor \($0)") }
    try await party.sender.world.place(list)
    let strides = strides(for: party.receivers.count)
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
            try await party.sender.world.move(moves)
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
