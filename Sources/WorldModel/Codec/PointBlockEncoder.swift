import Basics

/// How a component of a block is stored; the raw value stands in the file.
enum ComponentMethod: UInt8, Sendable {
  /// Byte planes, each as it is, constant, or as code words.
  case planes = 0
  /// The same of zigzag differences of ordered Float bits, or of the differences of bytes.
  case differencePlanes = 1
  /// Packed frames of folded Float bits less the smallest of their frame.
  case packedFolded = 2
  /// Packed frames of zigzag differences of ordered Float bits.
  case packedDifferences = 3
  /// Packed frames of gaps between identifiers, all below 2³².
  case packedGaps = 4
  /// The same for the low and then the high halves of larger gaps.
  case packedWideGaps = 5
  /// Packed frames of zigzag differences of grid coordinates, then the points off the grid.
  case packedGrid = 6
  /// The different values, sorted, and the place of each element among them by one of the first four methods.
  case palette = 7
}

/// Encodes points block by block in memory that is kept.
///
/// A room is a hundred thousand points, sent to every joiner, and its bytes are its name: chunks are told apart by
/// their hashes. So the bytes must be small, quick to make on a phone, and the same on every machine and with every
/// release. A general compressor fails the last, since its bytes depend on its version, and it finds little:
/// coordinates repeat nowhere, and their low bits are noise.
///
/// The gain is in the order. Points sorted by identifier are in the order in which a tracker saw them, and neighbours
/// in time are neighbours in space, so identifiers become gaps and coordinates small differences. These are packed in
/// frames of 128 numbers with exceptions for the few that jump (``PackedFrame``), or split into byte planes of which
/// those that gain become Huffman code words. The encoder tries the methods that the effort allows and keeps the
/// smallest; each component of each block says which it was (``ComponentMethod``).
///
/// Blocks are independent: a damaged one costs its own points, readers decode them on several threads, and an added
/// point changes one block and not all that follow. Rounding is to an absolute grid, since one outlier kilometres away
/// would widen a grid that is scaled to the cloud.
///
/// The methods with figures, also those that lost: Documentation/Decisions/0004-worldmap-codec.md; the bytes:
/// Documentation/Protocol/worldmap-format.md.
struct PointBlockEncoder: ~Copyable {
  /// A whole block with its head, valid until the next one is encoded, and its row.
  typealias Block = (row: BlockDirectory.Row, bytes: UnsafeMutableRawBufferPointer)

  /// Where the points are taken from; their identifiers rise within each block.
  var cloud: FeatureCloud
  private let layout: CloudLayout
  private let effort: EncodingOptions.Effort
  private let grid: Grid?
  private var writer = RawWriter(capacity: 0)
  private var planes: PlaneEncoder
  /// Three components at a time; identifiers need two.
  private var first: FrameRows
  private var second: FrameRows
  private var third: FrameRows

  /// An encoder of blocks of `cloud`, the largest of which has `largest` points.
  init(_ cloud: FeatureCloud, layout: CloudLayout, _ options: EncodingOptions, largest: Int) {
    self.cloud = cloud
    self.layout = layout
    effort = options.effort
    first = FrameRows(count: largest)
    second = FrameRows(count: largest)
    third = FrameRows(count: largest)
    planes = PlaneEncoder(capacity: largest)
    grid = options.bound.map { Grid(step: layout.step, bound: $0) }
  }

  /// Encodes the points of `range`.
  ///
  /// - Throws: ``ModelError/notFinite(_:)`` when a coordinate is not finite.
  mutating func encode(_ range: Range<Int>) throws(ModelError) -> Block {
    // Five packed streams at most are larger than what they pack; planes never are, but for their own head.
    let capacity = 5 * PackedStream.largest(range.count) + (layout.bytesPerPoint + 40) * (range.count + 16) + 1024
    writer.removeAll(capacity: capacity)
    let keys = cloud.identifiers[range.lowerBound]...cloud.identifiers[range.upperBound - 1]
    var head = ByteWriter()
    layout.write(to: &head)
    head.write(keys.lowerBound)
    writer.advance(by: BlockHead.size)
    writer.write(head.bytes)
    writeIdentifiers(range)
    let bounds = try writePositions(range)
    for component in layout.components.dropFirst(4) { writeChannel(component, range) }
    let bytes = writer.bytes
    assert(bytes.count <= capacity, "a block is larger than its bound")
    let row = BlockDirectory.Row(section: .points, count: range.count, keys: keys, bounds: bounds, filling: bytes)
    return (row, bytes)
  }

  private mutating func writeIdentifiers(_ range: Range<Int>) {
    first.reset(count: range.count)
    second.reset(count: range.count)
    let isWide = cloud.identifiers.withUnsafeBufferPointer { identifiers in
      IdentifierRows.gaps(UnsafeBufferPointer(rebasing: identifiers[range]), low: &first, high: &second)
    }
    writer.begin(.identifier, isWide ? .packedWideGaps : .packedGaps)
    PackedStream.encode(first, .plain, effort, to: &writer.end)
    if isWide { PackedStream.encode(second, .plain, effort, to: &writer.end) }
    writer.finish()
  }

