import PeerCLI
package import SharedWorld
import WorldFormats

/// The points of a map as the page takes them: on a grid, in layers of which each is an even sample of all, compressed.
///
/// The points are sorted along a Morton curve (Morton, 1966) through a grid of at most 65,536 cells on each axis. The last
/// layer has every other one of them, the one before every other one of the rest, and so on: a page shows the whole place
/// with the first layer, and needs none of it again.
///
/// A body is the length of its head (UInt32, little-endian), the head as JSON, and for each layer each of its channels as a
/// zlib stream (RFC 1950) of planes of bytes. `position` has six planes, from the lowest byte to the highest, of the
/// differences between the numbers on the curve; each other channel one plane for each of its components, of the
/// differences between bytes.
package struct PointLayers: Sendable {
  /// The points a page shows; of a larger cloud an even selection.
  package static let limit = 6_000_000
  /// A layer is not divided further when it has no more points (the first one).
  private static let smallest = 32_768
  /// The width of a cell (metres), where the map is neither too large for that nor tiny.
  private static let finest: Float = 0.001

  /// The points of each layer by their place in the cloud, along the curve.
  private let layers: [[UInt32]]
  /// The typical distance between neighbours on a surface (metres).
  package let spacing: Float
  /// The corner at which the curve begins, and the width of a cell (metres).
  package let origin: SIMD3<Float>
  package let step: Float
  /// The points that are shown.
  package var count: Int { layers.reduce(0) { $0 + $1.count } }

  private let codes: [[UInt64]]

  /// How many points each layer has.
  package var sizes: [Int] { layers.map(\.count) }

  /// The places in the cloud of a layer's points, along the curve.
  package func indices(of layer: Int) -> [Int] { layers[layer].map(Int.init) }

  /// Sorts the points of a cloud; those far outside the bounds, and those without a place, are left out.
  package init(_ positions: [SIMD3<Float>], bounds: BoundingBox, limit: Int = limit) {
    let reach = bounds.extent
    let (low, high) = (bounds.minimum - reach, bounds.maximum + reach)
    let shown = positions.indices.filter { index in
      let point = positions[index]
      return (0..<3).allSatisfy { point[$0] >= low[$0] && point[$0] <= high[$0] }
    }
    let box = BoundingBox(containing: shown.map { positions[$0] }) ?? bounds
    let extent = max(box.extent.max(), 1e-6)
    let step = max(extent / 65_535, min(Self.finest, extent / 8192))
    var places = shown.map { index in
      Place(code: Self.code(of: (positions[index] - box.minimum) / step), index: UInt32(index))
    }
    places.sort { ($0.code, $0.index) < ($1.code, $1.index) }
    spacing = Self.spacing(of: places, step)
    if places.count > limit { places = (0..<limit).map { places[$0 * places.count / limit] } }
    let depth = Self.depth(of: places.count)
    var layers = [[Place]](repeating: [], count: depth + 1)
    for (number, place) in places.enumerated() {
      layers[depth - min(depth, number.trailingZeroBitCount)].append(place)
    }
    self.layers = layers.map { $0.map(\.index) }
    codes = layers.map { $0.map(\.code) }
    (origin, self.step) = (box.minimum, step)
  }

  private struct Place {
    let code: UInt64
    let index: UInt32
  }

  /// How often the points are halved until the smallest layer is small enough.
  private static func depth(of count: Int) -> Int {
    var depth = 0
    while count >> depth > smallest { depth += 1 }
    return depth
  }

  /// The distance at which points lie if they fill the surface that they lie on: from the cells that they occupy, so large
  /// that each holds some of them.
  private static func spacing(of places: [Place], _ step: Float) -> Float {
    guard places.count > 1 else { return 1 }
    for level in 0..<16 {
      var (occupied, last) = (0, UInt64.max)
      for place in places where place.code >> UInt64(3 * level) != last {
        (occupied, last) = (occupied + 1, place.code >> UInt64(3 * level))
      }
      guard occupied * 4 > places.count else {
        return step * Float(1 << level) * (Float(occupied) / Float(places.count)).squareRoot()
      }
    }
    return step * 65_536
  }

  // MARK: The curve

  /// The number on the curve of a cell, 48 bits.
  private static func code(of cell: SIMD3<Float>) -> UInt64 {
    spread(cell.x) | spread(cell.y) << 1 | spread(cell.z) << 2
  }

  private static func spread(_ place: Float) -> UInt64 {
    var bits = UInt64(min(max(place, 0), 65_535))
    bits = (bits | bits << 16) & 0x0000_ff00_00ff
    bits = (bits | bits << 8) & 0x00f0_0f00_f00f
    bits = (bits | bits << 4) & 0x0c30_c30c_30c3
    return (bits | bits << 2) & 0x2492_4924_9249
  }

  // MARK: Bodies

  /// A kind of number that each point has.
  struct Channel {
    let name: String
    /// The numbers of the bytes 0 and 255, where they are a scale.
    var range: ClosedRange<Float>?
    /// One byte of a point for each component.
    let components: [(Int) -> UInt8]
  }

  /// The places of all points, and their colours if they have some.
  package func points(of id: MapID, _ cloud: FeatureCloud) -> [UInt8] {
    var channels: [Channel] = []
    if let colors = cloud.channels.colors {
      channels.append(Channel(name: "color", components: (0..<3).map { axis in { colors[$0][axis] } }))
    }
    return body(of: id, channels, hasPlaces: true)
  }

  /// The other numbers of the points, each as a byte on the scale of all.
  func numbers(of id: MapID, _ cloud: FeatureCloud) -> [UInt8] {
    body(of: id, cloud.numbers, hasPlaces: false)
  }

  private func body(of id: MapID, _ channels: [Channel], hasPlaces: Bool) -> [UInt8] {
    var parts: [UInt8] = []
    var rows: [JSON] = []
    for (indices, codes) in zip(layers, codes) {
      var sizes: [JSON] = []
      for planes in (hasPlaces ? [Self.planes(codes)] : []) + channels.map({ Self.planes($0, indices) }) {
        let packed = Zlib.deflated(planes)
        parts += packed
        sizes.append(.integer(packed.count))
      }
      rows.append(["count": .integer(indices.count), "bytes": .array(sizes)])
    }
    let names = channels.map { channel -> JSON in
      [
        "name": .string(channel.name), "components": .integer(channel.components.count),
        "low": channel.range.map { .single($0.lowerBound) } ?? .null,
        "high": channel.range.map { .single($0.upperBound) } ?? .null,
      ]
    }
    let head = JSON.object([
      "map": .string(id.description), "count": .integer(count), "origin": .point(origin), "step": .single(step),
      "channels": .array((hasPlaces ? [["name": "position", "components": .integer(6)]] : []) + names),
      "layers": .array(rows),
    ])
    let text = Array(head.text.utf8)
    return (0..<4).map { UInt8(truncatingIfNeeded: text.count >> (8 * $0)) } + text + parts
  }

  private static func planes(_ codes: [UInt64]) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 6 * codes.count)
    var last: UInt64 = 0
    for (index, code) in codes.enumerated() {
      for plane in 0..<6 {
        bytes[plane * codes.count + index] = UInt8(truncatingIfNeeded: (code - last) >> UInt64(8 * plane))
      }
      last = code
    }
    return bytes
  }

  private static func planes(_ channel: Channel, _ indices: [UInt32]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(channel.components.count * indices.count)
    for component in channel.components {
      var last: UInt8 = 0
      for index in indices {
        let value = component(Int(index))
        bytes.append(value &- last)
        last = value
      }
    }
    return bytes
  }
}

