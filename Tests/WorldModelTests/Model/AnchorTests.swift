import Basics
import Testing

@testable import WorldModel

@Suite("Anchor")
struct AnchorTests {
  @Test(arguments: Samples.kinds)
  func kindsSurviveTheirCanonicalBytes(kind: Anchor.Kind) throws {
    var writer = ByteWriter()
    kind.write(to: &writer)
    var reader = ByteReader(writer.bytes.span.bytes)
    #expect(try Anchor.Kind(reading: &reader) == kind)
    let isAtEnd = reader.isAtEnd
    #expect(isAtEnd)
  }

  @Test(arguments: Samples.kinds)
  func everyPrefixOfAKindIsRefused(kind: Anchor.Kind) {
    var writer = ByteWriter()
    kind.write(to: &writer)
    for count in 0..<writer.count {
      let prefix = Array(writer.bytes[..<count])
      #expect(throws: DecodingFailure.self) {
        var reader = ByteReader(prefix.span.bytes)
        _ = try Anchor.Kind(reading: &reader)
      }
    }
  }

  @Test func transformIsFortyEightBytesAndMustBeRigid() throws {
    let pose = Transform.looking(at: [1, 2, 3], from: [0, 3, 4])
    var writer = ByteWriter()
    pose.write(to: &writer)
    #expect(writer.count == 48)
    var reader = ByteReader(writer.bytes.span.bytes)
    #expect(try Transform(reading: &reader) == pose)
    let zeros = [UInt8](repeating: 0, count: 48)
    #expect(throws: DecodingFailure.self) {
      var reader = ByteReader(zeros.span.bytes)
      _ = try Transform(reading: &reader)
    }
  }

  @Test func payloadOverItsLimitIsRefusedBeforeItIsCopied() {
    var writer = ByteWriter()
    writer.writeString("a/b")
    writer.writeVarint(UInt64(Limits.anchorPayload + 1))
    #expect(throws: DecodingFailure.overLimit(limit: Limits.anchorPayload, offset: 4)) {
      var reader = ByteReader(writer.bytes.span.bytes)
      _ = try Anchor.Payload(reading: &reader)
    }
  }

  @Test func limitsOfAnAnchorAreChecked() {
    let long = String(repeating: "é", count: Limits.anchorName / 2) + "x"
    #expect(throws: ModelError.overLimit(field: "name", limit: Limits.anchorName)) {
      try Anchor(name: long).validate()
    }
    let nameless = Anchor(name: "", kind: .image(.init(referenceName: "", physicalSize: [1, 1])))
    #expect(throws: ModelError.empty(field: "reference name")) { try nameless.validate() }
    let negative = Anchor(name: "", kind: .object(.init(referenceName: "cup", extent: [1, -1, 1])))
    #expect(throws: ModelError.outOfRange(field: "extent")) { try negative.validate() }
    let line = Anchor(name: "", kind: .plane(.init(extent: [1, 1], boundary: [[0, 0], [1, 1]])))
    #expect(throws: ModelError.outOfRange(field: "boundary")) { try line.validate() }
    let heavy = Anchor.Payload(contentType: "x", bytes: Array(repeating: 0, count: Limits.anchorPayload + 1))
    #expect(throws: ModelError.overLimit(field: "payload", limit: Limits.anchorPayload)) {
      try Anchor(name: "", payload: heavy).validate()
    }
  }
}
