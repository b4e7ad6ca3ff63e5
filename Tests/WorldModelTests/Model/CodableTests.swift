import Basics
import Foundation
import Testing
import WorldModel

/// The JSON of values that apps store and send: another program reads it, so its form does not change.
@Suite("JSON of the model")
struct CodableTests {
  static let peer = PeerID("2b" + String(repeating: "0", count: 61) + "1")
  static let digest = SHA256Digest(hashing: Array("mesh".utf8))

  private static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private static func decode<Value: Decodable>(_ text: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(text.utf8))
  }

  private static func check<Value: Codable & Equatable>(_ value: Value, _ golden: String) throws {
    #expect(try json(value) == golden)
    #expect(try decode(golden) as Value == value)
  }

  @Test("ids are texts, also as keys")
  func ids() throws {
    let peer = try #require(Self.peer)
    let id = try #require(AnchorID("0123ABCD-4567-489a-8bcd-ef0123456789"))
    let map = try #require(MapID(peer.description))
    try Self.check(peer, "\"\(peer)\"")
    try Self.check(id, "\"0123abcd-4567-489a-8bcd-ef0123456789\"")
    try Self.check(map, "\"\(peer)\"")
    try Self.check([id: 1], "{\"0123abcd-4567-489a-8bcd-ef0123456789\":1}")
    #expect(throws: DecodingError.self) { try Self.decode("\"0123\"") as PeerID }
    #expect(throws: DecodingError.self) { try Self.decode("{\"x\":1}") as [AnchorID: Int] }
    #expect(MapID("x") == nil && SHA256Digest("ab") == nil)
  }

  @Test("a transform is its sixteen numbers, column by column, and exactly the same afterwards")
  func transform() throws {
    var transform = Transform.identity
    transform.translation = [1, -0.25, 3e-7]
    try Self.check(transform, "[1,0,0,0,0,1,0,0,0,0,1,0,1,-0.25,3e-07,1]")
    let odd = try #require(Transform(quaternion: [0.1, 0.7, -0.3, 0.2], translation: [1 / 3, .pi, 1e9]))
    #expect(try Self.decode(Self.json(odd)) as Transform == odd)
    for text in ["[1,2,3]", "[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1,0]", "{}", "[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,\"1\"]"] {
      #expect(throws: DecodingError.self) { try Self.decode(text) as Transform }
    }
  }

  static let kinds: [(Anchor.Kind, String)] = [
    (.plain, #"{"type":"plain"}"#),
    (
      .plane(
        .init(alignment: .horizontal, classification: .floor, extent: [2, 1], boundary: [[0, 0], [1, 0], [0, 1]])),
      #"{"alignment":"horizontal","boundary":[[0,0],[1,0],[0,1]],"classification":"floor","extent":[2,1],"type":"plane"}"#
    ),
    (
      .image(.init(referenceName: "poster", physicalSize: [0.5, 0.75])),
      #"{"physicalSize":[0.5,0.75],"referenceName":"poster","type":"image"}"#
    ),
    (
      .object(.init(referenceName: "lamp", extent: [1, 2, 3])),
      #"{"extent":[1,2,3],"referenceName":"lamp","type":"object"}"#
    ),
    (
      .mesh(.init(referenceName: "room", digest: digest, extent: [1, 2, 3])),
      #"{"digest":"\#(digest)","extent":[1,2,3],"referenceName":"room","type":"mesh"}"#
    ),
    (
      .mesh(.init(referenceName: "room", extent: [1, 2, 3])),
      #"{"extent":[1,2,3],"referenceName":"room","type":"mesh"}"#
    ),
    (.participant(PeerID(digest)), #"{"peer":"\#(digest)","type":"participant"}"#),
  ]

  @Test("a kind is its name and its properties", arguments: kinds)
  func kind(kind: Anchor.Kind, golden: String) throws {
    try Self.check(kind, golden)
  }

  @Test("an anchor is an object that names what it has")
  func anchor() throws {
    let id = try #require(AnchorID("0123abcd-4567-489a-8bcd-ef0123456789"))
    let transform = "[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]"
    let head = #""id":"\#(id)","kind":{"type":"plain"},"name":"lamp""#
    try Self.check(Anchor(id: id, name: "lamp"), "{\(head),\"transform\":\(transform)}")
    let payload = Anchor.Payload(contentType: "text/plain", bytes: [0, 255])
    try Self.check(
      Anchor(id: id, name: "lamp", payload: payload, creator: Self.peer, createdAt: SessionTime(milliseconds: 7)),
      #"{"createdAt":7,"creator":"\#(try #require(Self.peer))",\#(head),"payload":{"bytes":"00ff","contentType":"text/plain"},"transform":\#(transform)}"#
    )
    #expect(
      try Self.decode(#"{"id":"\#(id)","name":"lamp","transform":\#(transform)}"#) == Anchor(id: id, name: "lamp"))
  }

  @Test(
    "an anchor that no session would take is not decoded",
    arguments: [
      #""name":"a\u0007b","transform":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]"#,
      #""name":"a","transform":[2,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]"#,
      #""name":"a","transform":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],"kind":{"type":"cloud"}"#,
      #""name":"a","transform":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],"kind":{"type":"image","referenceName":"","physicalSize":[1,1]}"#,
      #""name":"a","transform":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],"payload":{"contentType":"x","bytes":"0"}"#,
    ])
  func refused(members: String) {
    let text = #"{"id":"0123abcd-4567-489a-8bcd-ef0123456789",\#(members)}"#
    #expect(throws: DecodingError.self) { try Self.decode(text) as Anchor }
  }
}
