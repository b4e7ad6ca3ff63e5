import CMachine
import SharedWorld

/// From the call that moves an anchor to the event that tells another peer's app, against plain TCP at the same pace.
enum LatencyRows {
  private static let anchors = 1000
  /// Messages that go first and are not counted: they find code and pages that nobody has touched yet.
  static let warmUp = 50

  static let all =
    [8, 32].flatMap { peers in
      [100, 1000].map { rate in
        Benchmark(name: "tap-latency/\(peers)/\(rate)") { try await taps(peers, rate) }
      }
    } + [Benchmark(name: "round-trip/one-cpu") { try await roundTrip() }]
    + AppPlace.allCases.map { place in
      Benchmark(name: "app-round-trip/\(place.rawValue)") { try await appRoundTrip(place) }
    }

  /// Where the code of an app runs that edits and reads events.
  private enum AppPlace: String, CaseIterable {
    case mainActor = "main-actor"
    case globalExecutor = "global-executor"
    case sessionExecutor = "session-executor"
  }

  // MARK: - One way

  private static func taps(_ peers: Int, _ rate: Int) async throws -> [Row] {
    let count = warmUp + max(300, 2 * rate)
    let before = try RawTCP.latencies(receivers: peers, rate: rate, count: count)
    let ours = try await Party.with(receivers: peers) { try await taps($0, rate, count) }
    let after = try RawTCP.latencies(receivers: peers, rate: rate, count: count)
    return [("p50", 0.5), ("p99", 0.99)].map { name, part in
      let (value, raw) = (ours.percentile(part), min(before.percentile(part), after.percentile(part)))
      return Row(
        name: "tap-latency-\(name)/\(peers)/\(rate)", value: value, unit: "µs", baseline: "raw TCP, one send a frame",
        baselineValue: raw, ratio: value / raw)
    }
  }

  private static func taps(_ party: Party, _ rate: Int, _ count: Int) async throws -> Latencies {
    let list = (0..<anchors).map { Anchor(name: "anchor \($0)") }
    try await party.sender.world.place(list)
    // Until the joiners have their places and have said so, the session is not idle.
    try await Task.sleep(for: .seconds(3))
    // Each is written before the update leaves that the other tasks learn its number from.
    let sent = UnsafeMutablePointer<UInt64>.allocate(capacity: count)
    defer { sent.deallocate() }
    nonisolated(unsafe) let times = sent
    return try await withThrowingTaskGroup(of: Latencies.self) { group in
      for receiver in party.receivers {
        group.addTask(executorPreference: receiver.executor) { await read(receiver.events, times) }
      }
      group.addTask(executorPreference: party.sender.executor) {
        for await number in RawTCP.ticks(count, rate: rate) {
          times[number] = Latencies.now
          let transform = Transform(translation: [Float(number + 1), 0, 0])
          try await party.sender.move(list[number % anchors].id, to: transform)
        }
        try await party.sender.place(Anchor(name: "mark"))
        return Latencies()
      }
      return try await group.reduce(into: Latencies()) { $0.add($1) }
    }
  }

  /// The times of all moves that are told until the mark; the number of a move is its x.
  private static func read(_ events: Session.Events, _ sent: UnsafeMutablePointer<UInt64>) async -> Latencies {
    var latencies = Latencies()
    var iterator = events.makeAsyncIterator()
    while let batch = await iterator.nextBatch() {
      for event in batch {
        switch event {
        case .anchorUpdated(let anchor, _):
          let number = Int(anchor.transform.translation.x) - 1
          if number >= warmUp { latencies.add(since: sent[number]) }
        case .anchorAdded(let anchor, _) where anchor.name == "mark": return latencies
        default: break
        }
      }
    }
    return latencies
  }

  // MARK: - There and back

  /// Everything on one processor, so that what is measured is work and not how an idle one wakes up.
  private static func roundTrip() async throws -> [Row] {
    let count = 30_000
    use_one_processor(1)
    defer { use_one_processor(0) }
    let before = try RawTCP.roundTrips(count: count)
    let ours = try await Party.with(receivers: 1) { try await roundTrips($0, count) }
    let after = try RawTCP.roundTrips(count: count)
    // A program that is started now keeps to the same processor.
    let other = try PeerLibrary.zeroMQ.roundTrips(count: count, size: RawTCP.frame)
    let raw = min(before.percentile(0.5), after.percentile(0.5))
    let value = ours.percentile(0.5)
    let name = "round-trip-zeromq/one-cpu"
    return [
      Row(
        name: "round-trip/one-cpu", value: value, unit: "µs", baseline: "raw TCP, two threads", baselineValue: raw,
        ratio: value / raw),
      other.map {
        Row(
          name: name, value: value, unit: "µs", baseline: "ZeroMQ", baselineValue: $0.median, ratio: value / $0.median)
      } ?? Row(name: name, value: value, unit: "µs", missing: "ZeroMQ"),
    ]
  }

  /// What the place of the app's code costs; the code of the other peer is always on its session's executor.
  private static func appRoundTrip(_ place: AppPlace) async throws -> [Row] {
    let count = 10_000
    let before = try RawTCP.roundTrips(count: count)
    let ours = try await Party.with(receivers: 1) { try await roundTrips($0, count, at: place) }
    let after = try RawTCP.roundTrips(count: count)
    return [("p50", 0.5), ("p99", 0.99)].map { name, part in
      let (value, raw) = (ours.percentile(part), min(before.percentile(part), after.percentile(part)))
      return Row(
        name: "app-round-trip-\(name)/\(place.rawValue)", value: value, unit: "µs",
        baseline: "raw TCP, two threads on two processors", baselineValue: raw, ratio: value / raw)
    }
  }

  private static func roundTrips(
    _ party: Party, _ count: Int, at place: AppPlace = .sessionExecutor
  ) async throws -> Latencies {
    let (near, far) = (party.sender, party.receivers[0])
    let echo = Task(executorPreference: far.executor) {
      for await event in far.events {
        guard case .anchorUpdated(let anchor, .remote) = event else { continue }
        try await far.move(anchor.id, to: anchor.transform)
      }
    }
    defer { echo.cancel() }
    let player =
      switch place {
      case .mainActor: Task { @MainActor in try await play(near, count) }
      case .globalExecutor: Task.detached { try await play(near, count) }
      case .sessionExecutor: Task(executorPreference: near.executor) { try await play(near, count) }
      }
    return try await player.value
  }

  /// Moves an anchor and waits until the other peer has moved it back, on whatever executor the caller is.
  private nonisolated(nonsending) static func play(_ session: Session, _ count: Int) async throws -> Latencies {
    let anchor = Anchor(name: "ball")
    var answers = session.events.makeAsyncIterator()
    try await session.place(anchor)
    var times = Latencies()
    for number in 0..<count {
      let start = Latencies.now
      try await session.move(anchor.id, to: Transform(translation: [Float(number + 1), 0, 0]))
      while let event = await answers.next() {
        if case .anchorUpdated(_, .remote) = event { break }
      }
      times.add(since: start)
    }
    return times
  }
}
