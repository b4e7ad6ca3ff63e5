import Testing

@testable import WorldModel

@Suite("Editing maps and frames")
struct EditingTests {
  @Test func mergeKeepsEachIdentifierOnceAndPrefersTheOther() throws {
    let old = FeatureCloud(positions: [[1, 0, 0], [2, 0, 0], [3, 0, 0]], identifiers: [1, 2, 3])
    let new = FeatureCloud(positions: [[9, 0, 0], [4, 0, 0]], identifiers: [2, 4])
    let merged = try old.merged(with: new)
    #expect(merged.identifiers == [1, 2, 3, 4])
    #expect(merged.positions.map(\.x) == [1, 9, 3, 4])
    #expect(try FeatureCloud().merged(with: new).identifiers == [2, 4])
    let twice = FeatureCloud(positions: [.zero, .zero], identifiers: [7, 7])
    #expect(throws: ModelError.duplicatePoint(7)) { try old.merged(with: twice) }
  }

  @Test func mergeKeepsChannelsThatBothHave() throws {
    let rich = Samples.cloud(20, channels: true)
    #expect(try rich.merged(with: rich) == rich)
    let plain = FeatureCloud(positions: [.zero], identifiers: [1])
    #expect(try rich.merged(with: plain).channels.isEmpty)
  }

  @Test func mapsMergeAnchorsById() throws {
    var renamed = Samples.anchors[1]
    renamed.name = "renamed"
    let map = WorldMap(anchors: Samples.anchors, views: 3)
    let merged = try map.merged(with: WorldMap(anchors: [renamed], views: 4))
    #expect(merged.anchors.count == Samples.anchors.count)
    #expect(merged.anchors.first { $0.id == renamed.id }?.name == "renamed")
    #expect(merged.views == 7)
  }

  @Test func mergedViewsAreNeverFewerThanTheyAre() throws {
    let cloud = FeatureCloud(positions: [.zero], identifiers: [1])
    func views(_ one: UInt32?, _ other: UInt32?) throws -> UInt32? {
      try WorldMap(cloud: cloud, views: one).merged(with: WorldMap(cloud: cloud, views: other)).views
    }
    #expect(try views(5, .max) == .max)
    #expect(try views(5, nil) == nil)
    #expect(try views(nil, 5) == nil)
    // Anchors alone were not seen by any view.
    #expect(try WorldMap(cloud: cloud, views: 5).merged(with: WorldMap(anchors: Samples.anchors)).views == 5)
    #expect(try WorldMap(anchors: Samples.anchors).merged(with: WorldMap(cloud: cloud, views: 5)).views == 5)
    #expect(try WorldMap().merged(with: WorldMap()).views == nil)
  }

  @Test func unknownSectionsAreMergedOnce() throws {
    let sections = (0..<3).map { code in
      WorldMap.UnknownSection(code: 0x4141_4141 + code, codec: 0, rawLength: 0, coveredLength: 0, bytes: [])
    }
    var (one, other) = (WorldMap(), WorldMap())
    one.unknownSections = [sections[0], sections[1]]
    other.unknownSections = [sections[1], sections[2]]
    #expect(try one.merged(with: other).unknownSections == sections)
  }

  @Test func cropKeepsTheSurface() {
    let cloud = FeatureCloud(positions: [[0, 0, 0], [1, 1, 1], [1.01, 0, 0]], identifiers: [1, 2, 3])
    let box = BoundingBox(minimum: .zero, maximum: .one)
    #expect(WorldMap(cloud: cloud).cropped(to: box).cloud.identifiers == [1, 2])
  }

