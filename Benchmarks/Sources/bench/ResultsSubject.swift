/// The subjects of the page of results, each with one plot: groups of rows that answer one question.
struct ResultsSubject: Equatable {
  /// The name of its plot.
  let name: String
  let title: String
  /// The groups, in the order in which they are shown.
  let groups: [String]

  static let all = [
    ResultsSubject(
      name: "anchors", title: "An edited anchor reaches every member",
      groups: [
        "anchor-fanout", "anchor-fanout-nats", "anchor-fanout-nats-socket", "anchor-fanout-zeromq", "anchor-fanout-cpu",
        "anchor-fanout-cpu-nats", "anchor-fanout-cpu-nats-socket", "anchor-fanout-cpu-zeromq", "anchor-fanout-calls",
        "anchor-fanout-allocations",
      ]),
    ResultsSubject(
      name: "messages", title: "Messages",
      groups: [
        "message-fanout", "message-fanout-cpu", "message-all", "message-all-cpu", "message-json", "message-json-cpu",
        "message-all-memory", "message-minute",
      ]),
    ResultsSubject(
      name: "latency", title: "From a tap to the others, round trips, and joins",
      groups: [
        "tap-latency-p50", "tap-latency-p99", "round-trip", "round-trip-zeromq", "app-round-trip-p50",
        "app-round-trip-p99", "request-roundtrip", "join-cost",
      ]),
    ResultsSubject(
      name: "transfers", title: "Maps and files on their way",
      groups: ["map-transfer", "map-transfer-cpu", "map-update", "resource-transfer"]),
    ResultsSubject(
      name: "maps", title: "Maps as files",
      groups: ["map-size", "map-encode", "map-encode-2threads", "map-decode", "map-decode-2threads", "map-memory"]),
    ResultsSubject(
      name: "geometry", title: "Finding points, and the set of anchors",
      groups: ["hit-test", "index", "anchorset-apply", "anchorset-merge", "anchor-memory"]),
    ResultsSubject(
      name: "growth", title: "Members and anchors, more and more of them",
      groups: [
        "growth-update-cpu", "growth-update-bytes", "growth-rest-cpu", "growth-rest-bytes", "growth-memory", "idle-cpu",
        "simulated-second",
      ]),
    ResultsSubject(
      name: "attack", title: "Floods of strangers",
      groups: ["attack-latency-p99", "attack-memory", "attack-descriptors"]),
  ]

  /// The subjects of these groups, with one of their own for those that no subject has.
  static func covering(_ groups: [String]) -> [ResultsSubject] {
    let known = Set(all.flatMap(\.groups))
    let others = groups.filter { !known.contains($0) }
    let rest = others.isEmpty ? [] : [ResultsSubject(name: "others", title: "Other figures", groups: others)]
    return (all + rest).filter { subject in subject.groups.contains { groups.contains($0) } }
  }
}
