import Testing
import WorldAlignment
import WorldModel

@testable import AlignmentTrials

extension DescribedTrial.Kind {
  fileprivate static let orb = Self(name: "orb", bytes: 32, bits: 256)
  /// No multiple of a word, and not all of its last byte.
  fileprivate static let odd = Self(name: "odd", bytes: 21, bits: 165)
}

/// Clouds whose points look like something; of the points of one place only a tenth look alike in both.
@Suite struct DescriptorTests {
  private func answer(_ trial: DescribedTrial, _ mode: AlignmentMode) throws -> (Relocalization?, turns: Int) {
    let relocalizer = try Relocalizer(map: trial.map, sightings: trial.mapSightings)
    var memory = PlaceMemory()
    let answer = try relocalizer.relocalize(
      trial.query, sightings: trial.querySightings, mode: mode, remembering: &memory)
    return (answer, memory.work.turns)
  }

  @Test(arguments: [DescribedTrial.Kind.arkit, .orb, .odd], AlignmentMode.allCases)
  func `two devices' maps of one place are lined up by what their points look like`(
    kind: DescribedTrial.Kind, mode: AlignmentMode
  ) throws {
    let trial = DescribedTrial(.onePlace, kind, points: 300, sightings: 3, mode: mode, seed: 11)
    let (found, turns) = try answer(trial, mode)
    let answer = try #require(found)
    #expect(trial.isRight(try #require(answer.transform)) && answer.confidence > 0.5)
    // No search by shape was needed, which would not find it: nine tenths of the points are elsewhere.
    #expect(turns == 0)
    let sure = try #require(answer.uncertainty)
    #expect(sure.position < 0.03 && sure.orientation < 0.035)
  }

  @Test func `an answer says how large the part is that carries it`() throws {
    let trial = DescribedTrial(.onePlace, points: 300, sightings: 3, mode: .gravity, seed: 11)
    let support = try #require(try answer(trial, .gravity).0?.support)
    let all = try #require(BoundingBox(containing: trial.map.positions))
    #expect(support.source == .descriptors && support.points >= 15)
    #expect(all.contains(support.box.minimum) && all.contains(support.box.maximum))
    // Only what stands in one corner is known again: a box of that corner.
    let moved = DescribedTrial(.onePlace, points: 300, sightings: 3, mode: .gravity, seed: 12, corner: 0.8)
    let part = try #require(try answer(moved, .gravity).0?.support)
    #expect(part.box.extent.x < 0.85 && part.box.extent.z < 0.85)
  }

  /// With all matches as evidence the chairs of 51 were accepted; without the look at poses elsewhere those of 30 and 38.
  @Test(
    arguments: [DescribedTrial.Relation.strangers, .repeats, .tiles, .furniture, .clutter], [30, 38, 51] as [UInt64])
  func `maps of other places are not accepted, whatever they have in common`(
    relation: DescribedTrial.Relation, seed: UInt64
  ) throws {
    let trial = DescribedTrial(relation, points: 250, sightings: 3, mode: .gravity, seed: seed)
    let relocalizer = try Relocalizer(describing: trial.map, sightings: trial.mapSightings)
    let answer = try relocalizer.relocalizeByDescriptors(trial.query, sightings: trial.querySightings, mode: .gravity)
    #expect(answer?.isAccepted != true && (answer?.confidence ?? 0) < 0.5)
  }

  @Test func `a floor of equal tiles does not hide that two maps show one place`() throws {
    let trial = DescribedTrial(.tiledPlace, points: 300, sightings: 3, mode: .gravity, seed: 11)
    let answer = try #require(try answer(trial, .gravity).0)
    #expect(trial.isRight(try #require(answer.transform)))
  }

  @Test func `two maps that are lined up by what their points look like become one`() throws {
    let trial = DescribedTrial(.onePlace, points: 300, sightings: 3, mode: .gravity, seed: 11)
    let pose = try #require(try answer(trial, .gravity).0?.transform)
    let (map, other) = (WorldMap(cloud: trial.map), WorldMap(cloud: trial.query))
    // The 60 points that both have are a centimetre or two apart.
    let merge = try MapMerge(map, adding: other, at: pose, within: 0.05)
    #expect((50...70).contains(merge.joined) && merge.added == 300 - merge.joined)
    #expect(merge.map.cloud.channels.descriptors?.bytes.count == 64 * merge.map.cloud.count)
  }

  @Test func `several sightings of a point tell more than one`() throws {
    let trial = DescribedTrial(.onePlace, points: 300, sightings: 6, mode: .gravity, seed: 21)
    let all = try #require(
      try Relocalizer(describing: trial.map, sightings: trial.mapSightings)
        .relocalizeByDescriptors(trial.query, sightings: trial.querySightings, mode: .gravity))
    let one = try #require(
      try Relocalizer(describing: trial.map, sightings: nil)
        .relocalizeByDescriptors(trial.query, sightings: nil, mode: .gravity))
    #expect(all.isAccepted && all.inliers > one.inliers)
  }

  @Test func `descriptors of another kind or size are not compared`() throws {
    let trial = DescribedTrial(.onePlace, .orb, points: 200, sightings: 1, mode: .gravity, seed: 31)
    let relocalizer = try Relocalizer(describing: trial.map, sightings: nil)
    var other = try #require(trial.query.channels.descriptors)
    other.kind = "brief"
    let renamed = FeatureCloud(
      positions: trial.query.positions, identifiers: trial.query.identifiers,
      channels: FeatureCloud.Channels(descriptors: other))
    #expect(try relocalizer.relocalizeByDescriptors(trial.query, sightings: nil, mode: .gravity)?.isAccepted == true)
    #expect(try relocalizer.relocalizeByDescriptors(renamed, sightings: nil, mode: .gravity) == nil)
    let bare = FeatureCloud(positions: trial.query.positions, identifiers: trial.query.identifiers)
    #expect(try relocalizer.relocalizeByDescriptors(bare, sightings: nil, mode: .gravity) == nil)
  }

  @Test func `descriptors that are not those of the points are refused`() throws {
    let trial = DescribedTrial(.onePlace, .orb, points: 60, sightings: 2, mode: .gravity, seed: 41)
    var uneven = trial.mapSightings
    uneven.counts[7] += 1
    #expect(throws: AlignmentError.unevenDescriptors) { try Relocalizer(map: trial.map, sightings: uneven) }
    var short = trial.mapSightings
    short.counts.removeLast()
    #expect(throws: AlignmentError.unevenDescriptors) { try Relocalizer(map: trial.map, sightings: short) }
    let relocalizer = try Relocalizer(map: trial.map)
    #expect(throws: AlignmentError.unevenDescriptors) {
      try relocalizer.relocalize(trial.query, sightings: uneven, mode: .gravity)
    }
    var positions = trial.map.positions
    positions[3].y = .nan
    let broken = FeatureCloud(
      positions: positions, identifiers: trial.map.identifiers, channels: trial.map.channels)
    #expect(throws: AlignmentError.notFinite) { try Relocalizer(map: broken) }
  }
}
