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

  @Test("is read back without loss", arguments: FrameCase.all)
  func roundTrips(_ frame: FrameCase) throws {
    #expect(try frame.rewrite(frame.body) == frame.body)
  }

  @Test("refuses every prefix", arguments: FrameCase.all.filter(\.hasFixedEnd))
  func refusesPrefixes(_ frame: FrameCase) {
    for count in 0..<frame.body.count {
      #expect(throws: DecodingFailure.self) { try frame.rewrite(Array(frame.body.prefix(count))) }
    }
  }

  @Test("survives every flipped bit", arguments: FrameCase.all)
  func survivesFlips(_ frame: FrameCase) {
    for bit in 0..<(frame.body.count * 8) {
      var bytes = frame.body
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      // What can still be read must be written again to the same bytes, unless a reserved bit was set.
      if let again = try? frame.rewrite(bytes) { #expect(again.count <= bytes.count) }
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
