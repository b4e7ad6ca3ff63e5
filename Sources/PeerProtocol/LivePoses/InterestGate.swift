package import Basics
package import WorldModel

/// The live poses that somebody was shown and that have not ended.
struct ShownPoses: Sendable {
  private var poses: [EphemeralUpdate] = []

  /// Takes these to be what was shown.
  mutating func assume(_ live: [EphemeralUpdate]) { poses = live }

  /// Takes this to be among what was shown.
  mutating func assume(_ update: EphemeralUpdate) {
    if !poses.contains(where: update.hasSameSlot) { poses.append(update) }
  }

  /// The news to tell of an update: itself, its end where what was shown is not wanted any more, or nothing.
  mutating func admit(_ update: EphemeralUpdate, isWanted: Bool) -> EphemeralUpdate? {
    let index = poses.firstIndex(where: update.hasSameSlot)
    if isWanted {
      if index == nil { poses.append(update) }
      return update
    }
    guard let index else { return nil }
    poses.remove(at: index)
    var end = update
    end.pose = nil
    return end
  }
}

/// The gate to an app for live poses: lets through what meets a filter, and the end of what was let through.
struct InterestGate: Sendable {
  private(set) var filter = AnchorFilter.all
  private var shown = ShownPoses()

  /// Sets the filter; `live` is what was let through so far.
  mutating func set(_ filter: AnchorFilter, live: [EphemeralUpdate]) {
    self.filter = filter
    shown.assume(filter == .all ? [] : live)
  }

  /// The news to tell of an update of the pose of `anchor`; one that is not known here meets every filter.
  mutating func admit(_ update: EphemeralUpdate, of anchor: MovedAnchor?) -> EphemeralUpdate? {
    guard filter != .all else { return update }
    return shown.admit(update, isWanted: update.pose != nil && anchor.map(filter.matches) ?? true)
  }
}

extension AnchorFilter {
  /// Bytes of the longest one on the wire: bits, prefix behind its length, creator, owner, kind, centre and radius.
  static let largest = 1 + 2 + Limits.anchorName + 32 + 32 + 1 + 16

  private static let hasPrefix: UInt8 = 1
  private static let hasCreator: UInt8 = 2
  private static let hasKind: UInt8 = 4
  private static let hasRegion: UInt8 = 8
  private static let hasOwner: UInt8 = 16

  /// Appends bits, and what of prefix, creator, owner, kind and region is set.
  package func write(to writer: inout ByteWriter) {
    var bits: UInt8 = 0
    if namePrefix != nil { bits |= Self.hasPrefix }
    if creator != nil { bits |= Self.hasCreator }
    if kind != nil { bits |= Self.hasKind }
    if region != nil { bits |= Self.hasRegion }
    if owner != nil { bits |= Self.hasOwner }
    writer.write(bits)
    if let namePrefix { writer.writeString(namePrefix) }
    if let creator { writer.write(creator.digest) }
    if let owner { writer.write(owner.digest) }
    if let kind { writer.write(kind.rawValue) }
    guard let region else { return }
    for index in 0..<3 { writer.write(region.center[index]) }
    writer.write(region.radius)
  }

  /// Reads what ``write(to:)`` wrote.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    let bits = try reader.readByte()
    guard bits < 32 else { throw .invalid("unknown bits", offset: start) }
    self.init()
    if bits & Self.hasPrefix != 0 { namePrefix = try reader.readString(limit: Limits.anchorName) }
    if bits & Self.hasCreator != 0 { creator = PeerID(try reader.readDigest()) }
    if bits & Self.hasOwner != 0 { owner = PeerID(try reader.readDigest()) }
    if bits & Self.hasKind != 0 {
      guard let kind = Kind(rawValue: try reader.readByte()) else { throw .unknownKind(offset: start) }
      self.kind = kind
    }
    guard bits & Self.hasRegion != 0 else { return }
    let center = SIMD3(try reader.readFloat(), try reader.readFloat(), try reader.readFloat())
    let region = Region(center: center, radius: try reader.readFloat())
    guard region.isValid else { throw .invalid("region out of range", offset: start) }
    self.region = region
  }

  /// Whether it can be told to others.
  package var isValid: Bool {
    let prefix = namePrefix ?? ""
    return prefix.utf8.count <= Limits.anchorName && PlainText.allows(prefix) && region?.isValid ?? true
  }
}

extension AnchorFilter.Region {
  /// Whether all numbers are finite and the radius is not negative.
  fileprivate var isValid: Bool {
    center.x.isFinite && center.y.isFinite && center.z.isFinite && radius.isFinite && radius >= 0
  }
}
