package import SharedWorld

/// A world from above as text: feature points as dots of braille characters, anchors as letters.
///
/// x points to the right and z down the page, to the reader. A dot is as wide as it is high where a character is twice as high as
/// wide.
package struct FloorPlan: Sendable {
  /// Something with a letter of its own.
  package struct Mark: Equatable, Sendable {
    package let label: Character
    package let name: String
    /// Metres.
    package let position: SIMD3<Float>
  }

  /// The label of every device.
  private static let device: Character = "@"
  private static let labels = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
  /// The label of anchors beyond those.
  private static let unlabeled: Character = "•"
  /// Columns left of the plan, for the figures of the z axis.
  private static let margin = 8
  /// The smallest side of a world that is shown (metres): a single anchor has none.
  private static let smallest: Float = 1

  /// The rows of the plan.
  package let rows: [String]
  /// The anchors in the order of their names, then the devices.
  package let marks: [Mark]
  /// The side of a dot (metres); a character is two dots wide and four high.
  package let scale: Float
  /// The x and z of the upper left corner (metres).
  package let corner: SIMD2<Float>

  /// The plan of a world in a terminal of so many columns and rows; nil of an empty one.
  package init?(
    _ cloud: FeatureCloud?, anchors: [(name: String, position: SIMD3<Float>)],
    devices: [(name: String, position: SIMD3<Float>)], columns: Int, rows limit: Int
  ) {
    let points = cloud?.positions.map { SIMD2($0.x, $0.z) } ?? []
    let sorted = anchors.inOrder { ($0.name, $0.position.x, $0.position.z) < ($1.name, $1.position.x, $1.position.z) }
    marks =
      sorted.enumerated().map { index, anchor in
        let label = index < Self.labels.count ? Self.labels[index] : Self.unlabeled
        return Mark(label: label, name: anchor.name, position: anchor.position)
      } + devices.map { Mark(label: Self.device, name: $0.name, position: $0.position) }
    var places = marks.map { SIMD2($0.position.x, $0.position.z) }
    if let box = cloud.flatMap({ BoundingBox(ignoringOutliersOf: $0.positions) }) {
      places += [SIMD2(box.minimum.x, box.minimum.z), SIMD2(box.maximum.x, box.maximum.z)]
    }
    guard let first = places.first else { return nil }
    var (low, high) = places.dropFirst().reduce((first, first)) {
      (pointwiseMin($0.0, $1), pointwiseMax($0.1, $1))
    }
    let lack = pointwiseMax(SIMD2(repeating: 0), Self.smallest - (high - low)) / 2
    (low, high) = (low - lack, high + lack)
    let width = max(4, columns - Self.margin - 1)
    let height = max(2, limit)
    // One dot is left at each side, for what lies on the edge.
    let scale = max((high.x - low.x) / Float(2 * width - 2), (high.y - low.y) / Float(4 * height - 2))
    let corner = low - scale
    (self.scale, self.corner) = (scale, corner)
    let needed = Int((high.y - corner.y) / scale / 4) + 1
    var grid = BrailleGrid(columns: width, rows: min(height, max(2, needed)))
    grid.add(points.map { ($0 - corner) / scale })
    for (mark, place) in zip(marks, marks.map { SIMD2($0.position.x, $0.position.z) }) {
      grid.put(mark.label, at: (place - corner) / scale)
    }
    rows = grid.rows
  }

  /// The plan with its axes, a scale bar and a list of the marks.
  package var lines: [Line] {
    let width = rows[0].count
    let bottom = corner.y + Float(rows.count * 4) * scale
    var lines = rows.enumerated().map { index, row -> Line in
      let figure = index == 0 ? Text.decimal(corner.y, 1) : index == rows.count - 1 ? Text.decimal(bottom, 1) : ""
      return "\(Self.padded(figure), .faint) \("│", .faint)\(Self.inked(row))"
    }
    let (left, right) = (Text.decimal(corner.x, 1), Text.decimal(corner.x + Float(2 * width) * scale, 1))
    let gap = String(repeating: " ", count: max(1, width - left.count - right.count))
    let edge = String(repeating: " ", count: Self.margin - 1) + "└" + String(repeating: "─", count: width)
    lines.append("\(edge, .faint)")
    lines.append("\(String(repeating: " ", count: Self.margin) + left + gap + right, .faint)")
    let bar = scaleBar(width)
    let axes = "x to the right, z down, in metres"
    lines.append(
      "\(String(repeating: " ", count: Self.margin))├\(String(repeating: "─", count: bar.columns))┤ \(bar.text)  \(axes, .faint)"
    )
    return lines + legend
  }

  private var legend: [Line] {
    let named = marks.filter { $0.label != Self.unlabeled }
    var lines = named.map { "  \(String($0.label), .name)  \($0.name) \(position: $0.position)" as Line }
    let others = marks.count - named.count
    if others > 0 { lines.append("  \(String(Self.unlabeled), .name)  \(Text.plural(others, "more anchor"))") }
    return lines
  }

  /// The longest bar of 1, 2 or 5 times a power of ten (metres) within a third of the plan, and its columns.
  private func scaleBar(_ width: Int) -> (columns: Int, text: String) {
    let longest = Float(2 * width) * scale / 3
    var unit: Float = 0.001
    while unit * 10 <= longest { unit *= 10 }
    let length = unit * (longest >= unit * 5 ? 5 : longest >= unit * 2 ? 2 : 1)
    // Both ends are characters of their own.
    let columns = max(0, Int((length / scale / 2).rounded()) - 2)
    return (columns, length >= 1 ? "\(Text.decimal(length, 0)) m" : "\(Text.decimal(length * 100, 1)) cm")
  }

  private static func padded(_ figure: String) -> String {
    String(repeating: " ", count: max(0, margin - 2 - figure.count)) + figure
  }

  /// A row in which what is no braille stands out.
  private static func inked(_ row: String) -> Line {
    var line: Line = ""
    var rest = row[...]
    while let first = rest.first {
      let isDots = BrailleGrid.isDots(first)
      let run = rest.prefix { BrailleGrid.isDots($0) == isDots }
      line = isDots ? "\(line)\(run)" : "\(line)\(run, .place)"
      rest = rest.dropFirst(run.count)
    }
    return line
  }
}

