import Foundation
@testable import PeerProtocol
import Testing

/// The table of frames as others read it: people in PROTOCOL.md, other implementations in `Fixtures/Wire/frames.json`.
///
/// `WRITE_FIXTURES=1 swift test --filter FrameTable` writes both.
@Suite("The table of frames")
struct FrameTableTests {
  /// One frame as an implementation in another language needs it.
  struct Row: Encodable {
    let number: UInt8
    let name: String
    /// The states of a link in which it is legal.
    let links: [String]
    /// The largest body (bytes).
    let limit: Int
    /// The title of the page that describes it, and one sentence on the content.
    let page, content: String
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../..").standardizedFileURL

  /// The rows in the order of their numbers.
  static let rows: [Row] = {
    let comments = Self.comments(in: text("Sources/PeerProtocol/Wire/FrameTable.swift"))
    return FrameType.allCases.sorted { $0.rawValue < $1.rawValue }.map { type in
      let comment = comments["\(type)"] ?? ("", "")
      return Row(
        number: type.rawValue, name: words(of: "\(type)"),
        links: LinkKind.allCases.filter { type.rule.links.contains(LinkKinds($0)) }.map { "\($0)" },
        limit: type.rule.limit, page: comment.page, content: comment.content)
    }
  }()

  @Test("the page and frames.json are made of it")
  func made() throws {
    let files = ["PROTOCOL.md": try Self.page(Self.text("PROTOCOL.md")), "Fixtures/Wire/frames.json": try Self.json()]
    for (path, text) in files {
      if ProcessInfo.processInfo.environment["WRITE_FIXTURES"] != nil {
        try Data(text.utf8).write(to: Self.root.appending(path: path), options: .atomic)
      }
      let isMade = Self.text(path) == text
      #expect(isMade, "\(path) is another one: WRITE_FIXTURES=1 swift test --filter FrameTable writes it")
    }
  }

  @Test("every frame has its content in a sentence, under a page that describes it", arguments: rows.indices)
  func described(_ index: Int) throws {
    let row = Self.rows[index]
    #expect(row.content.hasSuffix("."), "\(row.name)")
    let link = "| [\(row.page)]("
    let rest = try #require(Self.text("PROTOCOL.md").components(separatedBy: link).dropFirst().first, "\(row.name)")
    let page = Self.text(String(rest.prefix { $0 != ")" }))
    let isThere = ["(\(row.number))", "| \(row.number) |"].contains { page.contains($0) }
    #expect(isThere, "\(row.page) does not describe \(row.name) (\(row.number))")
  }

  /// Bodies whose golden bytes lie in files of their own, with tests that know more of their content.
  private static let elsewhere: Set<FrameType> = [.election, .linkAnnouncement, .operations, .vector, .snapshot]

  @Test("every frame has a golden vector, within its limit")
  func golden() {
    let types = Set(FrameTests.golden.values.compactMap { FrameType(rawValue: $0[FrameHead.size - 1]) })
    #expect(types.union(Self.elsewhere) == Set(FrameType.allCases))
    for frame in FrameCase.all { #expect(frame.body.count <= frame.type.rule.limit, "\(frame.name)") }
  }

  @Test("a comment belongs to the case after it, a mark to all cases after it")
  func commentsAreRead() {
    let first = "  // MARK: A\n\n  /// One\n  /// two.\n  case b = 1\n  case c = 2\n"
    let comments = Self.comments(in: first + "  // MARK: D e\n  /// Three.\n  case f = 3\n")
    #expect(comments["b"]! == ("A", "One two.") && comments["c"]! == ("A", "") && comments["f"]! == ("D e", "Three."))
    #expect(Self.words(of: "mapManifestRequest") == "map manifest request")
  }

  /// The page and the sentence of each case, by its name.
  private static func comments(in source: String) -> [String: (page: String, content: String)] {
    var found: [String: (page: String, content: String)] = [:]
    var page = ""
    var content: [Substring] = []
    for line in source.split(separator: "\n") {
      if let mark = line.wholeMatch(of: /\s*\/\/ MARK: (.*)/) {
        page = String(mark.1)
      } else if let comment = line.wholeMatch(of: /\s*\/\/\/ (.*)/) {
        content.append(comment.1)
      } else {
        if let name = line.wholeMatch(of: /\s*case (\w+) = \d+/) {
          found[String(name.1)] = (page, content.joined(separator: " "))
        }
        content = []
      }
    }
    return found
  }

  /// The words of a name in camel case.
  private static func words(of name: String) -> String {
    name.reduce(into: "") { $0 += $1.isUppercase ? " \($1.lowercased())" : "\($1)" }
  }

  /// One frame a line, so that a change shows as one.
  private static func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let lines = try rows.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
    return "[\n\(lines.joined(separator: ",\n"))\n]\n"
  }

  /// PROTOCOL.md with the rows under the head of its table.
  private static func page(_ text: String) throws -> String {
    let head = "| type | frame | states | largest body | content | page |\n|---|---|---|---|---|---|\n"
    let start = try #require(text.range(of: head)).upperBound
    let end = try #require(text.range(of: "\n\n", range: text.index(before: start)..<text.endIndex)).lowerBound
    let lines = rows.map { row in
      let states = row.links.count == LinkKind.allCases.count ? "all" : row.links.joined(separator: ", ")
      let content = row.content.dropLast()
      return "| \(row.number) | \(row.name) | \(states) | \(PageTests.text(row.limit)) | \(content) | \(row.page) |"
    }
    return text[..<start] + lines.joined(separator: "\n") + text[end...]
  }

  private static func text(_ path: String) -> String {
    (try? String(contentsOf: root.appending(path: path), encoding: .utf8)) ?? ""
  }
}
