import Testing

/// Declarations are as narrow as their users allow, and each type has a name of its own.
@Suite("Declarations that somebody needs")
struct Declarations {
  /// Members that a protocol asks for: their callers name the protocol's member, if any.
  static let witnesses: Set<Substring> = [
    "enqueue", "checkIsolated", "endRound", "appendLiteral", "appendInterpolation", "wantsReceipts",
  ]

  /// Names that two types have, and why.
  static let namedTwice: [Substring: String] = [
    "Ownership": "an organ, which no other module sees, and the public value that a session hands out"
  ]

  @Test("a member that tests alone name is in the tests")
  func testOnly() {
    let found = Self.testOnly(in: Repository.swift.map { ($0.path, $0.code) })
    report(
      found.map {
        Finding(
          path: $0.path, line: $0.line,
          advice: "tests alone name \($0.name): put it into an extension there, or remove it")
      })
  }

  @Test("a member that the product names twice, that is private, or that no test names is not for tests alone")
  func testOnlyIsFound() {
    let product = """
      struct A {
        package private(set) var one = 1
        var used: Int { one }
        static func two() -> Int { used }
        private func three() {}
        func four() {}
      }
      """
    let files = [("Sources/A/a.swift", product), ("Tests/T/t.swift", "a.one + A.two() + a.used + a.three()")]
    let found = Self.testOnly(in: files)
    #expect(found.map(\.name) == ["two"] && found.map(\.line) == [4])
  }

  @Test("a package member has a user outside its module")
  func users() {
    let unused = Self.unused(in: Repository.swift.map { ($0.module, $0.path, $0.code) })
    report(unused)
  }

  @Test("no two types of the modules have one name")
  func names() {
    var seen: [Substring: SourceFile] = [:]
    var doubled: Set<Substring> = []
    for file in Repository.swift where file.module != nil {
      for (name, line) in Self.types(in: file.code) {
        guard let other = seen.updateValue(file, forKey: name) else { continue }
        doubled.insert(name)
        if Self.namedTwice[name] == nil {
          report([Finding(path: file.path, line: line, advice: "\(name) is declared in \(other.path) too: rename one")])
        }
      }
    }
    for name in Set(Self.namedTwice.keys).subtracting(doubled).sorted() {
      Issue.record("\(name) is one type: take it off the list in Declarations.swift")
    }
  }

  @Test("a use in another module or in a test counts, one in the own module does not")
  func counted() {
    let declaring = "package func used() {}\n@inlinable package static var unused: Int { used() }\npackage import B\n"
    let files: [(String?, String, String)] = [
      ("A", "Sources/A/a.swift", declaring), ("A", "Sources/A/b.swift", "unused"), (nil, "Tests/T/t.swift", "a.used()"),
    ]
    #expect(Self.unused(in: files).map(\.line) == [2])
    #expect(Self.unused(in: [("A", "a", "  package private(set) var `in` = 1")]).count == 1)
    #expect(Self.unused(in: [("A", "a", "  package static func += (a: inout A, b: A) {}")]).isEmpty)
  }

  @Test("a type is declared at the left edge, behind any modifiers")
  func declared() {
    let code = "public final class A {\n  struct B {}\n}\nextension C {}\n@frozen public enum D<E> {}\nfunc f() {}\n"
    #expect(Self.types(in: code).map(\.name) == ["A", "D"])
  }

  /// The members of the product, not public or private, whose name stands there once and in tests too.
  private static func testOnly(
    in files: [(path: String, code: String)]
  ) -> [(name: Substring, path: String, line: Int)] {
    var uses: [Substring: Int] = [:]
    for file in files where !file.path.hasPrefix("Tests/") {
      for word in words(of: Substring(file.code)) { uses[word, default: 0] += 1 }
    }
    let tests = files.filter { $0.path.hasPrefix("Tests/") }
    let tested = Set(tests.flatMap { words(of: Substring($0.code)) })
    return files.filter { $0.path.hasPrefix("Sources/") }.flatMap { file in
      hidden(in: file.code).filter { uses[$0.name] == 1 && tested.contains($0.name) && !witnesses.contains($0.name) }
        .map { ($0.name, file.path, $0.line) }
    }
  }

