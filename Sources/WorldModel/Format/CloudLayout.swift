import Basics

/// The layout of every block of a cloud: its channels and their precision; the parameters of the points section.
struct CloudLayout: Equatable, Sendable {
  /// Which channels are there.
  struct ChannelSet: OptionSet, Equatable, Sendable {
    let rawValue: UInt32
    static let confidence = ChannelSet(rawValue: 1)
    static let colors = ChannelSet(rawValue: 2)
    static let normals = ChannelSet(rawValue: 4)
    static let descriptors = ChannelSet(rawValue: 8)
    static let all: ChannelSet = [.confidence, .colors, .normals, .descriptors]
  }

  /// The channels.
  var channels: ChannelSet
  /// The step of the position grid (metres); zero when positions are exact.
  var step: Float
  /// Bytes of a descriptor; zero without descriptors.
  var descriptorSize: Int
  /// The kind of the descriptors; empty without descriptors.
  var descriptorKind: String

  /// The layout of `cloud` on a grid of `step` metres, or exact for zero.
  init(_ cloud: FeatureCloud, step: Float) {
    channels = []
    if cloud.channels.confidence != nil { channels.insert(.confidence) }
    if cloud.channels.colors != nil { channels.insert(.colors) }
    if cloud.channels.normals != nil { channels.insert(.normals) }
    if cloud.channels.descriptors != nil { channels.insert(.descriptors) }
    self.step = step
    descriptorSize = cloud.channels.descriptors?.size ?? 0
    descriptorKind = cloud.channels.descriptors?.kind ?? ""
  }

  /// The parts of a block, in the order of the file.
  var components: [Component] {
    var components: [Component] = [.identifier, .x, .y, .z]
    if channels.contains(.confidence) { components.append(.confidence) }
    if channels.contains(.colors) { components += [.red, .green, .blue] }
    if channels.contains(.normals) { components += [.normalX, .normalY, .normalZ] }
    if channels.contains(.descriptors) { components.append(.descriptor) }
    return components
  }

  /// The channels that are there, without points.
  var emptyChannels: FeatureCloud.Channels {
    FeatureCloud.Channels(
      confidence: channels.contains(.confidence) ? [] : nil, colors: channels.contains(.colors) ? [] : nil,
      normals: channels.contains(.normals) ? [] : nil,
      descriptors: channels.contains(.descriptors)
        ? FeatureCloud.Descriptors(kind: descriptorKind, size: descriptorSize, bytes: []) : nil)
  }

  /// Bytes a point: 20, and its channels.
  var bytesPerPoint: Int { components.reduce(0) { $0 + width(of: $1) } }

  /// Bytes a point in the planes of a ``FeatureCloud``.
  var memoryPerPoint: Int {
    var bytes = MemoryLayout<SIMD3<Float>>.stride + MemoryLayout<UInt64>.stride
    if channels.contains(.confidence) { bytes += MemoryLayout<Float>.stride }
    if channels.contains(.colors) { bytes += MemoryLayout<SIMD3<UInt8>>.stride }
    if channels.contains(.normals) { bytes += MemoryLayout<SIMD3<Float>>.stride }
    return bytes + descriptorSize
  }

  /// Bytes of one element of `component`.
  func width(of component: Component) -> Int {
    switch component {
    case .identifier: 8
    case .red, .green, .blue: 1
    case .descriptor: descriptorSize
    case .x, .y, .z, .confidence, .normalX, .normalY, .normalZ: 4
    }
  }

  /// Appends channels, step, descriptor size and kind.
  func write(to writer: inout ByteWriter) {
    writer.write(channels.rawValue)
    writer.write(step)
    writer.write(UInt16(descriptorSize))
    writer.writeString(descriptorKind)
  }

  /// Reads channels, step, descriptor size and kind.
  @_lifetime(reader: copy reader)
  init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    channels = ChannelSet(rawValue: try reader.read(UInt32.self))
    guard channels.isSubset(of: .all) else { throw .invalid("unknown channels", offset: start) }
    step = try reader.readFloat()
    guard step == 0 || EncodingOptions.steps.contains(step) else {
      throw .invalid("the step of the grid is out of range", offset: start + 4)
    }
    descriptorSize = Int(try reader.read(UInt16.self))
    guard descriptorSize <= Limits.descriptor else { throw .overLimit(limit: Limits.descriptor, offset: start + 8) }
    descriptorKind = try reader.readString(limit: Limits.contentType)
    let hasDescriptors = channels.contains(.descriptors)
    guard (descriptorSize > 0) == hasDescriptors, descriptorKind.isEmpty != hasDescriptors else {
      throw .invalid("descriptors without size or kind", offset: start + 8)
    }
  }
}

/// A part of a block: the same field of all its points.
///
/// The raw value is its number in the file.
enum Component: UInt8, CaseIterable, Sendable {
  case identifier = 0
  case x = 1
  case y = 2
  case z = 3
  case confidence = 4
  case red = 5
  case green = 6
  case blue = 7
  case normalX = 8
  case normalY = 9
  case normalZ = 10
  case descriptor = 11
}

extension FeatureCloud {
  /// The size of a point in memory as the format's figures count it: 20 bytes, and its channels.
  public var bytesPerPoint: Int { CloudLayout(self, step: 0).bytesPerPoint }
}
