import Basics
import Foundation
import Testing

@testable import ServiceDiscovery

@Suite struct MulticastMessageTests {
  /// A response with a pointer to `lamp`, its SRV and its TXT record, whose names are compressed.
  private static let response: [UInt8] =
    [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 2]
    // _test._tcp.local at 12, its pointer to lamp.<12> at 40.
    + label("_test") + label("_tcp") + label("local") + [0] + [0, 12, 0, 1, 0, 0, 0, 120, 0, 7] + label("lamp") + [
      0xC0, 12,
    ]
    + [0xC0, 40, 0, 33, 0x80, 1, 0, 0, 0, 120, 0, 8, 0, 0, 0, 0, 0x12, 0x67, 0xC0, 23]
    + [0xC0, 40, 0, 16, 0x80, 1, 0, 0, 0, 0, 0, 4, 3] + Array("v=1".utf8)

  private static func label(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

  @Test func readsTheServicesOfAResponse() throws {
    let records = MulticastMessage.records(in: Self.response)
    let lamp = try instance("lamp")
    #expect(records.map(\.type) == [.pointer, .service, .text])
    #expect(records.map { $0.instance(of: .test) } == [lamp, lamp, lamp])
    #expect(records.map(\.lifetime) == [120, 120, 0])
    #expect(ServiceLocation(parsing: records[1].data)?.host == "local")
    #expect(records[2].data == [3] + Array("v=1".utf8))
    let other = try ServiceType("other")
    #expect(records.allSatisfy { $0.instance(of: other) == nil })
  }

  @Test func comparesTypesWithoutCaseAndNamesWithIt() throws {
    let labels = Self.label("Lamp") + Self.label("_TEST") + Self.label("_tcp") + Self.label("Local") + [0]
    #expect(ServiceInstance(labels: labels, type: .test) == (try instance("Lamp")))
    #expect(ServiceInstance(labels: Array(labels.dropLast()), type: .test) == nil)
    #expect(ServiceInstance(labels: [], type: .test) == nil)
    #expect(ServiceInstance(labels: [200, 1], type: .test) == nil)
  }

  @Test func readsAResponseAsFarAsItIsSound() {
    let whole = MulticastMessage.records(in: Self.response)
    for length in 0..<Self.response.count {
      let records = MulticastMessage.records(in: Self.response.prefix(length))
      #expect(records == Array(whole.prefix(records.count)) && records.count < whole.count)
    }
    var question = Self.response
    question[2] = 0
    #expect(MulticastMessage.records(in: question).isEmpty)
  }

  @Test func readsAnyBytesWithoutHarm() {
    var random = SeededRandom(seed: 1)
    for _ in 0..<20_000 {
      var bytes = Self.response
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
      }
      #expect(MulticastMessage.records(in: bytes).count <= 3)
    }
  }

  @Test func readsNothingFromMalformedMessagesThatTheyDoNotHave() throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Fixtures/Multicast/malformed.txt").standardizedFileURL
    let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n").dropFirst()
    #expect(lines.count > 70)
    let type = try ServiceType("sharedworld")
    // Their records are whole; what is broken in them is not the name, and is refused where it is used.
    let whole: Set = ["port 0", "half", "address", "cut short", "head"]
    for line in lines {
      let parts = line.split(separator: ":", maxSplits: 1)
      let digits = Array(parts[1].utf8.dropFirst())
      let bytes = try stride(from: 0, to: digits.count, by: 2).map { index in
        try #require(UInt8(String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16))
      }
      let records = MulticastMessage.records(in: bytes).filter { $0.lifetime > 0 }
      let names = Set(records.compactMap { $0.instance(of: type)?.name })
      let expected = parts[0] == "sound" ? ["sound"] : whole
      #expect(names.isSubset(of: expected), "\(parts[0])")
      #expect(parts[0] != "sound" || names == ["sound"])
    }
  }

  @Test func aNameThatLeadsToItselfEndsTheReading() {
    let loop: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0xC0, 12, 0, 12, 0, 1, 0, 0, 0, 120, 0, 2, 0xC0, 12]
    #expect(MulticastMessage.records(in: loop).isEmpty)
  }

  @Test func aGoodbyeWithdrawsThePointer() throws {
    let lamp = try instance("lamp")
    let records = MulticastMessage.records(in: MulticastMessage.goodbye(lamp))
    #expect(
      records == [MulticastRecord(owner: ServiceType.test.labels, type: .pointer, lifetime: 0, data: lamp.labels)])
  }
}
