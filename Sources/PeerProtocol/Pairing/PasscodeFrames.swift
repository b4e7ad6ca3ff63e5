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
