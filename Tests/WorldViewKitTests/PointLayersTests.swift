import Foundation
import PeerCLI
import SharedWorld
import Testing
import WorldFormats
import WorldViewKit

@Suite("Points of the page")
struct PointLayersTests {
  /// A floor of 10 by 10 m, stored row by row, and one point at a kilometre.
  static let floor = (0..<90_000).map { SIMD3<Float>(Float($0 % 300) / 30, 0, Float($0 / 300) / 30) } + [[1000, 0, 0]]

  private func layers(_ positions: [SIMD3<Float>], limit: Int = PointLayers.limit) throws -> PointLayers {
    let bounds = try #require(BoundingBox(ignoringOutliersOf: positions))
    return PointLayers(positions, bounds: bounds, limit: limit)
  }

  @Test("each layer is an even sample, together they are all points but the far ones, on cells of a millimetre")
  func layered() throws {
    let layers = try layers(Self.floor)
    #expect(layers.count == 90_000)
    #expect(layers.sizes.count == 3 && layers.sizes[0] <= 32_768 && abs(layers.sizes[2] - 45_000) <= 1)
    for layer in 0..<3 {
      // A quarter of each layer lies in each quarter of the floor.
      let near = layers.indices(of: layer).count { Self.floor[$0].x < 5 && Self.floor[$0].z < 5 }
      #expect(abs(near * 4 - layers.sizes[layer]) < layers.sizes[layer] / 20)
    }
    #expect(abs(layers.step - 0.001) < 1e-6)
    #expect(try self.layers(Self.floor, limit: 1000).count == 1000)
    #expect(PointLayers([], bounds: BoundingBox(minimum: .zero, maximum: .zero)).count == 0)
    #expect(try self.layers([[.nan, 0, 0], [0, 0, 0], [1, 1, 1]]).count == 2)
  }

  @Test("neighbours are as far apart as the surface says, however many points there are")
  func spacing() throws {
    #expect((0.025...0.05).contains(try layers(Self.floor).spacing))
    #expect((0.2...0.5).contains(try layers((0..<1300).map { Self.floor[$0 * 69] }).spacing))
  }

  @Test("a body has its head, and less than 3.4 MB for a million points")
  func body() throws {
    let cloud = SyntheticRoom(seed: 3, pointCount: 100_000).map().cloud
    let bounds = try #require(BoundingBox(ignoringOutliersOf: cloud.positions))
    let layers = PointLayers(cloud.positions, bounds: bounds)
    let id = MapID(SHA256Digest(hashing: [1]))
    let body = layers.points(of: id, cloud)
    let length = (0..<4).reduce(0) { $0 | Int(body[$1]) << (8 * $1) }
    let head = String(decoding: body[4..<(4 + length)], as: UTF8.self)
    #expect(head.contains(id.description) && head.contains("\"count\":\(layers.count)"))
    #expect(Double(body.count) < 3.4 * Double(layers.count))
  }

  @Test("up is found in a room that lies on any side", arguments: UpAxis.allCases)
  func up(_ axis: UpAxis) throws {
    for seed in 1...4 as ClosedRange<UInt64> {
      let room = SyntheticRoom(seed: seed, pointCount: 8000).map().cloud.positions
      let turned = room.map { place -> SIMD3<Float> in
        switch axis {
        case .y: place
        case .minusY: [place.x, -place.y, -place.z]
        case .z: [place.x, -place.z, place.y]
        case .minusZ: [place.x, place.z, -place.y]
        case .x: [place.y, -place.x, place.z]
        case .minusX: [-place.y, place.x, place.z]
        }
      }
      let bounds = try #require(BoundingBox(ignoringOutliersOf: turned))
      #expect(UpAxis.guess(turned, in: bounds) == axis, "seed \(seed)")
    }
  }

  @Test("what is kept of a map is there again, and of others nothing")
  func book() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "views-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let book = ViewBook(in: folder)
    let (one, other) = (MapID(SHA256Digest(hashing: [1])), MapID(SHA256Digest(hashing: [2])))
    #expect(book[one] == ViewBook.Entry())
    try book.record(one) { $0.up = "z" }
    try book.record(one) { $0.origin = [691_000, 5_334_000, 0] }
    #expect(ViewBook(in: folder)[one] == ViewBook.Entry(up: "z", origin: [691_000, 5_334_000, 0]))
    #expect(book[other] == ViewBook.Entry())
  }

  @Test("a tap in a picture with another axis up goes where the pointer is")
  func tapWithUp() throws {
    // The camera looks along -z with x up: the top of the picture is +x.
    let tap = try SceneTests.tap(#","up":[1,0,0]"#)
    let top = tap.camera.ray(through: [0.5, 0]).direction
    #expect(top.x > 0.1 && abs(top.y) < 1e-6)
  }
}
