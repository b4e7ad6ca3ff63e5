import Basics
import Foundation
@testable import PeerProtocol
import Testing
import WorldModel

/// The bytes of election messages, flood headers and link announcements against Fixtures/Wire.
struct ElectionWireTests {
  static let first = NodeID(peer: peer(from: 0), incarnation: 0x1122_3344_5566_7788)
  static let second = NodeID(peer: peer(from: 0x80), incarnation: 0xfedc_ba98_7654_3210)

  static let messages: [(String, ElectionMessage)] = [
    (
      "beat",
      .beat(.init(epoch: 7, sequence: 1234, size: 5, priority: 200, sessionTime: 61_500, nextJoinSequence: 6))
    ),
    ("ack", .ack(.init(epoch: 7, sequence: 1234, joinSequence: 3, sessionTime: 61_499))),
    ("pre-claim", .preClaim(.init(priority: 128, joinSequence: 3, maxEpoch: 9))),
    ("pre-nack-host", .preNack(.init(host: first, epoch: 7, leaseRemaining: 1500))),
    ("pre-nack-better", .preNack(.init(host: nil, epoch: 0, leaseRemaining: 0))),
    ("step-down", .stepDown(.init(to: second, epoch: 8, leaseRemaining: 2000, ended: 7))),
    ("offer", .offer(.init(size: 5, priority: 128, epoch: 7))),
    ("win", .win(.init(epoch: 8, offerEpoch: 7))),
    ("yield", .yield(.init(epoch: 7, maxEpoch: 9, sessionTime: 61_500))),
    ("handover", .handover(.init(epoch: 7))),
    ("resign-successor", .resign(.init(epoch: 7, successor: second))),
    ("resign", .resign(.init(epoch: 7, successor: nil))),
    ("request", .request(.init(priority: 255, isExplicit: true))),
    ("seat", .seat(.init(joinSequence: 4))),
  ]

  static func peer(from first: UInt8) -> PeerID {
    PeerID(bytes: (0..<32).map { first &+ $0 })!
  }

  static func golden(_ name: String) throws -> [UInt8] {
    var root = URL(filePath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    let text = try String(contentsOf: root.appending(path: "Fixtures/Wire/election-\(name).hex"), encoding: .utf8)
    return try #require([UInt8](hexadecimal: text.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  static func readMessage(_ bytes: [UInt8]) throws(DecodingFailure) -> ElectionMessage {
    var reader = ByteReader(bytes.span.bytes)
    let value = try ElectionMessage(reading: &reader)
    try reader.finish()
    return value
  }

  static func readLinkState(_ bytes: [UInt8]) throws(DecodingFailure) -> LinkState {
    var reader = ByteReader(bytes.span.bytes)
    let value = try LinkState(reading: &reader)
    try reader.finish()
    return value
  }

  @Test(arguments: messages.indices) func messageMatchesItsGoldenVector(index: Int) throws {
    let (name, message) = Self.messages[index]
    let golden = try Self.golden(name)
    var writer = ByteWriter()
    message.write(to: &writer)
    #expect(writer.bytes == golden)
    #expect(try Self.readMessage(golden) == message)
  }

  @Test(arguments: messages.indices) func aCutMessageIsRefused(index: Int) throws {
    let golden = try Self.golden(Self.messages[index].0)
    for count in 0..<golden.count {
      #expect(throws: DecodingFailure.self) { try Self.readMessage(Array(golden.prefix(count))) }
    }
  }

  @Test(arguments: [
    ([0], DecodingFailure.unknownKind(offset: 0)),
    ([13], .unknownKind(offset: 0)),
    ([9, 1, 0, 0, 0, 0, 0, 0, 0x40], .invalid("number over 2^62", offset: 1)),
    ([11, 1, 2], .invalid("flag is neither 0 nor 1", offset: 2)),
    ([12, 1, 0, 0, 0x80], .invalid("place in the order of joining over 2^31", offset: 1)),
    ([4, 9], .invalid("flag is neither 0 nor 1", offset: 1)),
  ])
  func nonsenseIsRefusedWithItsOffset(bytes: [UInt8], failure: DecodingFailure) {
    #expect(throws: failure) { try Self.readMessage(bytes) }
  }

  @Test func floodHeadersMatchTheirGoldenVectors() throws {
    let all = FloodHeader(origin: Self.first, nonce: 42, linkVersion: 3, destination: nil)
    let one = FloodHeader(origin: Self.first, nonce: 43, linkVersion: 0, destination: Self.second)
    for (name, header) in [("flood-header-all", all), ("flood-header-one", one)] {
      let golden = try Self.golden(name)
      var writer = ByteWriter()
      header.write(to: &writer)
      #expect(writer.bytes == golden)
      var reader = ByteReader(golden.span.bytes)
      let read = try FloodHeader(reading: &reader)
      #expect(read == header)
      try reader.finish()
    }
  }

  @Test func linkStatesMatchTheirGoldenVector() throws {
    var state = LinkState(node: Self.first, configuration: ElectionConfiguration(priority: 128))
    state.version = 3
    state.joinSequence = 2
    state.neighbors = [5, Self.second.incarnation]
    let golden = try Self.golden("link-state")
    var writer = ByteWriter()
    state.write(to: &writer)
    #expect(writer.bytes == golden)
    #expect(try Self.readLinkState(golden) == state)
  }

  @Test func linkStatesCheckTheirNeighbors() throws {
    let golden = try Self.golden("link-state")
    var many = golden
    (many[50], many[51]) = (1, 1)
    #expect(throws: DecodingFailure.overLimit(limit: 256, offset: 50)) { try Self.readLinkState(many) }
    let twice = Array(golden.prefix(60)) + golden[52..<60]
    #expect(throws: DecodingFailure.invalid("neighbours are not in ascending order", offset: 60)) {
      try Self.readLinkState(twice)
    }
    #expect(throws: DecodingFailure.truncated(offset: 52)) { try Self.readLinkState(Array(golden.prefix(66))) }
  }
}