  /// The functions and values that are neither public nor private, with their lines.
  private static func hidden(in code: String) -> [(name: Substring, line: Int)] {
    lines(of: code).compactMap { number, line in
      let words = words(of: line)
      let rest = words.drop { modifiers.contains($0) }
      guard let kind = rest.first, ["func", "var", "let"].contains(kind), let name = rest.dropFirst().first else {
        return nil
      }
      let before = words[..<rest.startIndex]
      let isSetterAlone = zip(before, before.dropFirst()).contains { $0 == "private" && $1 == "set" }
      let isPrivate = before.contains("fileprivate") || before.contains("private") && !isSetterAlone
      return isPrivate || before.contains("public") ? nil : (name, number)
    }
  }

  /// The members of `package` access that no file outside their module names.
  ///
  /// Names are compared, not symbols: a member with the name of another one counts as used. Types are left out, since a
  /// signature can use one without a word at the caller's.
  private static func unused(
    in files: [(module: String?, path: String, code: String)]
  ) -> [Finding] {
    var declared: [(module: String, path: String, name: Substring, line: Int)] = []
    for file in files {
      guard let module = file.module else { continue }
      declared += members(in: file.code).map { (module, file.path, $0.name, $0.line) }
    }
    let names = Set(declared.map(\.name))
    var users: [Substring: Set<String?>] = [:]
    for file in files {
      for word in words(of: Substring(file.code)) where names.contains(word) {
        users[word, default: []].insert(file.module)
      }
    }
    return declared.filter { users[$0.name] == [$0.module] && !witnesses.contains($0.name) }.map { member in
      let advice = "\(member.name) has no user outside \(member.module): remove \"package\""
      return Finding(path: member.path, line: member.line, advice: advice)
    }
  }

  /// The functions and values of `package` access, with their lines.
  private static func members(in code: String) -> [(name: Substring, line: Int)] {
    lines(of: code).compactMap { number, line in
      guard line.contains("package ") else { return nil }
      let words = words(of: line)
      guard let access = words.firstIndex(of: "package") else { return nil }
      let rest = words[(access + 1)...].drop { modifiers.contains($0) }
      guard let kind = rest.first, ["func", "var", "let"].contains(kind) else { return nil }
      // An operator has no name that a caller would write as a word.
      guard kind.endIndex < line.endIndex, line[kind.endIndex...].drop(while: \.isWhitespace).first?.isOperator != true
      else { return nil }
      return rest.dropFirst().first.map { ($0, number) }
    }
  }

  /// The types declared at the top level of a file, with their lines.
  private static func types(in code: String) -> [(name: Substring, line: Int)] {
    lines(of: code).compactMap { number, line in
      guard line.first?.isLetter == true || line.first == "@" else { return nil }
      let rest = words(of: line).drop { modifiers.contains($0) }
      guard let kind = rest.first, kinds.contains(kind) else { return nil }
      return rest.dropFirst().first.map { ($0, number) }
    }
  }

  private static let kinds: Set<Substring> = ["struct", "enum", "class", "actor", "protocol"]
  private static let modifiers: Set<Substring> = [
    "public", "package", "private", "fileprivate", "internal", "set", "static", "final", "mutating", "nonmutating",
    "nonisolated", "consuming", "borrowing", "indirect", "override", "weak", "unowned", "lazy", "frozen", "inlinable",
    "inline", "__always", "usableFromInline", "discardableResult",
  ]

  private static func lines(of code: String) -> [(number: Int, line: Substring)] {
    code.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { ($0.offset + 1, $0.element) }
  }

  /// The identifiers and keywords of `code`.
  static func words(of code: Substring) -> [Substring] {
    // By bytes: characters would take a minute.
    code.utf8.split { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): false
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): false
      default: byte < 0x80
      }
    }.map { Substring($0) }
  }
}

extension Character {
  /// Whether an operator can begin with it.
  fileprivate var isOperator: Bool { "+-*/%<>=!&|^~?".contains(self) }
}