  private mutating func writePositions(_ range: Range<Int>) throws(ModelError) -> BoundingBox {
    first.reset(count: range.count)
    second.reset(count: range.count)
    third.reset(count: range.count)
    let bounds = cloud.positions.withUnsafeBufferPointer { positions in
      PositionRows.split(UnsafeBufferPointer(rebasing: positions[range]), x: &first, y: &second, z: &third)
    }
    guard let bounds else { throw .notFinite("position") }
    let (low, high) = (bounds.minimum, bounds.maximum)
    let xs = Self.writeCoordinates(.x, &first, low.x...high.x, grid, effort, &planes, to: &writer)
    let ys = Self.writeCoordinates(.y, &second, low.y...high.y, grid, effort, &planes, to: &writer)
    let zs = Self.writeCoordinates(.z, &third, low.z...high.z, grid, effort, &planes, to: &writer)
    return BoundingBox(
      minimum: [xs.lowerBound, ys.lowerBound, zs.lowerBound], maximum: [xs.upperBound, ys.upperBound, zs.upperBound])
  }

  /// Writes one coordinate of all points, which lies in `range`, and returns the range that holds it once decoded.
  private static func writeCoordinates(
    _ component: Component, _ rows: inout FrameRows, _ range: ClosedRange<Float>, _ grid: Grid?,
    _ effort: EncodingOptions.Effort, _ planes: inout PlaneEncoder, to writer: inout RawWriter
  ) -> ClosedRange<Float> {
    guard let grid else {
      writeFloats(component, rows, effort, &planes, to: &writer)
      return range
    }
    let escapes = grid.place(&rows)
    writer.begin(component, .packedGrid)
    PackedStream.encode(rows, .differences, effort, to: &writer.end)
    // The length of the component says how many there are.
    for escape in escapes {
      writer.write(escape.index)
      writer.write(escape.bits)
    }
    writer.finish()
    // The grid keeps the order of coordinates; only exact ones can lie outside what the ends become.
    let ends = grid.nearest(range.lowerBound)...grid.nearest(range.upperBound)
    if escapes.isEmpty { return ends }
    return min(range.lowerBound, ends.lowerBound)...max(range.upperBound, ends.upperBound)
  }

  private static func writeFloats(
    _ component: Component, _ rows: borrowing FrameRows, _ effort: EncodingOptions.Effort, _ planes: inout PlaneEncoder,
    to writer: inout RawWriter
  ) {
    if effort == .compact, let palette = Palette(rows) {
      writer.begin(component, .palette)
      writer.write(UInt32(palette.values.count))
      PackedStream.encode(palette.values, .floatDifferences, effort, to: &writer.end)
      let method = FloatModel.choose(palette.ranks, effort: effort, &planes)
      writer.write(method.rawValue)
      write(palette.ranks, by: method, effort, &planes, to: &writer)
    } else {
      let method = FloatModel.choose(rows, effort: effort, &planes)
      writer.begin(component, method)
      write(rows, by: method, effort, &planes, to: &writer)
    }
    writer.finish()
  }

  private static func write(
    _ rows: borrowing FrameRows, by method: ComponentMethod, _ effort: EncodingOptions.Effort,
    _ planes: inout PlaneEncoder, to writer: inout RawWriter
  ) {
    switch method {
    case .packedDifferences: PackedStream.encode(rows, .floatDifferences, effort, to: &writer.end)
    case .packedFolded: PackedStream.encode(rows, .folded, effort, to: &writer.end)
    case .planes, .differencePlanes, .packedGaps, .packedWideGaps, .packedGrid, .palette:
      planes.write(rows, areDifferences: method == .differencePlanes, to: &writer.end)
    }
  }

  private mutating func writeChannel(_ component: Component, _ range: Range<Int>) {
    switch component {
    case .identifier, .x, .y, .z: return
    case .confidence:
      let bits = range.map { cloud.channels.confidence?[$0].bitPattern ?? 0 }
      Self.writeFloats(component, FrameRows(bits), effort, &planes, to: &writer)
    case .normalX, .normalY, .normalZ:
      let lane = Int(component.rawValue - Component.normalX.rawValue)
      let bits = range.map { cloud.channels.normals?[$0][lane].bitPattern ?? 0 }
      Self.writeFloats(component, FrameRows(bits), effort, &planes, to: &writer)
    case .red, .green, .blue:
      let lane = Int(component.rawValue - Component.red.rawValue)
      writePlanes(component, range.map { cloud.channels.colors?[$0][lane] ?? 0 }, width: 1)
    case .descriptor:
      guard let all = cloud.channels.descriptors else { return }
      let bytes = Array(all.bytes[(range.lowerBound * all.size)..<(range.upperBound * all.size)])
      writePlanes(component, bytes, width: all.size)
    }
  }

  private mutating func writePlanes(_ component: Component, _ bytes: [UInt8], width: Int) {
    let differences = width == 1 && effort == .compact ? ByteDifferences.of(bytes) : []
    if !differences.isEmpty, planes.estimate(bytes: differences) < planes.estimate(bytes: bytes) {
      writer.begin(component, .differencePlanes)
      planes.write(bytes: differences, width: width, effort, to: &writer.end)
    } else {
      writer.begin(component, .planes)
      planes.write(bytes: bytes, width: width, effort, to: &writer.end)
    }
    writer.finish()
  }
}
