import Testing

@Suite("Types that a reader can hold")
struct Types {
  static let mostProperties = 20

  /// Types with more stored properties, and why.
  static let large: [String: String] = [
    "HostElection": "the state of the election, explored as one value by the model checker",
    "NodeConfiguration": "one setting each, read where it applies",
    "SessionPeer": "what a simulated machine keeps: node, disk, app and connections",
  ]

  static let mostFiles = 4

  /// Types that spread over more files, over how many, and why.
  static let spread: [String: (files: Int, why: String)] = [
    "WorldModel.Anchor": (5, "its properties, kinds, rules, bytes and JSON, a file each"),
    "AnchorReplication.AnchorSet": (
      9, "edits, operations, cuts, log, journal and snapshots each read and write all of it"
    ),
    "PeerProtocol.Turn": (14, "each organ adds the calls that it alone defines for all: flood, route, grant, say"),
    "SharedWorld.Session": (21, "the API of an app: members, roles, anchors, maps, events, version, a file each"),
    "WorldViewKit.Viewer": (5, "requests, state, map with anchors, and browsers that are members, a file each"),
    "worldpeer.Program": (8, "commands, events, files, streams, invitations and the terminal of one program"),
  ]

  @Test("the switchboard stores the organs, what they share, and the notices of the last call")
  func switchboard() throws {
    let node = try #require(Repository.swift.first { $0.path == "Sources/PeerProtocol/Node/Node.swift" })
    #expect(try #require(StoredProperties.count(in: node.code)["Node"]) == Organs.all.count + 2)
  }

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

  @Test("a type spreads over few files of its module")
  func files() {
    var files: [String: Int] = [:]
    var declared: Set<String> = []
    for file in Repository.swift {
      guard let module = file.module else { continue }
      for (type, isDeclared) in Spread.types(in: file.code) {
        files["\(module).\(type)", default: 0] += 1
        if isDeclared { declared.insert("\(module).\(type)") }
      }
    }
    #expect(files["PeerProtocol.Node", default: 0] > 2, "the count does not work")
    for (name, count) in files.sorted(by: { $0.key < $1.key }) where declared.contains(name) {
      let limit = Self.spread[name]?.files ?? Self.mostFiles
      if count > limit { Issue.record("\(name) spreads over \(count) files, at most \(limit): join some of them") }
    }
    for (name, exception) in Self.spread where files[name] != exception.files {
      Issue.record("\(name) spreads over \(files[name] ?? 0) files, not \(exception.files): correct Types.swift")
    }
  }

  @Test("a type is in a file that declares or extends it at the left edge")
  func spreadIsCounted() {
    let code = "@frozen public enum A {\n  struct B {}\n}\nextension C.D: E {}\nprivate extension A {}\nfunc f() {}\n"
    #expect(Spread.types(in: code) == ["A": true, "C.D": false])
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

/// The files of one module that declare or extend each of its types, at the top level.
enum Spread {
  private static let modifiers: Set<Substring> = [
    "public", "package", "internal", "private", "fileprivate", "final", "indirect", "nonisolated", "frozen",
    "nonexhaustive", "usableFromInline", "inlinable",
  ]

  /// The types that `code` declares or extends, and whether it declares them.
  static func types(in code: String) -> [String: Bool] {
    var found: [String: Bool] = [:]
    for line in code.split(separator: "\n") where line.first?.isLetter == true || line.first == "@" {
      let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." }
      let rest = words.drop { modifiers.contains($0) }
      guard let kind = rest.first, let name = rest.dropFirst().first else { continue }
      switch kind {
      case "struct", "class", "actor", "enum", "protocol": found[String(name)] = true
      case "extension": found[String(name)] = found[String(name)] ?? false
      default: continue
      }
    }
    return found
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
