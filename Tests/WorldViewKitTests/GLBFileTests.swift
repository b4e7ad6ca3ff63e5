import Foundation
import SharedWorld
import Testing
import WorldFormats
import WorldViewKit

@Suite("GLB")
struct GLBFileTests {
  @Test("a map is binary glTF with its points, their colours and a node for each anchor")
  func map() throws {
    let cloud = FeatureCloud(
      positions: [[1, 2, 3], [4, 5, 6]], identifiers: [1, 2], channels: .init(colors: [[1, 2, 3], [4, 5, 6]]))
    var map = WorldMap(cloud: cloud)
    map.anchors = [Anchor(name: "lamp", transform: Transform(translation: [1, 0, 0]))]
    let file = GLBFile.encode(map, origin: CloudOrigin(x: 691_000, y: 0, z: 0))
    let word = { (at: Int) in (0..<4).reduce(0) { $0 | Int(file[at + $1]) << (8 * $1) } }
    #expect(word(0) == 0x4654_6c67 && word(4) == 2 && word(8) == file.count)
    let length = word(12)
    #expect(word(16) == 0x4e4f_534a && length.isMultiple(of: 4))
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(file[20..<(20 + length)])) as? [String: Any])
    let nodes = try #require(json["nodes"] as? [[String: Any]])
    #expect(nodes.compactMap { $0["name"] as? String } == ["points", "lamp"])
    #expect((nodes[1]["matrix"] as? [Double])?[12] == 1)
    let binary = 20 + length
    #expect(word(binary) == 2 * 12 + 2 * 4 && word(binary + 4) == 0x004e_4942)
    #expect(Float(bitPattern: UInt32(word(binary + 8 + 12))) == 4)
    #expect(Array(file[(binary + 8 + 24)...]) == [1, 2, 3, 255, 4, 5, 6, 255])
    #expect(GLBFile.encode(WorldMap()).count < 400)
  }
}
