import Testing

@Suite("Sizes that a reader can hold")
struct Sizes {
  static let longestFile = 500
  static let longestFunction = 70

  @Test("no file is long")
  func files() {
    report(
      Repository.written.filter { !$0.path.hasSuffix(".md") }.compactMap { file in
        let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false).count
        guard lines > Self.longestFile + 1 else { return nil }
        return Finding(
          path: file.path, line: Self.longestFile + 1,
          advice: "\(lines) lines, at most \(Self.longestFile): split it by what it does")
      })
  }

  @Test("no function is long")
  func functions() {
    report(
      Repository.swift.flatMap { file in
        FunctionLengths.measure(file.code).filter { $0.lines > Self.longestFunction }.map {
          Finding(
            path: file.path, line: $0.line,
            advice: "a function of \($0.lines) lines, at most \(Self.longestFunction): give a part of it a name")
        }
      })
  }

  @Test("lengths are counted from the declaration to its closing brace")
  func measured() {
    let code = """
      protocol P {
        func bodiless()
        var x: Int { get }
      }
      func one() { }
      init(
        a: Int = f { 3 }
      ) {
        let b = [a].map {
          $0
        }
      }
      """
    #expect(FunctionLengths.measure(code) == [.init(line: 5, lines: 1), .init(line: 6, lines: 7)])
  }
}

/// Finds the functions of Swift code and how long they are.
enum FunctionLengths {
  struct Function: Equatable {
    /// Where its declaration begins, from 1.
    let line: Int
    let lines: Int
  }

  /// The functions and initialisers that have a body, in order, nested ones too.
  static func measure(_ code: String) -> [Function] {
    let lines = code.split(separator: "\n", omittingEmptySubsequences: false).map(Array.init)
    var found: [Function] = []
    for (number, line) in lines.enumerated() where declaresFunction(line) {
      if let end = lastLine(of: number, in: lines) { found.append(Function(line: number + 1, lines: end - number + 1)) }
    }
    return found
  }

  private static func declaresFunction(_ line: [Character]) -> Bool {
    let words = String(line).split { !$0.isLetter && !$0.isNumber && $0 != "_" }
    let modifiers: Set<Substring> = [
      "public", "package", "internal", "private", "fileprivate", "static", "class", "final", "override", "mutating",
      "nonmutating", "consuming", "borrowing", "nonisolated", "convenience", "required", "isolated", "open", "inout",
    ]
    guard let first = words.first(where: { !modifiers.contains($0) }) else { return false }
    return first == "func" || first == "init" || first == "deinit" || first == "subscript"
  }

  /// The line of the brace that closes the declaration of line `start`, or nil for one without a body.
  private static func lastLine(of start: Int, in lines: [[Character]]) -> Int? {
    var parentheses = 0
    var braces = 0
    for number in start..<lines.count {
      if number > start, parentheses == 0, braces == 0, beginsAnother(lines[number]) { return nil }
      for character in lines[number] {
        switch character {
        case "(": parentheses += 1
        case ")": parentheses -= 1
        case "{" where parentheses == 0: braces += 1
        case "}" where parentheses == 0:
          braces -= 1
          if braces <= 0 { return braces == 0 ? number : nil }
        default: break
        }
      }
    }
    return nil
  }

  private static func beginsAnother(_ line: [Character]) -> Bool {
    let first = String(line).split(separator: " ").first ?? ""
    return declaresFunction(line) || ["var", "let", "case", "}", "associatedtype"].contains(String(first))
  }
}
