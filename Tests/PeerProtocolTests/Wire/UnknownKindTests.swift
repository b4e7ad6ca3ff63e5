import Basics
import Testing
import WorldModel

@testable import PeerProtocol

/// A kind inside a frame that only a newer peer knows costs that frame, as an unknown number of a frame does.
@Suite struct UnknownKindTests {
  /// Golden frames of a member's link, and where in their bodies a kind is.
  static let places: [(name: String, offset: Int)] = [
    ("invite-accept", 8), ("acknowledgement", 81), ("ownership", 81), ("resource-full", 32), ("message", 20),
    ("message-report", 0), ("relayed-message", 101), ("relayed-report", 81), ("unreliable", 9), ("map-manifest", 0),
    ("resource-manifest-request", 0), ("map-request", 0), ("resource-piece", 0), ("map-have", 0),
  ]

  private static func withUnknown(_ name: String, at offset: Int) throws -> (type: FrameType, body: [UInt8]) {
    let golden = try #require(FrameCase.all.first { $0.name == name })
    var body = golden.body
    body[offset] = 63
    return (golden.type, body)
  }

  @Test(arguments: places)
  func `the frame is skipped, and the one after it counts`(name: String, offset: Int) throws {
    let (type, body) = try Self.withUnknown(name, at: offset)
    var probe = NodeProbe()
    let link = probe.join(1, NodeProbe.peer(1))
    _ = try probe.frames(on: link)
    var bytes = ByteWriter()
    bytes.writeFrame(type) { $0.write(bytes: body) }
    bytes.writeFrame(.ping) { $0.write(7 as UInt64) }
    probe.send(bytes: bytes.bytes, on: link)
    let answers = try probe.frames(on: link).map(\.type)
    #expect(answers.contains(.pong) && !answers.contains(.goodbye))
  }

  @Test func `an election message of an unknown kind and a step of a handshake are unknown, not wrong`() {
    var election = ByteWriter()
    Sample.flood.write(to: &election)
    election.write(63 as UInt8)
    #expect(throws: DecodingFailure.unknownKind(offset: election.count - 1)) {
      try Flooded<ElectionMessage>(body: election.bytes.span.bytes)
    }
    #expect(throws: DecodingFailure.unknownKind(offset: 0)) { try HandshakeFrame(body: ([63] as [UInt8]).span.bytes) }
  }

  /// In the body of *statements*: the kind of the first one, an admission, and its role.
  @Test(arguments: [33, 74])
  func `of several statements only the one of an unknown kind or role is skipped`(_ offset: Int) throws {
    let body = try Self.withUnknown("statements", at: offset).body
    let statements = try StatementsFrame(body: body.span.bytes).statements
    #expect(statements == Array(Sample.statements.dropFirst()))
  }

  @Test func `an interest in an unknown kind of anchor is skipped`() throws {
    var filter = AnchorFilter()
    filter.kind = .plane
    var writer = ByteWriter()
    InterestFrame(node: Sample.node, version: 1, filter: filter).write(to: &writer)
    var body = writer.bytes
    body[body.count - 1] = 63
    #expect(throws: DecodingFailure.self) { try InterestFrame(body: body.span.bytes) }
    var probe = NodeProbe()
    let link = probe.join(1, NodeProbe.peer(1))
    probe.send(.interest, on: link) { $0.write(bytes: body) }
    #expect(try probe.goodbye(on: link) == nil)
  }
}
