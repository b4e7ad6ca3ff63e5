import Authentication
import Basics

/// The share of the side that dialled.
struct PasscodeShare: Sendable, Equatable, FixedBytes {
  static let size = 32

  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }
}

/// The share and the tag of the side that accepted.
struct PasscodeAnswer: Sendable, Equatable, FrameBody {
  static let size = PasscodeShare.size + PasscodeProof.size

  let answer: PasscodeExchange.Answer

  init(_ answer: PasscodeExchange.Answer) {
    self.answer = answer
  }

  func write(to writer: inout ByteWriter) {
    writer.write(bytes: answer.share)
    writer.write(bytes: answer.tag)
  }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let share = try reader.readBytes(PasscodeShare.size)
    answer = PasscodeExchange.Answer(share: share, tag: try reader.readBytes(PasscodeProof.size))
  }
}

/// The tag of the side that dialled.
struct PasscodeProof: Sendable, Equatable, FixedBytes {
  static let size = 64

  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }
}

/// How long the side that accepted lets the other one wait for its answer, because it or its address had a wrong passcode.
struct PasscodeWait: Sendable, Equatable, FrameBody {
  static let size = 4

  /// Milliseconds, at least 1.
  let milliseconds: UInt32

  init(_ time: Duration) {
    milliseconds = UInt32(clamping: Int64(max(1, (time / .milliseconds(1)).rounded(.up))))
  }

  func write(to writer: inout ByteWriter) { writer.write(milliseconds) }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    milliseconds = try reader.read(UInt32.self)
    guard milliseconds > 0 else { throw .invalid("a wait of no time", offset: reader.offset) }
  }
}
