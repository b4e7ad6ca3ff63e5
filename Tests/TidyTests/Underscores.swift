import Testing

/// An attribute with an underscore is no part of Swift: a later compiler may take it away from those who import a declaration.
///
/// `@_lifetime` stands on readers of bytes alone, which are `package`: a scope with a closure would copy, or cost each field a
/// call. `@_exported` lets an app import one module; nothing else does that yet.
@Suite("Attributes that Swift does not promise")
struct Underscores {
  @Test("no public declaration has an attribute with an underscore, but for modules that are handed on")
  func publicDeclarations() {
    report(
      Repository.swift.filter { $0.module != nil }.flatMap { file in
        Self.lines(in: file.code).map {
          Finding(path: file.path, line: $0, advice: "an importer sees this attribute: make it package, or do without")
        }
      })
  }

  @Test("such declarations are found")
  func recognized() {
    let code = """
      @_exported public import Basics
      @_lifetime(copy self)
      package func read() -> RawSpan
      @_lifetime(copy self)
      @inlinable public func read() -> RawSpan
      @_spi(Tests) public var count: Int
      """
    #expect(Self.lines(in: code) == [5, 6])
  }

  private static func lines(in code: String) -> [Int] {
    var (found, isMarked) = ([Int](), false)
    for (index, line) in code.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      isMarked = isMarked || line.contains(#/^ *@_/#)
      // The attributes of a declaration may stand on lines of their own.
      let words = line.replacing(#/@\w+(\([^)]*\))?/#, with: "").split(separator: " ")
      guard let word = words.first else { continue }
      if isMarked, word == "public", !line.contains(" import ") { found.append(index + 1) }
      isMarked = false
    }
    return found
  }
}
