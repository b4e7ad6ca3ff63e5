import PeerCLI
import SharedWorld
import Testing
import WorldViewKit

@Suite("Scene")
struct SceneTests {
  static func tap(_ fields: String) throws(HTTPFailure) -> TapRequest {
    let body = #"{"x":0.5,"y":0.5,"eye":[0,0,5],"target":[0,0,0],"focalLength":1,"aspectRatio":1.5"# + fields + "}"
    return try HTTPRequest(method: "POST", path: "/tap", body: Array(body.utf8)).tap()
  }

  /// Two walls across the line of sight, at z = 1 and z = -1.
  static let walls = WorldMap(
    cloud: FeatureCloud(
      positions: (0..<9800).map { index in
        let (column, row) = (Float(index / 2 % 70), Float(index / 140))
        return SIMD3(column / 35 - 1, row / 35 - 1, index.isMultiple(of: 2) ? 1 : -1)
      }, identifiers: (0..<9800).map { UInt64($0) }))

  @Test("a tap hits the nearest of what is shown")
  func clipped() throws {
    let scene = Scene(Self.walls, id: MapID(SHA256Digest(hashing: [1])))
    let front = try #require(scene.hit(try Self.tap(""), anchors: []))
    #expect(abs(front.transform.translation.z - 1) < 0.01)
    let back = try #require(scene.hit(try Self.tap(#","clip":[[-9,-9,-9],[9,9,0.5]]"#), anchors: []))
    #expect(abs(back.transform.translation.z + 1) < 0.01)
    #expect(scene.hit(try Self.tap(#","clip":[[5,5,5],[9,9,9]]"#), anchors: []) == nil)
  }

  @Test("a plane anchor is hit where there are no points")
  func plane() throws {
    let floor = Anchor(
      name: "floor", transform: Transform(columns: ([1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 2, 1])),
      kind: .plane(.init(extent: [4, 4])))
    let hit = try #require(Scene().hit(try Self.tap(""), anchors: [floor]))
    #expect(hit.anchor == floor.id)
    #expect(abs(hit.transform.translation.z - 2) < 0.001)
  }

  @Test(
    "a tap whose numbers make no camera is refused",
    arguments: [
      #""clip":[[0,0,0]]"#, #""clip":[[0,0],[1,1,1]]"#, #""eye":[1]"#, #""focalLength":0"#, #""x":"a""#, #""y":null"#,
    ])
  func badTap(member: String) throws {
    var members = [
      "x": "0.5", "y": "0.5", "eye": "[0,0,5]", "target": "[0,0,0]", "focalLength": "1", "aspectRatio": "1.5",
    ]
    let parts = member.split(separator: ":", maxSplits: 1)
    members[String(parts[0].dropFirst().dropLast())] = String(parts[1])
    let body = "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    let failure = #expect(throws: HTTPFailure.self) {
      try HTTPRequest(method: "POST", path: "/tap", body: Array(body.utf8)).tap()
    }
    #expect(failure?.status == 400)
  }

  @Test("a tap over a whole cloud hits what a search of all that is shown hits")
  func sameAsSearch() throws {
    let scene = Scene(Self.walls, id: MapID(SHA256Digest(hashing: [1])))
    for step in 0..<60 {
      let (x, y) = (Float(step % 10) / 10, Float(step / 10) / 6)
      let far = step.isMultiple(of: 2) ? "" : #","clip":[[-9,-9,-9],[9,9,0.5]]"#
      let body = #"{"x":\#(x),"y":\#(y),"eye":[1,1,5],"target":[0,0,0],"focalLength":1,"aspectRatio":1.5\#(far)}"#
      let tap = try HTTPRequest(method: "POST", path: "/tap", body: Array(body.utf8)).tap()
      let box = far.isEmpty ? nil : BoundingBox(minimum: [-9, -9, -9], maximum: [9, 9, 0.5])
      let all = HitTest(cloud: Self.walls.cloud, anchors: [], within: box).results(at: [x, y], through: tap.camera)
      let hit = scene.hit(tap, anchors: [])
      #expect((hit == nil) == all.isEmpty)
      guard let hit, let other = all.first else { continue }
      #expect((hit.transform.translation - other.transform.translation).length < 1e-4, "at \(x) \(y)")
    }
  }
}
