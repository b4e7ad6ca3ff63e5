import AnchorReplication
import Basics
import Foundation
import PeerProtocol
import Testing

@testable import SharedWorld

/// The bytes of objects on the wire: Documentation/Protocol/envelopes.md.
@Suite("Letters")
struct LetterTests {
  static let start: UInt64 = 0x0123_4567_89AB_CDEF
  static let plain = MessageEnvelope(
    endpoint: "draw", type: "LabelEvent", contentType: "application/json", bytes: Array(#"{"text":"hi"}"#.utf8))
  static let full = MessageEnvelope(
    endpoint: "draw/red", type: "Stroke", contentType: "application/json", fields: ["trace": "7ü", "a": ""],
    transform: Transform(translation: [1, -2, 0.5]), bytes: Array("[1]".utf8))

  static let letters: [(name: String, letter: Letter)] = [
    ("message", .message(plain)), ("message-full", .message(full)),
    ("returned", .returned(.undecodable, "no such key", message: MessageID(9), start: start)),
    ("request", .request(7, plain)), ("answer", .answer(7, start: start, full)),
    ("failure", .failure(7, start: start, .refused, RemoteError("busy", "try later"))),
    ("withdrawal", .withdrawal(7)),
  ]

  private static func golden() throws -> [String: [UInt8]] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../Fixtures/Wire/envelopes.txt")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
    return Dictionary(
      uniqueKeysWithValues: lines.map { line in
        let words = line.split(separator: " ").map(String.init)
        return (words[0], [UInt8](hexadecimal: words[1]) ?? [])
      })
  }

  @Test("are written and read as their golden vectors", arguments: letters)
  func vectors(name: String, letter: Letter) throws {
    let golden = try Self.golden()
    #expect(golden.count == Self.letters.count)
    let bytes = try #require(golden[name])
    #expect(letter.bytes.hexadecimal == bytes.hexadecimal)
    #expect(try Letter(bytes) == letter)
  }

  @Test(
    "cut off anywhere before the object, or with a foreign byte, they are refused or are another letter, never a crash")
  func damaged() throws {
    var random = SplitMix64(seed: 13)
    for (_, letter) in Self.letters {
      let bytes = letter.bytes
      for count in 0..<bytes.count { _ = try? Letter(Array(bytes.prefix(count))) }
      for _ in 0..<2000 {
        var bytes = bytes
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
        guard let other = try? Letter(bytes) else { continue }
        // What is read is written the same way: there is one form of everything.
        #expect(other.bytes == bytes)
      }
    }
    #expect(throws: DecodingFailure.self) { try Letter([]) }
    #expect(throws: DecodingFailure.self) { try Letter([6]) }
    #expect(throws: DecodingFailure.self) { try Letter(Letter.withdrawal(7).bytes + [0]) }
  }

  @Test("the names in the envelope before make no difference")
  func names() throws {
    var (random, names) = (SplitMix64(seed: 5), MessageEnvelope.Names())
    func name() -> String { ["draw", "drawn", "draw/red", "é", "e\u{301}"].randomElement(using: &random) ?? "" }
    for _ in 0..<500 {
      let envelope = MessageEnvelope(endpoint: name(), type: name(), contentType: name(), bytes: [1])
      let bytes = Letter.message(envelope).bytes
      // Strings that are equal may have other bytes.
      #expect(try Letter(bytes, reusing: &names).bytes == bytes)
      #expect(throws: DecodingFailure.self) { try Letter(Self.envelope(endpoint: "a\u{7}"), reusing: &names) }
    }
  }

  private static func envelope(
    flag: UInt8 = 0, endpoint: String = "a", fields: [(String, String)] = [], count: UInt8? = nil
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(UInt8(0))
    writer.write(flag)
    for text in [endpoint, "T", "json"] { writer.writeString(text) }
    writer.write(count ?? UInt8(fields.count))
    for (name, value) in fields {
      writer.writeString(name)
      writer.writeString(value)
    }
    return writer.bytes
  }

  @Test("an envelope over a limit, out of order or with a transform that is not rigid is refused")
  func refused() throws {
    _ = try Letter(Self.envelope(fields: [("a", "1"), ("b", "2")]))
    let wrong = [
      Self.envelope(flag: 2), Self.envelope(endpoint: ""), Self.envelope(endpoint: String(repeating: "a", count: 256)),
      Self.envelope(endpoint: "a\u{7}"), Self.envelope(fields: [("b", "1"), ("a", "2")]),
      Self.envelope(fields: [("a", "1"), ("a", "2")]), Self.envelope(fields: [("", "1")]), Self.envelope(count: 17),
      Self.envelope(fields: [("a", String(repeating: "x", count: 1025))]),
      Self.envelope(flag: 1) + [UInt8](repeating: 0, count: 48),
    ]
    for bytes in wrong { #expect(throws: DecodingFailure.self) { try Letter(bytes) } }
  }

  @Test("the page of the protocol has the limits of the program")
  func page() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../Documentation/Protocol/envelopes.md")
    let page = try String(contentsOf: file, encoding: .utf8).split { $0.isWhitespace }.joined(separator: " ")
    let claims = [
      "endpoint text(\(MessageEnvelope.nameLimit)) · type text(\(MessageEnvelope.nameLimit))",
      "content type text(\(Limits.contentType))", "at most \(MessageEnvelope.fieldLimit) header fields",
      "name text(\(MessageEnvelope.fieldNameLimit)) · value text(\(MessageEnvelope.fieldValueLimit))",
      "code text(\(RemoteError.codeLimit)) · text(\(RemoteError.messageLimit))",
    ]
    for claim in claims { #expect(page.contains(claim), "\(claim)") }
    for reason in MessageReturn.Reason.allCases { #expect(page.contains("| \(reason.code) | \(reason.rawValue) |")) }
  }

  @Test("an error for the other side fits, whatever an app puts into it")
  func remoteError() {
    let error = RemoteError(String(repeating: "é", count: 400), "a\nb" + String(repeating: "👩‍👩‍👧‍👦", count: 400))
    #expect(error.code.utf8.count <= RemoteError.codeLimit && error.message.utf8.count <= RemoteError.messageLimit)
    #expect(error.message.hasPrefix("a\u{fffd}b👩‍👩‍👧‍👦"))
  }
}

@Suite("Patterns of endpoints")
struct EndpointPatternTests {
  @Test(
    "a star stands for a word, two at the end for any words, all else for itself",
    arguments: [
      ("draw", "draw", true), ("draw", "drawing", false), ("draw", "draw/red", false), ("draw/*", "draw/red", true),
      ("draw/*", "draw", false), ("draw/*", "draw/red/1", false), ("*/red", "draw/red", true),
      ("draw/**", "draw", true),
      ("draw/**", "draw/red/1", true), ("draw/**", "erase/red", false), ("**", "anything/at/all", true),
      ("*", "", true), ("a/**/b", "a/x/b", false), ("a*", "ab", false),
    ])
  func matches(pattern: String, endpoint: String, isMatch: Bool) {
    #expect(EndpointPattern(pattern).matches(endpoint) == isMatch)
  }
}
