import Basics
import Foundation
import TestSupport
import Testing

@testable import SharedWorld

/// What the encoder of Foundation makes of an object is the oracle.
@Suite("Encoding of JSON without Foundation")
struct QuickEncoderTests {
  @Test("objects of common shapes need no Foundation, and give what it gives", arguments: QuickCoding.samples)
  func common(_ sample: QuickCoding) { #expect(sample.encodingOutcome == .same) }

  @Test(
    "objects of changed texts are written as Foundation does, or left to it",
    arguments: Tier.seeds(0...7 as ClosedRange<UInt64>))
  func changed(_ seed: UInt64) {
    #expect(QuickCoding.countSame(\.encodingOutcome, rounds: 200, seed: seed) > 200)
  }

  @Test("numbers of any bits have the digits of Foundation", arguments: Tier.seeds(0...3 as ClosedRange<UInt64>))
  func numbers(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<2_000 {
      let bits = random.next() >> UInt64.random(in: 0...63, using: &random)
      let (float, double) = (Float(bitPattern: UInt32(truncatingIfNeeded: bits)), Double(bitPattern: bits))
      #expect(QuickCoding.outcome(encoding: [float]) == (float.isFinite ? .same : .left))
      #expect(QuickCoding.outcome(encoding: double) == (double.isFinite ? .same : .left))
      #expect(QuickCoding.outcome(encoding: [bits: Int64(bitPattern: bits)]) == .same)
      #expect(QuickCoding.outcome(encoding: Double(Int32(truncatingIfNeeded: bits))) == .same)
    }
  }

  @Test("every character has the escape of Foundation, or is left to it")
  func characters() {
    for scalar in (0...0x2100).compactMap(Unicode.Scalar.init) {
      let isRare = scalar.value < 0x20 && !"\u{8}\t\n\u{c}\r".unicodeScalars.contains(scalar)
      #expect(QuickCoding.outcome(encoding: "a\(scalar)") == (isRare ? .left : .same), "\(scalar.value)")
    }
  }

  @Test("members encoded in any order are in that of their names", arguments: Tier.seeds(0...19 as ClosedRange<UInt64>))
  func order(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let names = (0..<32).map { String("\(Character(Unicode.Scalar(UInt8(0x23 + $0 * 2))))\($0)".reversed()) }
    let members = Members(names: names.shuffled(using: &random))
    #expect(QuickCoding.outcome(encoding: members) == .same)
  }

  @Test("what is rare is left to Foundation")
  func rare() {
    let deep = (0..<31).reduce(AnyEncodable([[1]])) { object, _ in AnyEncodable([object]) }
    #expect(QuickCoding.outcome(encoding: deep) == .left)
    #expect(QuickCoding.outcome(encoding: Members(names: (0..<33).map(String.init))) == .left)
    for name in ["ä", "\"", "\\", "\n"] { #expect(QuickCoding.outcome(encoding: Members(names: [name])) == .left) }
    #expect(QuickCoding.outcome(encoding: Members(names: ["a", "b", "a"])) == .left)
    #expect(QuickCoding.outcome(encoding: Data([1])) == .left)
    #expect(QuickCoding.outcome(encoding: [URL(filePath: "/a")]) == .left)
    #expect(QuickCoding.outcome(encoding: ["a": Decimal(1) as Decimal?]) == .left)
    #expect(QuickCoding.outcome(encoding: Derived(name: "a")) == .left)
    #expect(QuickCoding.outcome(encoding: Members(names: ["a"])) == .same)
  }

  @Test("what is left to Foundation has its bytes or its error")
  func left() throws {
    let coder = JSONObjectCoder()
    #expect(try coder.encode(Data([1])) == Array("\"AQ==\"".utf8))
    #expect(try coder.encode(["ä": ["\u{1}"]]) == Array(#"{"ä":["\u0001"]}"#.utf8))
    #expect(try coder.encode(Derived(name: "a")) == Array(#"{"name":"a","super":{"id":1}}"#.utf8))
    #expect(try coder.encode([Nothing()]) == Array("[{}]".utf8))
    #expect(throws: EncodingError.self) { try coder.encode(Double.nan) }
    #expect(throws: EncodingError.self) { try coder.encode(Nothing()) }
  }

  @Test("a type that catches errors is written as Foundation would, not as a detour left it")
  func caught() throws {
    #expect(QuickEncoder.encode(Lenient()) == nil)
    #expect(try JSONObjectCoder().encode(Lenient()) == Array(#"{"data":"AQ==","number":1}"#.utf8))
  }

  @Test("a type sees on which way it is encoded")
  func path() throws {
    let leaf = Leaf()
    let bytes = try #require(QuickEncoder.encode(["a": [[], [["b": leaf]]]]))
    #expect(bytes == Array(#"{"a":[[],[{"b":null}]]}"#.utf8))
    #expect(leaf.path.map(\.stringValue) == ["a", "Index 1", "Index 0", "b"])
    #expect(leaf.path.map(\.intValue) == [nil, 1, 0, nil])
  }
}

/// An object with these members, in this order.
private struct Members: Encodable {
  let names: [String]

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: JSONKey.self)
    for name in names { try container.encode(true, forKey: JSONKey(name)) }
  }
}

/// An object of any type.
private struct AnyEncodable: Encodable {
  let object: any Encodable

  init(_ object: any Encodable) { self.object = object }

  func encode(to encoder: any Encoder) throws { try object.encode(to: encoder) }
}

private class Base: Encodable {
  let id = 1
}

/// Writes what its base class has into a container of its own.
private final class Derived: Base {
  let name: String

  init(name: String) { self.name = name }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: JSONKey.self)
    try container.encode(name, forKey: JSONKey("name"))
    try super.encode(to: container.superEncoder())
  }
}

/// Encodes nothing.
private struct Nothing: Encodable {
  func encode(to encoder: any Encoder) {}
}

/// Goes on where a member cannot be encoded.
private struct Lenient: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: JSONKey.self)
    try? container.encode(Data([1]), forKey: JSONKey("data"))
    try container.encode(1, forKey: JSONKey("number"))
  }
}

/// Keeps the way on which it was encoded.
private final class Leaf: Encodable {
  private(set) nonisolated(unsafe) var path: [any CodingKey] = []

  func encode(to encoder: any Encoder) throws {
    path = encoder.codingPath
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }
}
