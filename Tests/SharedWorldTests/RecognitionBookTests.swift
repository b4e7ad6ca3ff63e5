import Testing

@testable import PeerProtocol
@testable import PeerTransport
@testable import SharedWorld

@Suite("Recognised advertisements")
struct RecognitionBookTests {
  private static func id(_ number: UInt8) -> PeerID { PeerID(SHA256Digest(hashing: [number])) }
  private static let (alice, bob) = (id(1), id(2))
  private static let (hers, his) = (RecognitionKey(Array(0..<16)), RecognitionKey(Array(16..<32)))
  private static let today: RecognitionBook.Day = 20_779

  private static func tag(_ peer: PeerID, _ key: RecognitionKey, _ service: String = "demo", day: RecognitionBook.Day)
    -> String
  {
    RecognitionBook.tag(of: peer, key, service: service, on: day)
  }

  @Test("a known device is recognised on the day and on the two beside it, under its own key and service alone")
  func days() {
    var book = RecognitionBook([Self.alice: Self.hers, Self.bob: Self.his], service: "demo")
    let found = (Self.today - 2...Self.today + 2).map { day in
      book.peer(tagged: Self.tag(Self.alice, Self.hers, day: day), on: Self.today)
    }
    #expect(found == [nil, Self.alice, Self.alice, Self.alice, nil])
    let others = [
      Self.tag(Self.alice, Self.his, day: Self.today), Self.tag(Self.id(3), Self.hers, day: Self.today),
      Self.tag(Self.alice, Self.hers, "other", day: Self.today), "", "0",
    ]
    let strangers = others.map { book.peer(tagged: $0, on: Self.today) }
    #expect(strangers.allSatisfy { $0 == nil })
    let later = [Self.today + 5, 0].map { book.peer(tagged: Self.tag(Self.bob, Self.his, day: $0), on: $0) }
    #expect(later == [Self.bob, Self.bob])
  }

  @Test("a member is believed once a session, and cannot take the tag of another one by telling that one's key")
  func told() {
    var book = RecognitionBook([Self.alice: Self.hers], service: "demo")
    _ = book.peer(tagged: "", on: Self.today)
    let news = [
      book.take(Self.hers, of: Self.alice), book.take(Self.his, of: Self.bob), book.take(Self.hers, of: Self.bob),
      book.take(Self.hers, of: Self.id(3)),
    ]
    #expect(news == [false, true, false, true], "what is known is no news, and only the first word counts")
    let tags = [Self.tag(Self.alice, Self.hers, day: Self.today), Self.tag(Self.bob, Self.his, day: Self.today)]
    let found = tags.map { book.peer(tagged: $0, on: Self.today) }
    #expect(found == [Self.alice, Self.bob])
  }

  @Test("the key and the tag of the identity in the protocol's chapter are those printed there")
  func vector() throws {
    let tls = try TLSIdentity(seed: Array(0..<32))
    let identity = PeerIdentity(peerID: tls.peerID, name: "kitchen", tls: tls)
    let key = try identity.recognitionKey
    #expect(key.bytes.hexadecimal == "9c0e4c7a3f280302646ccaf90f97d1f4")
    #expect(RecognitionBook.tag(of: identity.peerID, key, service: "sharedworld", on: 20_779) == "5853b591147348b7")
    #expect(RecognitionBook.day(of: 1_795_305_600) == 20_779 && RecognitionBook.day(of: 1_795_305_599) == 20_778)
  }
}
