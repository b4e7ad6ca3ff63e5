import Basics
import Foundation
import Testing

@testable import SharedWorld

/// A text, and a type to decode it as, and to encode again, with our coders and with Foundation's.
struct QuickCoding: Sendable, CustomStringConvertible {
  /// What came of it.
  enum Outcome {
    /// What Foundation gives.
    case same
    /// It is left to Foundation.
    case left
    /// Something else.
    case other
  }

  private let text: [UInt8]
  private let decode: @Sendable ([UInt8]) -> Outcome
  private let encode: @Sendable ([UInt8]) -> Outcome

  private init<Object: Codable & Equatable & SendableMetatype>(_ type: Object.Type, _ text: String) {
    self.text = Array(text.utf8)
    decode = { Self.outcome(type, $0) }
    encode = { bytes in
      guard let object = try? JSONObjectCoder.decoder.decode(type, from: Data(bytes)) else { return .left }
      return Self.outcome(encoding: object)
    }
  }

  private init(_ sample: Self, _ text: [UInt8]) {
    (self.text, decode, encode) = (text, sample.decode, sample.encode)
  }

  var description: String { String(decoding: text, as: UTF8.self) }
  var outcome: Outcome { decode(text) }
  /// That of the encoder; a text that is no object at all is left, too.
  var encodingOutcome: Outcome { encode(text) }

  /// The outcome for these bytes.
  static func outcome<Object: Decodable & Equatable>(_ type: Object.Type, _ bytes: [UInt8]) -> Outcome {
    guard let object = try? QuickDecoder.decode(type, from: bytes) else { return .left }
    return object == (try? JSONObjectCoder.decoder.decode(type, from: Data(bytes))) ? .same : .other
  }

  static func outcome(encoding object: some Encodable) -> Outcome {
    guard let bytes = QuickEncoder.encode(object) else { return .left }
    return Data(bytes) == (try? JSONObjectCoder.encoder.encode(object)) ? .same : .other
  }

  /// How many of the samples, each changed `rounds` times, have an outcome that is the same; none may have another one.
  static func countSame(_ outcome: KeyPath<Self, Outcome>, rounds: Int, seed: UInt64) -> Int {
    var (random, count) = (SeededRandom(seed: seed), 0)
    for _ in 0..<rounds {
      for sample in samples {
        let changed = sample.changed(&random)
        let outcome = changed[keyPath: outcome]
        #expect(outcome != .other, "\(changed)")
        if outcome == .same { count += 1 }
      }
    }
    return count
  }

  /// The same with bytes that are other ones, missing, or there twice.
  func changed(_ random: inout SeededRandom) -> Self {
    var text = text
    for _ in 0...Int.random(in: 0...2, using: &random) where !text.isEmpty {
      let place = Int.random(in: text.indices, using: &random)
      switch Int.random(in: 0...3, using: &random) {
      case 0: text[place] = UInt8.random(in: 0...255, using: &random)
      case 1: text[place] = Array("{}[]\":,0123456789.-+eE \ntrufalsn\\".utf8).randomElement(using: &random) ?? 0
      case 2: text.remove(at: place)
      default: text.insert(contentsOf: text[place..<min(text.count, place + 8)], at: place)
      }
    }
    return Self(self, text)
  }

  static let samples = [
    Self(
      Stroke.self,
      ##"{"color":"#1f77b4","name":"stroke of the blue pen","points":[0.25,1.5,-0.75,2.125,0.5,1.25]}"##),
    Self(
      Stroke.self,
      " {\n\"name\" : \"ä\\n\\t\\\"\\\\\\/\\b\\f\\r\" , \"name\":\"b\", \"points\":[ ], \"color\":\"\"\r}\t "),
    Self(Pen.self, #"{"down":{"_0":[1,2,3],"width":0.1}}"#),
    Self([Pen].self, #"[{"up":{}},{"down":{"_0":[1e-3,2E+2,-0.0],"width":16777217}}]"#),
    Self(
      Everything.self,
      #"{"a":-128,"b":65535,"c":true,"d":null,"f":[[1],[],[2,3]],"g":{"x":[1.5]},"h":700000000.5}"#),
    Self(Everything.self, #"{"a":127,"b":0,"c":false,"d":"x","e":{"a":true,"b":null},"f":[],"g":{},"h":1}"#),
    Self([Int: String].self, #"{"1":"a","-2":"b"}"#),
    Self([String: Double?].self, #"{"a":null,"b":0.1,"c":123456789.12345678901234}"#),
    Self(Set<UInt64>.self, "[0,18446744073709551615,1]"),
    Self([Int64?].self, "[null,-9223372036854775807,0]"),
    Self([UUID].self, #"["E621E1F8-C36C-495A-93FC-0C247A3E6E5F"]"#),
    Self(Matrix.self, "[[1,0],[0,1.5]]"),
    Self(Tagged.self, #"{"kind":"box","body":{"size":[1,2]}}"#),
    Self(String.self, #""a string alone""#),
    Self(Bool?.self, "null"),
    Self(Int.self, "5"),
  ]
}

private struct Stroke: Codable, Equatable {
  var name: String
  var color: String
  var points: [Float]
}

private enum Pen: Codable, Equatable {
  case down(SIMD3<Float>, width: Float)
  case up
}

private struct Everything: Codable, Equatable {
  var a: Int8
  var b: UInt16
  var c: Bool
  var d: String?
  var e: [String: Value]?
  var f: [[Int]]
  var g: [String: [Double]]
  var h: Date

  enum Value: Codable, Equatable {
    case number(Double)
    case flag(Bool)
    case other

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .other
      } else if let flag = try? container.decode(Bool.self) {
        self = .flag(flag)
      } else {
        self = .number((try? container.decode(Double.self)) ?? -1)
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .number(let value): try container.encode(value)
      case .flag(let value): try container.encode(value)
      case .other: try container.encodeNil()
      }
    }
  }
}

/// Reads and writes arrays within an array by hand.
private struct Matrix: Codable, Equatable {
  var rows: [[Double]] = []

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    while !container.isAtEnd {
      var (row, numbers) = (try container.nestedUnkeyedContainer(), [Double]())
      for _ in 0..<(row.count ?? 0) { numbers.append(try row.decode(Double.self)) }
      rows.append(numbers)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for row in rows {
      var numbers = container.nestedUnkeyedContainer()
      for number in row { try numbers.encode(number) }
    }
  }
}

/// Reads and writes containers within a container by hand.
private struct Tagged: Codable, Equatable {
  let size: [Double]

  private enum Keys: String, CodingKey { case kind, body, size }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    guard try container.decode(String.self, forKey: .kind) == "box" else {
      throw DecodingError.dataCorruptedError(forKey: .kind, in: container, debugDescription: "not a box")
    }
    size = try container.nestedContainer(keyedBy: Keys.self, forKey: .body).decode([Double].self, forKey: .size)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    var body = container.nestedContainer(keyedBy: Keys.self, forKey: .body)
    try container.encode("box", forKey: .kind)
    try body.encode(size, forKey: .size)
  }
}
