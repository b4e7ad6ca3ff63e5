import Basics
import Foundation
@testable import PeerProtocol
import Testing

/// The bytes of streams on the wire: Documentation/Protocol/streams.md.
@Suite("Letters of streams")
struct StreamLetterTests {
  static let yours = StreamMark.yours(9, start: 0x0123_4567_89AB_CDEF)
  static let letters: [(name: String, letter: StreamLetter)] = [
    ("open", .open(7, limit: 262_144, name: "log/ü")), ("credit", .credit(yours, limit: 300_000)),
    ("data", .data(.mine(7), Array("hello".utf8))), ("data-yours", .data(yours, [0])), ("end", .end(.mine(7))),
    ("reset", .reset(yours, StreamReset(.app, "busy", "try later"))),
    ("reset-limit", .reset(yours, StreamReset(.limit, "limit"))),
    ("over", .over(start: 0x0123_4567_89AB_CDEF, received: 9, opened: 7)),
  ]

  private static func text(_ path: String) throws -> String {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    return try String(contentsOf: folder.appending(path: path), encoding: .utf8)
  }

  @Test("are written and read as their golden vectors")
  func vectors() throws {
    let lines = try Self.text("Fixtures/Wire/streams.txt").split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(lines.count == Self.letters.count)
    for (line, (name, letter)) in zip(lines, Self.letters) {
      #expect(line == "\(name) \(letter.bytes.hexadecimal)")
      #expect(try StreamLetter(letter.bytes) == letter)
    }
  }

  @Test("cut off anywhere or with a foreign byte, they are refused or are another letter, never a crash")
  func damaged() {
    var random = SplitMix64(seed: 68)
    for (_, letter) in Self.letters {
      let bytes = letter.bytes
      for count in 0..<bytes.count {
        if let other = try? StreamLetter(Array(bytes.prefix(count))) { #expect(other.bytes.count == count) }
      }
      for _ in 0..<2000 {
        var bytes = bytes
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
        guard let other = try? StreamLetter(bytes) else { continue }
        // An unknown reason counts as the app's.
        if case .reset(_, let reset) = other, reset.reason == .app { continue }
        // What is read is written the same way: there is one form of everything.
        #expect(other.bytes == bytes)
      }
    }
  }

  @Test("the value of a limit is read, the first one beyond it and what makes no sense are refused")
  func limits() throws {
    let name = { StreamLetter.open(1, limit: 1, name: String(repeating: "n", count: $0)).bytes }
    let data = { StreamLetter.data(.mine(1), [UInt8](repeating: 1, count: $0)).bytes }
    for bytes in [name(1), name(ProtocolLimits.streamName), data(1), data(ProtocolLimits.streamPart)] {
      _ = try StreamLetter(bytes)
    }
    let wrong = [
      name(0), name(ProtocolLimits.streamName + 1), data(0), data(ProtocolLimits.streamPart + 1),
      StreamLetter.open(0, limit: 1, name: "n").bytes, StreamLetter.end(.mine(ProtocolLimits.counter + 1)).bytes,
      StreamLetter.open(1, limit: 1, name: "a\u{7}").bytes, StreamLetter.end(.mine(1)).bytes + [0], [6], [],
      [3, 2] + [1, 0, 0, 0, 0, 0, 0, 0],
    ]
    for bytes in wrong { #expect(throws: DecodingFailure.self) { try StreamLetter(bytes) } }
  }

  @Test("a letter of an unknown form is one of a newer version, and a reset of an unknown reason is one")
  func newer() throws {
    #expect(throws: DecodingFailure.unknownKind(offset: 0)) { try StreamLetter([6, 1, 2]) }
    var bytes = StreamLetter.reset(.mine(1), StreamReset(.limit, "c", "m")).bytes
    bytes[10] = 63
    #expect(try StreamLetter(bytes) == .reset(.mine(1), StreamReset(.app, "c", "m")))
  }

  @Test("the page of the protocol has the limits of the program")
  func page() throws {
    let page = try Self.text("Documentation/Protocol/streams.md").split { $0.isWhitespace }.joined(separator: " ")
    let figure = { (value: Int) in
      value < 1000 ? "\(value)" : "\(value / 1000)," + String("00\(value % 1000)".suffix(3))
    }
    let claims = [
      "name text(\(ProtocolLimits.streamName))", "1 to \(figure(ProtocolLimits.streamPart)) bytes",
      "\(figure(ProtocolLimits.streamWindow)) bytes", "\(ProtocolLimits.streamsOfPeer) streams",
      "code text(\(ProtocolLimits.errorCode)) · text(\(ProtocolLimits.errorMessage))",
    ]
    for claim in claims { #expect(page.contains(claim), "\(claim)") }
    for reason in StreamReset.Reason.allCases { #expect(page.contains("| \(reason.rawValue) | \(reason) |")) }
  }
}
