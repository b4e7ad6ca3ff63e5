import Authentication
import Basics

/// The share of the side that dialled.
struct PasscodeShare: Sendable, Hashable, FrameBody {
  static let size = 32

  let share: [UInt8]

  init(_ share: [UInt8]) {
    self.share = share
  }

  func write(to writer: inout ByteWriter) { writer.write(bytes: share) }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    share = try reader.readBytes(Self.size)
  }
}

/// The share and the tag of the side that accepted.
struct PasscodeAnswer: Sendable, Hashable, FrameBody {
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
struct PasscodeProof: Sendable, Hashable, FrameBody {
  static let size = 64

  let tag: [UInt8]

  init(_ tag: [UInt8]) {
    self.tag = tag
  }

  func write(to writer: inout ByteWriter) { writer.write(bytes: tag) }

  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    tag = try reader.readBytes(Self.size)
  }
}
