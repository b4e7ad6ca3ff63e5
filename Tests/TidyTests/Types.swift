import Testing

@Suite("Types that a reader can hold")
struct Types {
  static let mostProperties = 20

  /// Types with more stored properties, and why.
  static let large: [String: String] = [
    "HostElection": "the state of the election, explored as one value by the model checker",
    "SessionPeer": "what a simulated machine keeps: node, disk, app and connections",
  ]

  @Test("no type stores many properties")
  func properties() {
    let found = Repository.swift.filter { $0.module != nil }.flatMap { file in
      StoredProperties.count(in: file.code).map { (file: file.path, type: $0.key, count: $0.value) }
    }
    #expect(found.contains { $0.type == "Node" && $0.count > 5 }, "the count does not work")
    report(
      found.filter { $0.count > Self.mostProperties && Self.large[$0.type] == nil }.map {
        Finding(
          path: $0.file, line: 1,
          advice: "\($0.type) stores \($0.count) properties, at most \(Self.mostProperties): give a part of it a type")
      })
    for name in Self.large.keys {
      #expect(
        found.contains { $0.type == name && $0.count > Self.mostProperties },
        "\(name) is small: take it off the list in Types.swift")
    }
  }

  @Test("stored properties are those that have no body")
  func counted() {
    let code = """
      struct A {
        let x, y: Int
        private(set) var z = [1].map { $0 }
        var computed: Int { x }
        static var shared = 1
        func f() {
          let local = 1
        }
      }
      """
    #expect(StoredProperties.count(in: code) == ["A": 2])
  }
}

/// Counts the stored properties of types, by the lines that declare them.
enum StoredProperties {
  private static let modifiers: Set<Substring> = [
    "public", "package", "internal", "private", "fileprivate", "final", "weak", "unowned", "lazy", "nonisolated",
    "unsafe", "indirect", "set",
  ]

  /// The number of each type that a file declares or extends, by its name.
  static func count(in code: String) -> [String: Int] {
    var counts: [String: Int] = [:]
    var types: [(name: String, depth: Int)] = []
    var depth = 0
    for line in code.split(separator: "\n") {
      let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.drop { modifiers.contains($0) }
      if let name = declared(words) {
        types.append((name, depth))
      } else if let type = types.last, depth == type.depth + 1, words.first == "var" || words.first == "let" {
        let (body, value) = (line.firstIndex(of: "{"), line.firstIndex(of: "="))
        let isComputed = body.map { body in value.map { body < $0 } ?? true } ?? false
        if !isComputed { counts[type.name, default: 0] += 1 }
      }
      for character in line where character == "{" || character == "}" {
        depth += character == "{" ? 1 : -1
        while character == "}", let type = types.last, depth <= type.depth { types.removeLast() }
      }
    }
    return counts
  }

  private static func declared(_ words: some Collection<Substring>) -> String? {
    let kinds: Set<Substring> = ["struct", "class", "actor", "enum", "extension", "protocol"]
    guard let kind = words.first, kinds.contains(kind), let name = words.dropFirst().first, name != "func" else {
      return nil
    }
    return String(name)
  }
}
