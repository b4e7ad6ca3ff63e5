import FoundationEssentials
import PeerCLI
package import SharedWorld
package import WorldFormats

/// A map as binary glTF 2.0 (Khronos, 2021): its points, in their colours if they have some, and a node for each anchor.
package enum GLBFile {
  /// The file of a map.
  ///
  /// glTF has y up and metres, as maps have; `origin` goes with the scene as an extra.
  package static func encode(_ map: WorldMap, origin: CloudOrigin = .zero) -> [UInt8] {
    let cloud = map.cloud
    var binary: [UInt8] = []
    binary.reserveCapacity(16 * cloud.count)
    for position in cloud.positions {
      for axis in 0..<3 { append(position[axis].bitPattern, to: &binary) }
    }
    let colors = cloud.channels.colors ?? []
    for color in colors { binary += [color.x, color.y, color.z, 255] }
    let anchors = map.anchors.map { anchor -> JSON in
      ["name": .string(anchor.name), "matrix": Viewer.numbers(anchor.transform)]
    }
    var members: JSON.Members = [
      "asset": ["version": "2.0", "generator": "SharedWorld"], "scene": .integer(0),
      "scenes": .array([
        [
          "nodes": .array((0..<anchors.count + (cloud.isEmpty ? 0 : 1)).map { .integer($0) }),
          "extras": ["origin": .array(origin.coordinates.map(JSON.number))],
        ]
      ]),
      "nodes": .array((cloud.isEmpty ? [] : [["name": "points", "mesh": .integer(0)]]) + anchors),
    ]
    if !cloud.isEmpty { members = members + mesh(cloud, bytes: binary.count) }
    var text = Array(JSON.object(members).text.utf8)
    while !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: " ")) }
    var file: [UInt8] = []
    var chunks: [(kind: UInt32, bytes: [UInt8])] = [(0x4e4f_534a, text)]
    if !binary.isEmpty { chunks.append((0x004e_4942, binary)) }
    let total = chunks.reduce(12) { $0 + 8 + $1.bytes.count }
    for word in [0x4654_6c67, 2, UInt32(total)] as [UInt32] { append(word, to: &file) }
    for (kind, bytes) in chunks {
      append(UInt32(bytes.count), to: &file)
      append(kind, to: &file)
      file += bytes
    }
    return file
  }

  /// The points as one mesh over the only buffer.
  private static func mesh(_ cloud: FeatureCloud, bytes: Int) -> JSON.Members {
    let (count, hasColors) = (cloud.count, cloud.channels.colors != nil)
    let box = BoundingBox(containing: cloud.positions)
    var accessors: [JSON] = [
      [
        "bufferView": .integer(0), "componentType": .integer(5126), "count": .integer(count), "type": "VEC3",
        "min": .point(box?.minimum ?? .zero), "max": .point(box?.maximum ?? .zero),
      ]
    ]
    var views: [JSON] = [["buffer": .integer(0), "byteOffset": .integer(0), "byteLength": .integer(12 * count)]]
    var attributes: JSON.Members = ["POSITION": .integer(0)]
    if hasColors {
      accessors.append([
        "bufferView": .integer(1), "componentType": .integer(5121), "normalized": .bool(true), "count": .integer(count),
        "type": "VEC4",
      ])
      views.append([
        "buffer": .integer(0), "byteOffset": .integer(12 * count), "byteLength": .integer(4 * count),
      ])
      attributes = attributes + ["COLOR_0": .integer(1)]
    }
    return [
      "meshes": .array([["primitives": .array([["mode": .integer(0), "attributes": .object(attributes)]])]]),
      "accessors": .array(accessors), "bufferViews": .array(views),
      "buffers": .array([["byteLength": .integer(bytes)]]),
    ]
  }

  private static func append(_ word: UInt32, to bytes: inout [UInt8]) {
    for byte in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(8 * byte))) }
  }
}
