import SharedWorld

/// What a member of a session costs, by the numbers of peers and of anchors; `Scripts/growth.sh` makes the table.
///
/// Each cell wants a process of its own, since memory that was used once does not go back.
enum GrowthRows {
  /// How long nothing happens while the cost of rest is measured (seconds).
  private static let rest = 6
  private static let updates = 200

  static let all = [2, 4, 8, 16, 32, 64].flatMap { peers in
    [10, 100, 1_000, 10_000, 65_536].map { anchors in
      Benchmark(name: "growth/\(peers)/\(anchors)", isOnRequest: true) { try await rows(peers, anchors) }
    }
  }

  private static func rows(_ peers: Int, _ anchors: Int) async throws -> [Row] {
    let before = Cost.residentBytes
    return try await Party.with(receivers: peers - 1) { party in
      try await fill(party, anchors)
      let memory = Double(Cost.residentBytes - before) / Double(peers)
      let start = await bytesSent(by: party)
      let atRest = try await Cost.of { try await Task.sleep(for: .seconds(rest)) }
      let restBytes = Double(await bytesSent(by: party) - start) / atRest.seconds
      let first = await bytesSent(by: party)
      let busy = try await Cost.of { try await update(party) }
      let moved = Double(await bytesSent(by: party) - first) - restBytes * busy.seconds
      let cpu = busy.cpu - atRest.cpu / atRest.seconds * busy.seconds
      func row(_ what: String, _ value: Double, _ unit: String, _ baseline: String, _ baselineValue: Double) -> Row {
        Row(
          name: "growth-\(what)/\(peers)/\(anchors)", value: value, unit: unit, baseline: baseline,
          baselineValue: baselineValue, ratio: value / baselineValue)
      }
      let (count, others) = (Double(peers), Double(peers - 1))
      let deliveries = Double(updates) * others
      return [
        row("rest-cpu", atRest.cpu / atRest.seconds / count * 100, "% of a core", "a core", 100),
        row("rest-bytes", restBytes / count, "bytes/s", "a ping a second to each", 13 * others),
        row("memory", memory / 1e6, "MB", "310 bytes an anchor", 310 * Double(anchors) / 1e6),
        row("update-bytes", moved / deliveries, "bytes/delivery", "a frame of raw TCP", Double(RawTCP.frame)),
        row("update-cpu", cpu / deliveries * 1e6, "µs/delivery", "a microsecond", 1),
      ]
    }
  }

  /// Places the anchors, a thousand a step, and waits until everybody has and has hashed them.
  private static func fill(_ party: Party, _ anchors: Int) async throws {
    for first in stride(from: 0, to: anchors, by: 1_000) {
      let last = min(first + 1_000, anchors)
      try await party.sender.world.place((first..<last).map { Anchor(name: "\(1_000_000_000 + $0)") })
    }
    for receiver in party.receivers {
      while await receiver.state.anchorCount < anchors { try await Task.sleep(for: .milliseconds(20)) }
    }
    // Otherwise all would hash what they have in the first seconds of rest.
    for session in [party.sender] + party.receivers { _ = await session.world.digest }
  }

  /// Moves one anchor after the other, a hundred a second, so that each update leaves by itself.
  private static func update(_ party: Party) async throws {
    let anchors = await party.sender.world.anchors
    for number in 0..<updates {
      let transform = Transform(translation: [Float(number), 0, 0])
      try await party.sender.move(anchors[number % anchors.count].id, to: transform)
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Bytes that all have sent, without what TLS and TCP add.
  private static func bytesSent(by party: Party) async -> Int {
    var sum = 0
    for session in [party.sender] + party.receivers {
      for peer in await session.state.peers { sum += Int(peer.bytesSent) }
    }
    return sum
  }
}
