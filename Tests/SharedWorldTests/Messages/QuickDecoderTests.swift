import Basics
import Foundation
import TestSupport
import Testing

@testable import SharedWorld

/// What the decoder of Foundation makes of a text is the oracle.
@Suite("Decoding of JSON without Foundation")
struct QuickDecoderTests {
  @Test("texts of common shapes need no Foundation, and give what it gives", arguments: QuickCoding.samples)
  func common(_ sample: QuickCoding) { #expect(sample.outcome == .same) }

  @Test(
    "what is rare or wrong is left to Foundation",
    arguments: [
      "", " ", "{", "[1,]", "[,1]", "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "[01]", "[1.]", "[.5]", "[-]", "[+1]", "[1e]",
      "[0x1]", "[0e1]", "tru", "nul", "\"a", "\"\\u0041\"", "\"\\x\"", "\"\\", "\"\t\"", "[1] 2", "\u{FEFF}[1]",
      "{\"ä\":1}", "{\"\\n\":1}",
      String(repeating: "[", count: 33) + String(repeating: "]", count: 33),
    ])
  func left(_ text: String) { #expect((try? JSONText(Array(text.utf8))) == nil) }

  @Test("an object of more members than are looked up one by one is left to Foundation")
  func manyMembers() throws {
    for (count, isQuick) in [(32, true), (33, false)] {
      let object = Dictionary(uniqueKeysWithValues: (0..<count).map { ("\($0)", $0) })
      let bytes = try JSONObjectCoder().encode(object)
      #expect(((try? JSONText(bytes)) != nil) == isQuick)
      #expect(try JSONObjectCoder().decode([String: Int].self, from: bytes) == object)
    }
  }

  @Test("a type that catches errors gets what Foundation would give, not what a detour left")
  func caught() throws {
    let bytes = Array(#"{"data":"AQI=","number":1.5}"#.utf8)
    let object = try JSONObjectCoder().decode(Lenient.self, from: bytes)
    #expect(object == Lenient(data: Data([1, 2]), number: nil))
    #expect(throws: JSONDetour.self) { try QuickDecoder.decode(Lenient.self, from: bytes) }
  }

  @Test("a type sees on which way it is decoded")
  func path() throws {
    let bytes = Array(#"{"a":[[],[{"b":{},"c":null}]]}"#.utf8)
    let tree = try QuickDecoder.decode([String: [[[String: Leaf]]]].self, from: bytes)
    let path = try #require(tree["a"]?[1][0]["c"]?.path)
    #expect(path.map(\.stringValue) == ["a", "Index 1", "Index 0", "c"] && path.map(\.intValue) == [nil, 1, 0, nil])
  }

  @Test("numbers of any digits are the nearest ones", arguments: Tier.seeds(0...3 as ClosedRange<UInt64>))
  func numbers(_ seed: UInt64) throws {
    var (random, quick) = (SeededRandom(seed: seed), 0)
    for _ in 0..<2_000 {
      let bytes = Array("[\(Self.number(&random))]".utf8)
      for outcome in [
        QuickCoding.outcome([Float].self, bytes), QuickCoding.outcome([Double].self, bytes),
        QuickCoding.outcome([Int8].self, bytes), QuickCoding.outcome([Int].self, bytes),
        QuickCoding.outcome([UInt64].self, bytes),
      ] {
        #expect(outcome != .other, "\(String(decoding: bytes, as: UTF8.self))")
        if outcome == .same { quick += 1 }
      }
    }
    #expect(quick > 3_000)
  }

  private static func number(_ random: inout SeededRandom) -> String {
    func digits(_ count: ClosedRange<Int>) -> String {
      String((0..<Int.random(in: count, using: &random)).map { _ in "0123456789".randomElement(using: &random) ?? "0" })
    }
    func any(of texts: String...) -> String { texts.randomElement(using: &random) ?? "" }
    let sign = any(of: "", "-")
    switch Int.random(in: 0...5, using: &random) {
    case 0: return sign + "\(random.next() >> UInt64.random(in: 0...63, using: &random))"
    case 1: return "\(Float(bitPattern: UInt32.random(in: 0...0x7F7F_FFFF, using: &random)))"
    case 2: return "\(Double(bitPattern: UInt64.random(in: 0...0x7FEF_FFFF_FFFF_FFFF, using: &random)))"
    case 3: return sign + "0." + digits(1...25)
    case 4: return sign + "1." + digits(1...30) + "e" + any(of: "", "-", "+") + digits(1...3)
    default: return Self.middle(&random)
    }
  }

  /// Just in the middle between two numbers of the type `Float`, or next to it.
  private static func middle(_ random: inout SeededRandom) -> String {
    let float = Float.random(in: 1..<1024, using: &random)
    let middle = (Double(float) + Double(float.nextUp)) / 2
    return "\(middle)" + ["", "0000000000000000000000001", "1"][Int.random(in: 0...2, using: &random)]
  }

  @Test(
    "exponents beyond all numbers end nothing",
    arguments: ["-9223372036854775808", "9223372036854775807", "99999999999999999999"])
  func exponents(_ exponent: String) {
    for number in ["0.001e", "1000e", "0e"] {
      #expect(QuickCoding.outcome([Double].self, Array("[\(number)\(exponent)]".utf8)) != .other)
    }
  }

  @Test(
    "texts with any changes are read as Foundation reads them, or left to it",
    arguments: Tier.seeds(0...7 as ClosedRange<UInt64>))
  func changed(_ seed: UInt64) {
    #expect(QuickCoding.countSame(\.outcome, rounds: 400, seed: seed) > 500)
  }
}

/// Has members that may be anything.
private struct Lenient: Decodable, Equatable {
  var data: Data?
  var number: Int?

  init(data: Data?, number: Int?) { (self.data, self.number) = (data, number) }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    data = try? container.decode(Data.self, forKey: .data)
    number = try? container.decode(Int.self, forKey: .number)
  }

  private enum CodingKeys: CodingKey { case data, number }
}

/// The way on which it was decoded.
private struct Leaf: Decodable {
  let path: [any CodingKey]

  init(from decoder: any Decoder) { path = decoder.codingPath }
}
