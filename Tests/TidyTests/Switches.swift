import Testing

/// A switch over an enum of ours names every case, so that a new case meets every place that must know it.
@Suite("Switches that name every case")
struct Switches {
  /// Files whose switches name cases and have a `default`, and why.
  static let open: [String: String] = [
    "Sources/PeerCLI/ProgramFailure.swift": "SessionError.Code is a struct, so that codes can be added",
    "Sources/WorldModel/Format/Salvage.swift": "SectionCode is any number that a file holds",
  ]

  /// Followers of events that pick out a few; a comment above each `default` says what they ignore.
  ///
  /// A new event is none of their business until somebody says so.
  static let followers: Set = [
    "Sources/Simulator/Session/SessionMonitor.swift", "Sources/WorldViewKit/Viewer/EventLog.swift",
    "Sources/WorldViewKit/Viewer/Viewer.swift",
  ]

  @Test("a switch over our enums has no default, but for those that follow events and say what they ignore")
  func defaults() {
    let found = Repository.swift.filter { $0.module != nil }.flatMap { file in
      Self.defaults(in: file.code).map { (path: file.path, line: $0) }
    }
    report(
      found.filter { Self.open[$0.path] == nil && !Self.followers.contains($0.path) }.map {
        Finding(path: $0.path, line: $0.line, advice: "write the cases out, or list the file in Switches.swift")
      })
    let unexplained = found.filter {
      Self.followers.contains($0.path) && !Self.isExplained($0.line, in: Repository.text($0.path))
    }
    report(
      unexplained.map {
        Finding(path: $0.path, line: $0.line, advice: "say in a comment above the default what it ignores, and why")
      })
    for path in Self.followers.union(Self.open.keys) where !found.contains(where: { $0.path == path }) {
      Issue.record("\(path) has no such switch: take it off the list in Switches.swift")
    }
  }

  @Test("a switch over numbers, text or types may have a default, one over cases may not")
  func recognized() {
    let code = """
      switch number {
      case 0..<3, limit: .a
      case (4, _): .b
      default: .c
      }
      switch error {
      case let error as Failure: .a
      default:
        switch (phase, link) {
        case (let first,
          .b(let x)) where x:
          break
        @unknown default: break
        }
      }
      switch state {
      case .a: 1
      case 3: 2
      default: 3
      }
      """
    #expect(Self.defaults(in: code) == [13, 19])
  }

  @Test("a default is explained by a comment on the line before")
  func explained() {
    let code = """
      case .a: 1
      // The others do not matter.
      default: 2
      }
      default: 3
      """
    #expect(Self.isExplained(3, in: code) && !Self.isExplained(5, in: code))
  }

  private static func isExplained(_ number: Int, in text: String) -> Bool {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines[number - 2].drop { $0 == " " }.hasPrefix("//")
  }

  /// The lines of the defaults that stand in a switch of which a pattern begins with a dot.
  private static func defaults(in code: String) -> [Int] {
    let lines = code.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.indices.filter { number in
      let line = lines[number].drop { $0 == " " }
      guard line.hasPrefix("default:") || line.hasPrefix("@unknown default:") else { return false }
      return namesCases(before: number, in: lines)
    }.map { $0 + 1 }
  }

  /// Whether the switch that ends at line `number` names a case in one of its labels.
  ///
  /// The formatter gives all labels of a switch one indentation, which only the brace of a nested block shares.
  private static func namesCases(before number: Int, in lines: [Substring]) -> Bool {
    let indentation = lines[number].prefix { $0 == " " }
    for index in (0..<number).reversed() where lines[index].hasPrefix(indentation) {
      let line = lines[index].dropFirst(indentation.count)
      if line.first == " " || line.isEmpty { continue }
      guard line.hasPrefix("case ") else { return false }
      if label(from: index, in: lines).contains(#/[\s(,]\.[a-z]/#) { return true }
    }
    return false
  }

  /// The patterns of a case, over as many lines as they take.
  private static func label(from start: Int, in lines: [Substring]) -> String {
    var text = ""
    for line in lines[start...] {
      text += line
      if let end = text.firstIndex(of: ":") { return String(text[..<end]) }
    }
    return text
  }
}