extension FeatureCloud {
  /// The numbers of points by which they can be coloured, with their names; a point may lack one.
  private var scales: [(name: String, value: (Int) -> Float?)] {
    var scales: [(name: String, value: (Int) -> Float?)] = []
    if let confidence = channels.confidence { scales.append(("confidence", { confidence[$0] })) }
    if let evidence = channels.evidence {
      scales += [
        ("sightings", { Float(evidence[$0].sightings) }), ("residual (px)", { evidence[$0].residual }),
        ("depth deviation (m)", { evidence[$0].depthDeviation }),
      ]
    }
    return scales
  }

  private static let normal = "normal"

  /// The channels by which points can be coloured, beside their colours: the scales of which some point has a number, and the
  /// normals.
  fileprivate var numbers: [PointLayers.Channel] {
    var numbers = scales.compactMap { name, value -> PointLayers.Channel? in
      let values = positions.indices.map { value($0) ?? .nan }
      let known = values.filter(\.isFinite)
      guard let low = known.min(), let high = known.max() else { return nil }
      let scale = 255 / Swift.max(high - low, .leastNormalMagnitude)
      return PointLayers.Channel(
        name: name, range: low...high,
        components: [{ values[$0].isFinite ? UInt8(Swift.min(255, (values[$0] - low) * scale)) : 0 }])
    }
    if let normals = channels.normals {
      numbers.append(
        PointLayers.Channel(
          name: Self.normal,
          components: (0..<3).map { axis in
            { UInt8(Swift.min(255, Swift.max(0, normals[$0][axis] * 127.5 + 127.5))) }
          }))
    }
    return numbers
  }

  /// The names of those channels, and of scales of which no point has a number.
  var numberNames: [String] { scales.map(\.name) + (channels.normals == nil ? [] : [Self.normal]) }
}
