import Basics
import Foundation
@testable import PeerProtocol
import Testing
import WorldModel

@Suite("What a node keeps, as bytes")
struct NodeRecordTests {
  /// Entries of every kind, locked rules, and the numbers.
  static let sample = {
    var record = NodeRecord(peerID: Sample.alice, service: "sharedworld")
    record.epoch = 7
    record.joinSequence = 2
    var rules = ByteReader([3, 0, 0, 0, 1, 8].span)
    if let read = try? SessionRules(reading: &rules) { record.rules = read }
    var (own, removed) = (Sample.entry, Sample.entry)
    (own.peerID, own.status) = (Sample.alice, .present)
    (removed.peerID, removed.status) = (PeerID(SHA256Digest(hashing: Array("carol".utf8))), .kicked)
    record.roster = [own, Sample.entry, removed].sorted { $0.peerID < $1.peerID }
    return record
  }()

  /// Behind magic, layout, id, the service's name with its length, epoch and place.
  private static let rulesOffset = 4 + 1 + 32 + 1 + sample.service.utf8.count + 8 + 4

  /// `record` with other contents after its head, and a checksum that fits.
  private func forged(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
    var bytes = Array(Self.sample.encoded.dropLast(32))
    change(&bytes)
    return bytes + SHA256Digest(hashing: bytes).bytes
  }

  private func failure(_ bytes: [UInt8]) -> NodeRecordFailure? {
    do throws(NodeRecordFailure) {
      _ = try NodeRecord(decoding: bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test("a record comes back, and is written as its golden vector")
  func roundTrip() throws {
    #expect(try NodeRecord(decoding: Self.sample.encoded) == Self.sample)
    let empty = NodeRecord(peerID: Sample.bob, service: "x")
    #expect(try NodeRecord(decoding: empty.encoded) == empty)
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Fixtures/Wire/node-record.hex").standardizedFileURL
    let golden = try String(contentsOf: file, encoding: .utf8).filter { !$0.isWhitespace }
    #expect(Self.sample.encoded.hexadecimal == golden)
  }

  @Test("every prefix is refused, and so are bytes that follow")
  func refusesPrefixes() {
    let bytes = Self.sample.encoded
    for count in 0..<bytes.count { #expect(failure(Array(bytes.prefix(count))) != nil, "\(count) bytes") }
    #expect(failure(bytes + [0]) != nil)
    #expect(failure(forged { $0.append(0) }) != nil)
    #expect(failure([UInt8](repeating: 0, count: 100)) == .foreign)
  }

  @Test("every single flipped bit is refused")
  func refusesFlips() {
    let bytes = Self.sample.encoded
    for bit in 0..<(bytes.count * 8) {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(failure(flipped) != nil, "bit \(bit)")
    }
  }

  @Test("other values of any byte are refused even under a checksum that fits, or give the same bytes again")
  func isCanonical() throws {
    for offset in 0..<(Self.sample.encoded.count - 32) {
      // Every length of a text, list or address, every flag and status, and the ends of the numbers.
      for value in Array(UInt8(0)...17) + [63, 64, 65, 127, 128, 254, 255] {
        let bytes = forged { $0[offset] = value }
        guard let record = try? NodeRecord(decoding: bytes) else { continue }
        #expect(record.encoded == bytes, "byte \(offset) = \(value)")
      }
    }
  }

  @Test("a later layout is told apart from damage, and contents that break a rule are refused")
  func refusesContents() throws {
    #expect(failure(forged { $0[4] = 3 }) == .version(3))
    #expect(failure([UInt8](repeating: 1, count: ProtocolLimits.record + 1)) == .foreign)
    var record = Self.sample
    record.roster.reverse()
    #expect(failure(record.encoded) != nil)
    record = Self.sample
    record.roster = [Sample.entry, Sample.entry]
    #expect(failure(record.encoded) != nil)
    record = Self.sample
    record.epoch = 1 << 63
    #expect(failure(record.encoded) != nil)
    record = Self.sample
    record.roster[1].version = 1 << 31 + 1
    #expect(failure(record.encoded) != nil)
    #expect(
      failure(forged { $0.replaceSubrange(Self.rulesOffset..<Self.rulesOffset + 4, with: [1, 0, 0, 0x80]) }) != nil)
    record = NodeRecord(peerID: Sample.alice, service: "s")
    record.roster = (0...ProtocolLimits.members).map { number in
      RosterEntry(peerID: NodeProbe.peer(number), version: 1, incarnation: 1, name: "", addresses: [])
    }.sorted { $0.peerID < $1.peerID }
    #expect(failure(record.encoded) != nil)
    record.roster.removeLast()
    #expect(failure(record.encoded) == nil)
  }

  @Test("a node comes back with the highest versions there can be, and with the first one of its own")
  func restoresGreatestVersions() throws {
    var record = Self.sample
    for index in record.roster.indices { record.roster[index].version = 1 << 31 }
    var configuration = NodeConfiguration(
      peerID: Sample.alice, incarnation: 9, name: "me", service: record.service, seed: 1)
    configuration.keepsRecord = true
    let node = Node(configuration, restoring: try NodeRecord(decoding: record.encoded), at: Instant(nanoseconds: 1))
    let mine = try #require(record.roster.firstIndex { $0.peerID == Sample.alice })
    record.roster[mine] = RosterEntry(peerID: Sample.alice, version: 1, incarnation: 9, name: "me", addresses: [])
    #expect(node.record.roster == record.roster)
  }

  @Test("the largest record fits its limit")
  func fitsTheLimit() {
    let addresses = (0..<8).compactMap { SocketAddress("[2001:db8::\($0)]:4000") }
    var record = NodeRecord(peerID: Sample.alice, service: String(repeating: "s", count: ProtocolLimits.peerName))
    record.roster = (0..<ProtocolLimits.roster).map { number in
      RosterEntry(
        peerID: NodeProbe.peer(number), version: 1 << 31, status: .left, incarnation: .max,
        name: String(repeating: "n", count: ProtocolLimits.peerName), addresses: addresses)
    }.sorted { $0.peerID < $1.peerID }
    #expect(record.encoded.count <= ProtocolLimits.record)
    #expect(failure(record.encoded) == nil)
  }
}
