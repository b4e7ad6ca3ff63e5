import Basics
@testable import WorldModel

/// Deterministic values that several tests share.
enum Samples {
  /// One anchor kind of each case.
  static let kinds: [Anchor.Kind] = [
    .plain,
    .plane(
      .init(
        alignment: .horizontal, classification: .floor, extent: [3, 2.5], boundary: [[-1, -1], [1, -1], [0, 1.25]])),
    .image(.init(referenceName: "poster", physicalSize: [0.3, 0.4])),
    .object(.init(referenceName: "cup", extent: [0.1, 0.12, 0.1])),
    .mesh(.init(referenceName: "room.obj", digest: SHA256Digest(hashing: [1, 2, 3]), extent: [4, 3, 5])),
    .participant(PeerID(SHA256Digest(hashing: [7]))),
  ]

  /// One anchor of each kind, with and without the optional fields.
  static let anchors: [Anchor] = kinds.enumerated().map { index, kind in
    Anchor(
      id: AnchorID(high: 0x1111 * UInt64(kinds.count - index), low: UInt64(index)), name: "anchor \(index)",
      transform: .looking(at: [Float(index), 0, 0], from: [0, 1, 2]), kind: kind,
      payload: index % 2 == 0 ? .init(contentType: "text/plain", bytes: Array("hello \(index)".utf8)) : nil,
      creator: index % 3 == 0 ? PeerID(SHA256Digest(hashing: [UInt8(index)])) : nil,
      createdAt: index % 3 == 1 ? SessionTime(milliseconds: UInt64(index) * 1000) : nil)
  }

  /// A map as a device surveyed it: two keyframes, and evidence of all points but one.
  static let survey: WorldMap = {
    var map = WorldMap(cloud: cloud(12), views: 2)
    map.cloud.channels.evidence = map.cloud.indices.map { index in
      index == 5
        ? FeatureEvidence()
        : FeatureEvidence(
          session: 0xfedc_ba98_7654_3210, number: UInt64(3 * index), sightings: UInt32(index + 1),
          residual: index % 4 == 1 ? nil : Float(index) / 8, depthDeviation: index % 3 == 2 ? nil : 0.125)
    }
    map.keyframes = Keyframe.Lens.Model.allCases.map { model in
      Keyframe(
        session: 0xfedc_ba98_7654_3210, number: 10, camera: UInt64(model.rawValue), time: 12.5,
        pose: .looking(at: [0, 0, 0], from: [1, 2, 3]),
        lens: .init(model: model, focalLength: [270, 271], center: [160, 90], distortion: [0.5, -0.25, 0, 0.125]))
    }
    return map
  }()

  /// A cloud of `count` points on the walls of a room, with gaps between the identifiers.
  static func cloud(_ count: Int, seed: UInt64 = 1, channels: Bool = false) -> FeatureCloud {
    var random = SplitMix64(seed: seed)
    var points: [FeaturePoint] = []
    var identifier: UInt64 = 1000
    var center = SIMD3<Float>.zero
    for index in 0..<count {
      if index % 40 == 0 { center = [random.unit() * 4, random.unit() * 2.5, index % 80 == 0 ? 0 : random.unit() * 5] }
      identifier += 1 + random.next() % 5
      let offset = SIMD3(random.unit(), random.unit(), random.unit()) * 0.2
      points.append(
        FeaturePoint(
          position: center + offset, identifier: identifier, confidence: channels ? random.unit() : nil,
          color: channels ? SIMD3(200, UInt8(index & 255), UInt8(random.next() & 7)) : nil,
          normal: channels ? [0, 1, 0] : nil))
    }
    let cloud = FeatureCloud(points)
    guard channels else { return cloud }
    var all = cloud.channels
    all.descriptors = .init(kind: "orb", size: 8, bytes: (0..<(count * 8)).map { _ in UInt8(random.next() & 255) })
    return FeatureCloud(positions: cloud.positions, identifiers: cloud.identifiers, channels: all)
  }
}

extension SplitMix64 {
  /// A number from 0 up to 1, on a grid of 2⁻²⁴.
  mutating func unit() -> Float { Float(next() >> 40) / 16_777_216 }
}