/// A grid of braille characters, of two dots by four each, some of which are replaced by labels.
struct BrailleGrid {
  private let columns: Int
  private let height: Int
  private var counts: [UInt32]
  private var labels: [Int: Character] = [:]

  /// An empty grid of so many characters.
  init(columns: Int, rows: Int) {
    self.columns = columns
    height = rows
    counts = Array(repeating: 0, count: columns * rows * 8)
  }

  /// Counts points, in dots from the upper left corner; those outside do not count.
  mutating func add(_ points: [SIMD2<Float>]) {
    for point in points
    where point.x >= 0 && point.y >= 0 && point.x < Float(columns * 2) && point.y < Float(height * 4) {
      counts[Int(point.y) * columns * 2 + Int(point.x)] += 1
    }
  }

  /// Puts a label at a place in dots, or at the edge; an earlier one there stays.
  mutating func put(_ label: Character, at place: SIMD2<Float>) {
    let column = min(columns - 1, max(0, Int(place.x / 2)))
    let row = min(height - 1, max(0, Int(place.y / 4)))
    if labels[row * columns + column] == nil { labels[row * columns + column] = label }
  }

  /// Whether a character of the rows is made of dots.
  static func isDots(_ character: Character) -> Bool {
    character.unicodeScalars.first.map { (0x2800...0x28FF).contains($0.value) } ?? false
  }

  /// The characters, row by row.
  var rows: [String] {
    let full = fullCount
    return (0..<height).map { row in
      String((0..<columns).map { labels[row * columns + $0] ?? character(row, $0, full) })
    }
  }

  /// How many points make a dot certain: fewer do so in a part of the places, else a floor would be one solid block.
  private var fullCount: UInt32 {
    let seen = counts.filter { $0 > 0 }.inOrder()
    guard let median = seen.isEmpty ? nil : seen[seen.count / 2], median > 1 else { return 1 }
    return seen[seen.count * 9 / 10]
  }

  /// The numbers of the dots of a character (Unicode §21.1), row by row, and the order in which a shade fills four by four dots.
  private static let bits: [[UInt32]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]
  private static let order: [[UInt32]] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]

  private func character(_ row: Int, _ column: Int, _ full: UInt32) -> Character {
    var code: UInt32 = 0x2800
    for (y, pair) in Self.bits.enumerated() {
      for (x, bit) in pair.enumerated() {
        let (line, place) = (row * 4 + y, column * 2 + x)
        let count = min(counts[line * columns * 2 + place], full)
        if count > 0, count * 16 > Self.order[line % 4][place % 4] * full { code |= bit }
      }
    }
    return Character(Unicode.Scalar(code) ?? " ")
  }
}
