import Foundation
import Testing
import WorldModel

@testable import WorldFormats

@Suite struct ARKitArchiveTests {
  private static func room(_ version: Int) throws -> ARKitArchive {
    try ARKitArchive(reading: ArchiveFixture.bytes("room-\(version)"))
  }

  private static func anchor(_ number: Int, of map: WorldMap) throws -> Anchor {
    let low = UInt64(0x8000_0000_0000_0000) | UInt64(number)
    return try #require(map.anchors.first { $0.id == AnchorID(high: 0x4000, low: low) })
  }

  @Test(arguments: [1, 2])
  func `anchors come with identifier, name, transform and kind`(version: Int) throws {
    let archive = try Self.room(version)
    let map = archive.map
    #expect(archive.version == version && archive.unreadablePoints == nil && map.anchors.count == 10)
    let mug = try Self.anchor(1, of: map)
    #expect(mug.name == "mug" && mug.kind == .plain && mug.payload == nil)
    #expect(mug.transform.translation == [0.1, 0.75, -0.3])
    #expect(mug.transform.columns.0.x.magnitude - cos(0.4) < 1e-6 && mug.transform.columns.2.x > 0.38)
    #expect(try Self.anchor(2, of: map).name == "")
    #expect(try Self.anchor(7, of: map).kind == .image(.init(referenceName: "poster", physicalSize: .zero)))
    #expect(try Self.anchor(8, of: map).kind == .object(.init(referenceName: "teapot", extent: .zero)))
  }