  @Test func transformMovesPointsNormalsAndAnchors() throws {
    let turn = Transform(x: [0, 0, -1], y: [0, 1, 0], z: [1, 0, 0], translation: [0, 5, 0])
    let cloud = FeatureCloud(positions: [[1, 0, 0]], identifiers: [1], channels: .init(normals: [[1, 0, 0]]))
    let map = WorldMap(anchors: [Anchor(name: "a", transform: .init(translation: [1, 0, 0]))], cloud: cloud)
    let moved = try map.transformed(by: turn)
    #expect(moved.cloud.positions == [[0, 5, -1]])
    #expect(moved.cloud.channels.normals == [[0, 0, -1]])
    #expect(moved.anchors[0].transform.translation == [0, 5, -1])
    let scale = Transform(x: [2, 0, 0], y: [0, 2, 0], z: [0, 0, 2], translation: .zero)
    #expect(throws: ModelError.self) { try map.transformed(by: scale) }
  }

  @Test func downsamplingKeepsThePointNearestToTheMean() throws {
    let cloud = FeatureCloud(
      positions: [[0.1, 0, 0], [0.5, 0, 0], [0.8, 0, 0], [-0.1, 0, 0]], identifiers: [10, 20, 30, 40])
    #expect(try cloud.downsampled(voxel: 1).identifiers == [20, 40])
    #expect(throws: ModelError.outOfRange(field: "voxel")) { try cloud.downsampled(voxel: 0) }
    // More cells away than whole numbers of 32 bits count.
    let far = FeatureCloud(positions: [[5_000, 0, 0], [6_000, 0, 0], [5_000, 0, 0]], identifiers: [1, 2, 3])
    #expect(try far.downsampled(voxel: 1e-6).identifiers == [1, 2])
  }

  /// Computed by hand from the definitions of the frames.
  @Test func framesMapTheirAxesAsDefined() {
    // A point 3 m ahead, 2 m to the left, 1 m up in ROS.
    #expect(CoordinateFrame.ros.pointToWorld([3, 2, 1]) == [-2, 1, -3])
    // A point 1 m right, 2 m down, 3 m ahead in COLMAP.
    #expect(CoordinateFrame.colmap.pointToWorld([1, 2, 3]) == [1, -2, -3])
    #expect(CoordinateFrame.zUp.pointToWorld([1, 2, 3]) == [1, 3, -2])
    for frame in CoordinateFrame.allCases {
      #expect(frame.pointFromWorld(frame.pointToWorld([1, 2, 3])) == [1, 2, 3])
      #expect(frame.toWorld.isRigid)
    }
  }

  @Test func posesComeOverWithTheirBodies() throws {
    // A ROS body at 1 m ahead, turned 90° to the left: it looks along ROS's +y, which is the world's −x.
    let body = Transform(x: [0, 1, 0], y: [-1, 0, 0], z: [0, 0, 1], translation: [1, 0, 0])
    let pose = CoordinateFrame.ros.poseToWorld(body)
    #expect(pose.translation == [0, 0, -1])
    #expect(pose.rotate([0, 0, -1]) == [-1, 0, 0])
    #expect(CoordinateFrame.ros.poseFromWorld(pose) == body)
    // COLMAP's identity rotation and t = (0, 0, 2): the camera stands 2 m behind the origin and looks along +z.
    let camera = try #require(CoordinateFrame.cameraPose(colmapRotation: [0, 0, 0, 1], translation: [0, 0, 2]))
    #expect(camera.translation == [0, 0, 2])
    #expect(camera.rotate([0, 0, -1]) == [0, 0, -1])
    // A quarter turn about y takes the world's z to the camera's x: R = (0 0 1; 0 1 0; −1 0 0). With t = (0, 0, 2) the camera
    // stands at −Rᵀt = (2, 0, 0) and looks along Rᵀ(0, 0, 1) = (−1, 0, 0).
    let half = Float(0.5).squareRoot()
    let turned = try #require(CoordinateFrame.cameraPose(colmapRotation: [0, half, 0, half], translation: [0, 0, 2]))
    #expect((turned.translation - [2, 0, 0]).length < 1e-6)
    #expect((turned.rotate([0, 0, -1]) - [-1, 0, 0]).length < 1e-6)
    // Its y is up: −y is down in the picture and in COLMAP's world alike.
    #expect((turned.rotate([0, 1, 0]) - [0, 1, 0]).length < 1e-6)
  }
}
