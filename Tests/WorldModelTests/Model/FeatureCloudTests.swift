import Testing

@testable import WorldModel

@Suite("Feature cloud and map")
struct FeatureCloudTests {
  @Test func isACollectionOfPoints() {
    let cloud = Samples.cloud(100, channels: true)
    #expect(cloud.count == 100)
    #expect(FeatureCloud(Array(cloud)).positions == cloud.positions)
    #expect(cloud[7].normal == [0, 1, 0])
    #expect(cloud.channels.descriptors?[3].count == 8)
  }

  @Test func copiesAreIndependent() {
    let map = WorldMap(cloud: Samples.cloud(10))
    var copy = map
    copy.cloud = FeatureCloud(copy.cloud.dropFirst())
    #expect(map.cloud.count == 10)
    #expect(copy.cloud.count == 9)
  }

  @Test func sortsByIdentifierWithItsChannels() throws {
    let cloud = Samples.cloud(50, channels: true)
    let shuffled = cloud.selecting(Array(cloud.indices.reversed()))
    #expect(!shuffled.isSorted)
    #expect(try shuffled.sorted() == cloud)
  }

  @Test func dropsPointsWithTheirChannels() {
    let cloud = Samples.cloud(90, channels: true)
    let cases: [(FeaturePoint) -> Bool] = [
      { $0.identifier % 3 == 0 }, { $0.identifier < 40 }, { $0.identifier >= 40 }, { _ in true }, { _ in false },
    ]
    for shouldRemove in cases {
      var rest = cloud
      rest.removeAll(where: shouldRemove)
      #expect(rest == cloud.selecting { !shouldRemove($0) })
    }
  }

  @Test func refusesDuplicatesAndUnevenChannels() {
    let twice = FeatureCloud(positions: [.zero, .one], identifiers: [5, 5])
    #expect(throws: ModelError.duplicatePoint(5)) { try twice.sorted() }
    let short = FeatureCloud(positions: [.zero], identifiers: [1], channels: .init(confidence: []))
    #expect(throws: ModelError.unevenChannel("confidence")) { try short.validate() }
    let unsure = FeatureCloud(positions: [.zero], identifiers: [1], channels: .init(confidence: [.nan]))
    #expect(throws: ModelError.outOfRange(field: "confidence")) { try unsure.validate() }
    let lost = FeatureCloud(positions: [[0, .infinity, 0]], identifiers: [1])
    #expect(throws: ModelError.notFinite("position")) { try lost.validate() }
  }

  @Test func boundsCenterAndExtent() {
    let map = WorldMap(cloud: FeatureCloud(positions: [[1, -1, 0], [3, 5, 2]], identifiers: [1, 2]))
    #expect(map.center == [2, 2, 1])
    #expect(map.extent == [2, 6, 2])
    #expect(WorldMap().bounds == nil)
  }

  /// `perCell` points in each of `cells` cells in a row.
  private func evidence(
    cells: Int, perCell: Int, views: UInt32? = nil, hasDescriptors: Bool = false
  ) -> MappingEvidence {
    let positions = (0..<(cells * perCell)).map { index in
      SIMD3<Float>(Float(index / perCell) * MappingEvidence.cellSize + 0.1, 0.1, 0.1)
    }
    var cloud = FeatureCloud(positions: positions, identifiers: positions.indices.map { UInt64($0) })
    if hasDescriptors {
      cloud.channels.descriptors = .init(kind: "orb", size: 1, bytes: [UInt8](repeating: 0, count: cloud.count))
    }
    return MappingEvidence(cloud, views: views)
  }

  private func status(
    cells: Int, perCell: Int, views: UInt32? = nil, hasDescriptors: Bool = false
  ) -> MappingStatus {
    evidence(cells: cells, perCell: perCell, views: views, hasDescriptors: hasDescriptors).status
  }

  @Test func progressReachesOneExactlyWhenMapped() {
    #expect(evidence(cells: 0, perCell: 0).progress == 0)
    #expect(evidence(cells: 6, perCell: 200).progress == 0.25)
    #expect(evidence(cells: 900, perCell: 9).progress == 0.5)
    // Of the strength, 28,000 of 70,000, the root counts.
    #expect(abs(evidence(cells: 70, perCell: 20).progress - (0.4 as Float).squareRoot()) < 1e-6)
    #expect(evidence(cells: 216, perCell: 18).progress < 1)
    #expect(evidence(cells: 217, perCell: 18).progress == 1)
    #expect(evidence(cells: 217, perCell: 18, views: 9).progress == 0.75)
    #expect(WorldMap().buildingProgress == 0)
  }

  @Test func statusFollowsItsTable() {
    #expect(status(cells: 0, perCell: 0) == .notAvailable)
    #expect(status(cells: 7, perCell: 100) == .limited(.coverage))
    #expect(status(cells: 8, perCell: 70) == .limited(.coverage))
    #expect(status(cells: 8, perCell: 71) == .extending)
    #expect(status(cells: 300, perCell: 14) == .limited(.density))
    #expect(status(cells: 177, perCell: 15) == .limited(.coverage))
    #expect(status(cells: 178, perCell: 15) == .extending)
    #expect(status(cells: 8, perCell: 3) == .limited([.coverage, .density]))
    #expect(status(cells: 100, perCell: 14) == .limited([.coverage, .density]))
    #expect(status(cells: 178, perCell: 15, views: 2) == .limited(.views))
    #expect(status(cells: 23, perCell: 60) == .extending)
    #expect(status(cells: 24, perCell: 60) == .mapped)
    #expect(status(cells: 400, perCell: 17) == .extending)
    #expect(status(cells: 216, perCell: 18) == .extending)
    #expect(status(cells: 217, perCell: 18) == .mapped)
    #expect(status(cells: 217, perCell: 18, views: 11) == .extending)
    #expect(status(cells: 217, perCell: 18, views: 12) == .mapped)
  }

  @Test func descriptorsMakeAMapWorthSharingAndNotMapped() {
    #expect(status(cells: 499, perCell: 1, hasDescriptors: true) == .limited([.coverage, .density]))
    #expect(status(cells: 500, perCell: 1, hasDescriptors: true) == .extending)
    #expect(status(cells: 500, perCell: 1, views: 2, hasDescriptors: true) == .limited(.views))
    #expect(evidence(cells: 500, perCell: 1, hasDescriptors: true).progress == 0)
    #expect(status(cells: 217, perCell: 18, hasDescriptors: true) == .mapped)
  }
}
