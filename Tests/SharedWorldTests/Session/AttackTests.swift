import Basics
import Foundation
import PeerProtocol
@testable import SharedWorld
import TestSupport
import Testing
@testable import WorldModel

/// What one member's maps cost the others.
@Suite(.endsHangs) struct AttackTests {
  /// A cloud of one full block of equal points.
  private static func block(descriptor size: Int) -> FeatureCloud {
    let count = PointsSection.blockSize
    return FeatureCloud(
      positions: Array(repeating: .zero, count: count), identifiers: (0..<UInt64(count)).map(\.self),
      channels: FeatureCloud.Channels(
        descriptors: FeatureCloud.Descriptors(kind: "orb", size: size, bytes: Array(repeating: 0, count: size * count)))
    )
  }

  /// A valid file with `count` times the same block of equal points; only the identifiers in its directory differ.
  private static func bomb(blocks count: Int, descriptor size: Int) throws -> [UInt8] {
    let cloud = block(descriptor: size)
    let part = try WorldMapEncoder(WorldMap(cloud: cloud)).part(0..<1)
    let row = try #require(part.rows.first)
    let rows = (0..<UInt64(count)).map { index in
      var next = row
      let shift = index * UInt64(PointsSection.blockSize)
      next.keys = (row.keys.lowerBound + shift)...(row.keys.upperBound + shift)
      return next
    }
    let body = PointsSection.body(rows, layout: CloudLayout(cloud, step: 0))
    let stored = part.bytes.suffix(row.storedLength)
    return Container.head(of: [body]) + body.covered + Array(repeatElement(stored, count: count).joined())
  }

  /// What a member with this limit says of a map of another one.
  private static func verdict(on map: [UInt8], limit: Int) async throws -> (SessionError, isKept: Bool) {
    var configuration = TestSessions.configuration()
    configuration.limits.mapMemory = limit
    let taker = configuration
    return try await Session.withSession(as: TestSessions.identity("alice"), configuration: taker) { alice in
      try await Session.withSession(as: TestSessions.identity("bob"), configuration: taker) { bob in
        _ = try await alice.peers.invite(bob.address)
        try await alice.share(unchecked: MapPackage(map: map))
        let error = try await bob.first { if case .mapFailed(let error) = $0 { error } else { nil } }
        return (error, await bob.maps.latest() != nil)
      }
    }
  }

  @Test func `a map of 2 GiB in less than 134 kB is refused by its head and never decoded`() async throws {
    let bomb = try await onOwnThread { try Self.bomb(blocks: 61, descriptor: 512) }
    #expect(MapPackage(map: bomb).storedSize < 134_000)
    #expect(try WorldMapDecoder(bomb).memorySize > 2_000_000_000)
    let (error, isKept) = try await Self.verdict(on: bomb, limit: Session.Configuration().limits.mapMemory)
    #expect(error.code == .limitExceeded && error.message.contains("limits.mapMemory"))
    #expect(!isKept)
  }

  @Test func `a map that becomes more than 128 times its bytes is refused within the limit too`() async throws {
    let bomb = try await onOwnThread { try Self.bomb(blocks: 4, descriptor: 512) }
    let size = try WorldMapDecoder(bomb).memorySize
    #expect(size > ProtocolLimits.smallMap && size < 256 * 1024 * 1024)
    let (error, isKept) = try await Self.verdict(on: bomb, limit: 256 * 1024 * 1024)
    #expect(error.code == .limitExceeded && error.message.contains("for each"))
    #expect(!isKept)
  }

  @Test func `a map that is larger than the limit on the network is not fetched`() async throws {
    let map = try WorldMap(
      cloud: FeatureCloud(
        (0..<20_000).map { index in
          FeaturePoint(position: [Float(index).squareRoot(), sin(Float(index)), 0], identifier: UInt64(index))
        })
    ).encoded()
    let (error, isKept) = try await Self.verdict(on: map, limit: map.count - 1)
    #expect(error.code == .limitExceeded)
    #expect(!isKept)
  }

  @Test func `callers that ask for a map at once get the one that is decoded once`() async throws {
    try await TestSessions.joined { alice, bob in
      let map = WorldMap(cloud: Self.block(descriptor: 1))
      try await alice.share(map)
      let receipt = try await bob.first { if case .mapReceived(let receipt) = $0 { receipt } else { nil } }
      #expect(receipt.points == map.cloud.count)
      #expect(await bob.state.mapPoints == map.cloud.count)
      async let one = bob.maps.latest()
      async let other = bob.maps.latest()
      let maps = await [one, other, bob.maps.latest()]
      #expect(maps.allSatisfy { $0?.cloud.count == map.cloud.count })
    }
  }
}
