import Basics
import Foundation
import PeerProtocol
import Testing

@Suite("Frames")
struct FrameTests {
  /// `name hex` lines of whole frames, as an implementation in another language would read them.
  static let golden: [String: [UInt8]] = {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Fixtures/Wire/frames.txt").standardizedFileURL
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ") }
    return Dictionary(
      uniqueKeysWithValues: lines.compactMap { words in
        guard words.count == 2, let bytes = [UInt8](hexadecimal: String(words[1])) else { return nil }
        return (String(words[0]), bytes)
      })
  }()

  @Test("is written as its golden vector", arguments: FrameCase.all)
  func encodesAsGolden(_ frame: FrameCase) {
    var writer = ByteWriter()
    writer.writeFrame(frame.type, frame.write)
    #expect(writer.bytes.hexadecimal == Self.golden[frame.name]?.hexadecimal)
  }

  @Test("the golden bytes say what the value says", arguments: FrameCase.all)
  func decodesGolden(_ frame: FrameCase) throws {
    let golden = try #require(Self.golden[frame.name])
    #expect(try frame.means(Array(golden.dropFirst(FrameHead.size))))
  }

  @Test("every golden frame has a value that it is compared with")
  func coversGolden() {
    #expect(Set(Self.golden.keys) == Set(FrameCase.all.map(\.name)))
  }

  @Test("refuses every prefix", arguments: FrameCase.all.filter(\.hasFixedEnd))
  func refusesPrefixes(_ frame: FrameCase) {
    for count in 0..<frame.body.count {
      #expect(throws: DecodingFailure.self) { try frame.means(Array(frame.body.prefix(count))) }
    }
  }

  @Test("refuses a byte after the last field", arguments: FrameCase.all.filter(\.hasFixedEnd))
  func refusesSurplus(_ frame: FrameCase) {
    for byte: UInt8 in [0, 1, 0xff] {
      #expect(throws: DecodingFailure.self) { try frame.means(frame.body + [byte]) }
    }
  }

  /// A frame has one form: what is not refused says something else, and is written as it was read.
  @Test("every flipped bit is refused or says something else", arguments: FrameCase.all)
  func noticesFlips(_ frame: FrameCase) throws {
    for bit in 0..<(frame.body.count * 8) {
      var bytes = frame.body
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      guard let again = try? frame.rewrite(bytes) else { continue }
      // An unknown reason of a goodbye counts as another one.
      if frame.type == .goodbye, bit < 8 { continue }
      // A statement of an unknown kind is left out.
      if [.charter, .statements].contains(frame.type), again.count < bytes.count { continue }
      #expect(again.hexadecimal == bytes.hexadecimal, "bit \(bit)")
      // Both zeros of a pose are equal, and kept apart.
      if frame.type != .ephemeral, frame.type != .words { #expect(try !frame.means(bytes), "bit \(bit)") }
    }
  }

  @Test("a flag is 0 or 1", arguments: FrameCase.all)
  func refusesOtherFlags(_ frame: FrameCase) throws {
    // Where the last byte of these frames is a flag, or the one after eight bytes.
    let places: [String: Int] = ["bulk": 16, "rules": 4, "invite-accept": 8, "invite-decline": 8]
    guard let place = places[frame.name] else { return }
    // An answer to an invitation may also be 2.
    for value: UInt8 in [frame.type == .inviteAnswer ? 3 : 2, 0x80, 0xff] {
      var bytes = frame.body
      bytes[place] = value
      #expect(throws: DecodingFailure.self) { try frame.means(bytes) }
    }
  }

  @Test("Fault 1: a length over the limit is refused from the head alone")
  func refusesLengthBeforeBody() {
    for length: UInt32 in [0xffff_ffff, 0x8000_0000, UInt32(ProtocolLimits.memberFrame) + 1] {
      var writer = ByteWriter()
      writer.write(length)
      writer.write(UInt8(1))
      #expect(throws: DecodingFailure.overLimit(limit: ProtocolLimits.memberFrame, offset: 0)) {
        try FrameHead.find(in: writer.bytes.span.bytes, at: 0, limit: ProtocolLimits.memberFrame)
      }
    }
  }

  @Test("a frame is found only when it is whole")
  func findsWholeFrames() throws {
    var writer = ByteWriter()
    writer.writeFrame(.ping) { $0.write(UInt64(7)) }
    let bytes = writer.bytes
    for count in 0..<bytes.count {
      let prefix = Array(bytes.prefix(count))
      #expect(try FrameHead.find(in: prefix.span.bytes, at: 0, limit: 100) == nil)
    }
    let head = try #require(try FrameHead.find(in: bytes.span.bytes, at: 0, limit: 100))
    #expect(head.type == FrameType.ping.rawValue)
    #expect(head.body == 5..<13)
  }
}