  @Test(arguments: [1, 2])
  func `planes come with extent, boundary, alignment and classification`(version: Int) throws {
    let map = try Self.room(version).map
    let corners: [SIMD2<Float>] = [[-0.5, -0.4], [0.5, -0.4], [0.6, 0], [0.5, 0.4], [-0.5, 0.4]]
    let table = try Self.anchor(0x2a, of: map)
    #expect(
      table.kind
        == .plane(.init(alignment: .horizontal, classification: .table, extent: [1.1, 0.8], boundary: corners)))
    let wall = try Self.anchor(6, of: map)
    guard case .plane(let plane) = wall.kind else { throw Missing() }
    #expect(plane.alignment == .vertical && plane.classification == .wall && plane.boundary.count == 3)
    // A plane without geometry, whose rectangle is not about its origin.
    guard case .plane(let floor) = try Self.anchor(5, of: map).kind else { throw Missing() }
    #expect(floor.classification == .floor && floor.extent == [3, 2])
    #expect(floor.boundary == [[-1, -0.75], [2, -0.75], [2, 1.25], [-1, 1.25]])
  }

  private struct Missing: Error {}

  @Test(arguments: [1, 2])
  func `an anchor of an app's own class is plain and keeps the name of the class`(version: Int) throws {
    let map = try Self.room(version).map
    let expected: [(Int, ARKitAnchor)] = [
      (3, ARKitAnchor(class: "Example.LabelAnchor")), (9, ARKitAnchor(class: "AREnvironmentProbeAnchor")),
      (10, ARKitAnchor(class: "AREnvironmentProbeAnchor", extent: [1, 0.5, 2])),
    ]
    for (number, content) in expected {
      let anchor = try Self.anchor(number, of: map)
      let payload = try #require(anchor.payload)
      #expect(anchor.kind == .plain && payload.contentType == "application/json")
      #expect(try JSONDecoder().decode(ARKitAnchor.self, from: Data(payload.bytes)) == content)
    }
    #expect(try Self.anchor(3, of: map).name == "Küche")
  }

  @Test(arguments: [1, 2])
  func `points lie where the scene has them, and keep what the device knew`(version: Int) throws {
    let archive = try Self.room(version)
    let cloud = archive.map.cloud
    let lines = try ArchiveFixture.lines("room-\(version)", "point")
    let leftOut = try ArchiveFixture.lines("room-\(version)", "left-out")
    #expect(archive.droppedPoints == Int(leftOut[0][0]) && archive.droppedPoints == 2)
    #expect(cloud.count == lines.count && cloud.count > 40 && cloud.isSorted)
    let evidence = try #require(cloud.channels.evidence)
    let descriptors = try #require(cloud.channels.descriptors)
    #expect(descriptors.kind == "arkit-471" && descriptors.size == 59)
    for line in lines {
      let index = try #require(
        evidence.firstIndex { "\($0.session)" == line[0] && "\($0.number)" == line[1] })
      #expect(cloud.positions[index].distance(to: SIMD3(words: line[2..<5])) < 1e-5)
      let row = evidence[index]
      let (residual, deviation) = (try #require(Float(line[6])), try #require(Float(line[7])))
      #expect("\(row.sightings)" == line[5] && abs((row.residual ?? -1) - residual) < 1e-3)
      #expect(abs((row.depthDeviation ?? -1) - deviation) < 1e-5)
      #expect(descriptors[index].map { String(format: "%02x", $0) }.joined() == line[8])
    }
    #expect(evidence.contains { $0.depthDeviation == nil })
  }

  @Test(arguments: [1, 2])
  func `all sightings of a point come with their descriptors, the one of the cloud first`(version: Int) throws {
    let archive = try Self.room(version)
    let sightings = try #require(archive.sightings)
    let cloud = archive.map.cloud
    let (evidence, first) = (try #require(cloud.channels.evidence), try #require(cloud.channels.descriptors))
    #expect(sightings.counts == evidence.map(\.sightings) && sightings.counts.contains { $0 > 1 })
    #expect(sightings.descriptors.kind == first.kind && sightings.descriptors.size == first.size)
    var place = 0
    for index in cloud.indices {
      #expect(sightings.descriptors[place] == first[index])
      place += Int(sightings.counts[index])
    }
    #expect(sightings.descriptors.bytes.count == place * first.size)
  }

  @Test(arguments: [1, 2])
  func `keyframes have the pose, the lens and the time of their pictures`(version: Int) throws {
    let map = try Self.room(version).map
    let lines = try ArchiveFixture.lines("room-\(version)", "keyframe")
    #expect(map.keyframes.count == lines.count && map.views == UInt32(lines.count))
    #expect(Set(map.keyframes.map(\.camera)).count == version)
    for (keyframe, line) in zip(map.keyframes, lines) {
      #expect("\(keyframe.session)" == line[0] && "\(keyframe.number)" == line[1] && "\(keyframe.camera)" == line[2])
      #expect(Double(line[3]) == keyframe.time)
      let (x, y, z) = (keyframe.pose.columns.0, keyframe.pose.columns.1, keyframe.pose.columns.2)
      for (axis, start) in [(x, 4), (y, 7), (z, 10)] {
        #expect(SIMD3(axis.x, axis.y, axis.z).distance(to: SIMD3(words: line[start..<start + 3])) < 1e-5)
      }
      #expect(keyframe.pose.translation.distance(to: SIMD3(words: line[13..<16])) < 1e-5)
    }
  }

  @Test(arguments: [1, 2])
  func `points of the imported map project to where its keyframes saw them`(version: Int) throws {
    let map = try Self.room(version).map
    let pixels = try ArchiveFixture.lines("room-\(version)", "pixel").map { line in
      (keyframe: UInt64(line[0]), values: line[1...].compactMap { Double($0) })
    }
    var explained = 0
    for point in map.cloud.indices {
      let residual = Double(try #require(map.cloud.channels.evidence?[point].residual))
      for keyframe in map.keyframes {
        guard let ray = keyframe.ray(to: map.cloud.positions[point]) else { continue }
        let (u, v) = keyframe.lens.pixel(ray)
        // The lens of a frame, applied to the ray of an observation, gives its pixel.
        let seen = pixels.filter { $0.keyframe == keyframe.number }.map(\.values)
        #expect(seen.allSatisfy { abs(keyframe.lens.pixel([$0[0], $0[1]]).u - $0[2]) < 1e-9 })
        if seen.contains(where: { hypot($0[2] - u, $0[3] - v) <= residual * 1.3 + 0.01 }) { explained += 1 }
      }
    }
    let sightings = (map.cloud.channels.evidence ?? []).reduce(0) { $0 + Int($1.sightings) }
    // The scene has more sightings than a wrong frame or lens would explain by chance.
    #expect(sightings > 100 && explained >= sightings)
  }

  @Test func `the points of an extended map differ by session, and keep their identifiers`() throws {
    let cloud = try Self.room(2).map.cloud
    let evidence = try #require(cloud.channels.evidence)
    #expect(Set(evidence.map(\.session)).count == 2 && Set(cloud.identifiers).count == cloud.count)
    #expect(try Self.room(1).map.cloud.identifiers.first == 1)
  }

  @Test(arguments: [
    ("later-name", "trackingData 'FutureData' is not known"),
    ("later-layout", "trackingData 'MapDataSample' version 3"),
    ("later-archive", "trackingData 'MapDataSample' in an archive of version 3"),
    ("left-over", "1 bytes left over at byte 4668 of trackingData"), ("cut", nil), ("huge-count", nil),
    ("empty", "the end instead of a value at byte 0 of trackingData"),
  ])
  func `of an unknown layout the anchors come and no point does`(name: String, reason: String?) throws {
    let archive = try ARKitArchive(reading: ArchiveFixture.bytes(name))
    #expect(archive.map.anchors.map(\.name) == ["kept"])
    #expect(archive.map.cloud.isEmpty && archive.map.keyframes.isEmpty && archive.map.views == nil)
    let found = try #require(archive.unreadablePoints)
    #expect(found.hasPrefix("points unreadable: "))
    if let reason { #expect(found == "points unreadable: \(reason)") }
  }

  @Test func `a map inside an app's own object is found`() throws {
    let archive = try ARKitArchive(reading: ArchiveFixture.bytes("wrapped"))
    #expect(archive.map.anchors.map(\.name) == ["kept"] && archive.map.cloud.count == 6)
  }

  @Test(arguments: [1, 2])
  func `an imported map keeps everything in a .worldmap file`(version: Int) throws {
    var map = try Self.room(version).map
    map.anchors.sort { $0.id < $1.id }
    #expect(try WorldMap(decoding: map.encoded()) == map)
    let file = try MapFile(reading: ArchiveFixture.bytes("room-\(version)"), fileExtension: "arexperience")
    #expect(file.format == .arkitArchive && file.droppedPoints == 2 && file.map.cloud == map.cloud)
  }
}

extension Keyframe {
  /// The ray at depth 1 (x right, y down) on which the camera sees a point; nil behind it.
  fileprivate func ray(to point: SIMD3<Float>) -> SIMD2<Double>? {
    let seen = pose.inverse.act(on: point)
    guard seen.z < 0 else { return nil }
    return [Double(seen.x / -seen.z), Double(-seen.y / -seen.z)]
  }
}

extension Keyframe.Lens {
  /// The pixel of a ray, as the documentation of the lens says.
  fileprivate func pixel(_ ray: SIMD2<Double>) -> (u: Double, v: Double) {
    let r = hypot(ray.x, ray.y)
    let scale: Double
    switch model {
    case .pinhole: scale = 1 + distortion.x * r * r + distortion.y * r * r * r * r
    case .fisheye:
      let t = atan(r)
      let sum = (0..<4).reduce(1.0) { $0 + distortion[$1] * pow(t, Double(2 * $1 + 2)) }
      scale = r > 0 ? t * sum / r : 1
    }
    let pixel = center + focalLength * ray * scale
    return (pixel.x, pixel.y)
  }
}
