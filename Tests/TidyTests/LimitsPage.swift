import Testing

/// The page of limits shows the numbers of the code.
@Suite("The page of limits")
struct LimitsPage {
  private static let path = "Sources/SharedWorld/SharedWorld.docc/LimitsAndTimes.md"
  /// Where the constants of each type are.
  private static let files = [
    "AdmissionGate": "Sources/PeerTransport/Net/AdmissionGate.swift",
    "Events": "Sources/SharedWorld/Session/SessionEvents.swift", "Limits": "Sources/WorldModel/Model/Limits.swift",
    "LogPace": "Sources/SharedWorld/Logging/LogDesk.swift",
    "ProtocolLimits": "Sources/PeerProtocol/ProtocolLimits.swift",
    "ProtocolTimes": "Sources/PeerProtocol/ProtocolLimits.swift",
    "ReplicationLimits": "Sources/AnchorReplication/ReplicationLimits.swift",
  ]
  private static let codes = files.mapValues { Scrubber.code(of: Repository.text($0)) }

  @Test("every number is that of its constant")
  func numbers() {
    let rows = Self.rows(of: Repository.text(Self.path))
    #expect(rows.count > 40)
    report(
      rows.compactMap { row in
        let value = Self.value(of: row.constant) ?? "unknown"
        guard value != row.value else { return nil }
        return Finding(path: Self.path, line: row.line, advice: "\(row.constant) is \(value), not \(row.value)")
      })
  }

  @Test("constants are read as they are written, products and other constants too")
  func read() {
    let code = """
      enum A {
        package static let one: Duration = .seconds(60)
        static let two = 64 * 1_024
        var three = two * B.four
        static let five = 0.5
      }
      enum B { static let four = 2 }
      """
    let value = { Self.value(of: $0, in: ["A": code, "B": code]) }
    #expect(value("A.one") == "60 s" && value("A.two") == "65,536" && value("A.three") == "131,072")
    #expect(value("A.five") == nil && value("C.one") == nil)
    #expect(Self.rows(of: "| x | 1,024 | `A.b` |\n").map(\.value) == ["1,024"])
  }

  private static func rows(of page: String) -> [(line: Int, value: String, constant: String)] {
    page.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { number, line in
      line.wholeMatch(of: /\| .* \| (.*) \| `(\w+\.\w+)` \|/).map { (number + 1, String($0.1), String($0.2)) }
    }
  }

  private static func value(of constant: String) -> String? { value(of: constant, in: codes) }

  /// The value of `TYPE.NAME` as the page shows it: digits in groups, or a time.
  private static func value(of constant: String, in codes: [String: String]) -> String? {
    guard let text = text(of: constant, in: codes) else { return nil }
    if let time = text.wholeMatch(of: /\.(seconds|milliseconds)\((\d+)\)/) {
      return "\(time.2) \(time.1 == "seconds" ? "s" : "ms")"
    }
    return number(text, of: constant, in: codes).map(grouped)
  }

  /// What stands behind the equals sign.
  private static func text(of constant: String, in codes: [String: String]) -> String? {
    let parts = constant.split(separator: ".")
    guard parts.count == 2, let code = codes[String(parts[0])] else { return nil }
    for line in code.split(separator: "\n") where line.contains(" \(parts[1])") {
      let match = line.firstMatch(of: /\b(?:let|var) (\w+)(?:: \w+)? = ([^{}]*)/)
      guard let match, match.1 == parts[1] else { continue }
      return String(match.2.reversed().drop { $0 == " " }.reversed())
    }
    return nil
  }

  private static func number(_ text: String, of constant: String, in codes: [String: String]) -> Int? {
    let type = constant.prefix { $0 != "." }
    return text.split(separator: " * ").reduce(Optional(1)) { product, factor in
      let digits = factor.filter { $0 != "_" }
      let other = factor.contains(".") ? String(factor) : "\(type).\(factor)"
      let value = Int(digits) ?? self.text(of: other, in: codes).flatMap { number($0, of: other, in: codes) }
      return product.flatMap { product in value.map { product * $0 } }
    }
  }

  private static func grouped(_ number: Int) -> String {
    let digits = Array("\(number)")
    return String(
      digits.indices.flatMap { index in
        index > 0 && (digits.count - index).isMultiple(of: 3) ? [",", digits[index]] : [digits[index]]
      })
  }
}
