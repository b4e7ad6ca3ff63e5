import SharedWorld
import Testing

@testable import PeerCLI

@Suite("A world from above")
struct FloorPlanTests {
  private static func cloud(_ positions: [SIMD3<Float>]) -> FeatureCloud {
    FeatureCloud(positions: positions, identifiers: positions.indices.map { UInt64($0) })
  }

  @Test("x points to the right and z down; a dot is a point")
  func directions() throws {
    // A line along x at the far side (small z), and one along z at the left.
    let line = (0...20).map { SIMD3<Float>(Float($0) / 10, 0, 0) } + (0...20).map { SIMD3<Float>(0, 1, Float($0) / 10) }
    let plan = try #require(FloorPlan(Self.cloud(line), anchors: [], devices: [], columns: 19, rows: 40))
    #expect(plan.rows == ["⢰⠒⠒⠒⠒⠒⠒⠒⠒⠒", "⢸⠀⠀⠀⠀⠀⠀⠀⠀⠀", "⢸⠀⠀⠀⠀⠀⠀⠀⠀⠀", "⢸⠀⠀⠀⠀⠀⠀⠀⠀⠀", "⢸⠀⠀⠀⠀⠀⠀⠀⠀⠀"])
  }

  @Test("anchors have letters in the order of their names, devices have '@', and a legend says which is which")
  func marks() throws {
    let plan = try #require(
      FloorPlan(
        nil, anchors: [("sofa", [2, 0, 1]), ("lamp", [-2, 1, -1])], devices: [("anna", [0, 1.5, 0])], columns: 49,
        rows: 40))
    let text = plan.lines.map { $0.text(color: false) }
    #expect(plan.rows.first?.first == "a" && plan.rows.last?.last == "b" && plan.rows.joined().contains("@"))
    #expect(
      text.suffix(3) == [
        "  a  lamp (-2.000, 1.000, -1.000)", "  b  sofa (2.000, 0.000, 1.000)", "  @  anna (0.000, 1.500, 0.000)",
      ])
    #expect(text.contains { $0.contains("├──") && $0.contains("┤ 1 m") })
    #expect(text.first?.hasPrefix("  -1.1 │a") == true)
  }

  @Test("the plan fits into the columns and rows", arguments: [(20, 8), (80, 24), (200, 12)])
  func fits(columns: Int, rows: Int) throws {
    let corners: [SIMD3<Float>] = [[-5, 0, -2], [5, 0, -2], [-5, 0, 2], [5, 0, 2]]
    let plan = try #require(
      FloorPlan(Self.cloud(corners), anchors: [("x", [90, 0, 0])], devices: [], columns: columns, rows: rows))
    #expect(plan.rows.count <= rows && Set(plan.rows.map(\.count)).count == 1)
    for line in plan.lines.prefix(plan.rows.count + 2) { #expect(TextWidth.of(line.text(color: false)) < columns) }
  }

  @Test("a dense floor is a shade, and the wall on it stands out")
  func shades() throws {
    var positions: [SIMD3<Float>] = []
    for x in 0..<80 {
      for z in 0..<80 {
        let count = z < 8 ? 20 : 2
        positions += Array(repeating: SIMD3(Float(x) + 0.5, 0, Float(z) + 0.5), count: count)
      }
    }
    let plan = try #require(FloorPlan(Self.cloud(positions), anchors: [], devices: [], columns: 50, rows: 40))
    func dots(_ row: String) -> Int {
      row.unicodeScalars.reduce(0) { $0 + ($1.value - 0x2800).nonzeroBitCount }
    }
    #expect(dots(plan.rows[1]) > 250 && (1...80).contains(dots(plan.rows[10])))
  }

  @Test("beyond the letters anchors are dots and a number; one anchor alone and an empty world are fine")
  func extremes() throws {
    let many = (0..<100).map { (name: "\($0)", position: SIMD3<Float>(Float($0 % 10), 0, Float($0 / 10))) }
    let plan = try #require(FloorPlan(nil, anchors: many, devices: [], columns: 80, rows: 40))
    #expect(plan.lines.last?.text(color: false) == "  •  38 more anchors")
    #expect(try #require(FloorPlan(nil, anchors: [many[0]], devices: [], columns: 80, rows: 24)).scale > 0)
    #expect(FloorPlan(nil, anchors: [], devices: [], columns: 80, rows: 24) == nil)
  }
}
