package import WorldModel

/// A rigid transform as it is stored and sent: three axes and a position, 12 Floats of 4 bytes.
///
/// The numbers keep their bits, so that every peer hashes the same. A pose is valid by construction: finite, no
/// subnormal number, axes of length 1 at right angles within 0.001 (each entry of RᵀR − I), right-handed.
package struct Pose: Hashable, Sendable {
  /// The 12 numbers in wire order: x axis, y axis, z axis, position.
  let lanes: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)

  /// Bytes of a pose on the wire.
  static let byteCount = 48

  /// A transform that is rigid; nil for any other.
  package init?(_ transform: Transform) {
    let (x, y, z, w) = transform.columns
    guard SIMD4(x.w, y.w, z.w, w.w) == [0, 0, 0, 1] else { return nil }
    lanes = (SIMD4(x.x, x.y, x.z, y.x), SIMD4(y.y, y.z, z.x, z.y), SIMD4(z.z, w.x, w.y, w.z))
    guard isRigid else { return nil }
  }

  /// Reads 48 bytes at `offset`, which must be inside `bytes`; nil when they are no rigid transform.
  @inline(__always)
  init?(wire bytes: RawSpan, at offset: Int) {
    lanes = (Self.lane(bytes, offset), Self.lane(bytes, offset + 16), Self.lane(bytes, offset + 32))
    guard isRigid else { return nil }
  }

  /// Reads 48 bytes at `offset` that were checked before.
  @inline(__always)
  init(checked bytes: RawSpan, at offset: Int) {
    lanes = (Self.lane(bytes, offset), Self.lane(bytes, offset + 16), Self.lane(bytes, offset + 32))
  }

  /// The matrix.
  @inline(__always)
  package var transform: Transform {
    let (a, b, c) = lanes
    return Transform(
      columns: (
        SIMD4(a.x, a.y, a.z, 0), SIMD4(a.w, b.x, b.y, 0), SIMD4(b.z, b.w, c.x, 0), SIMD4(c.y, c.z, c.w, 1)
      ))
  }

  package static func == (left: Self, right: Self) -> Bool { left.lanes == right.lanes }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(lanes.0)
    hasher.combine(lanes.1)
    hasher.combine(lanes.2)
  }

  @inline(__always)
  private static func lane(_ bytes: RawSpan, _ offset: Int) -> SIMD4<Float> {
    let bits = SIMD4(
      bytes.unsafeWord(at: offset), bytes.unsafeWord(at: offset + 4), bytes.unsafeWord(at: offset + 8),
      bytes.unsafeWord(at: offset + 12))
    return unsafe unsafeBitCast(bits, to: SIMD4<Float>.self)
  }

  @inline(__always)
  private var isRigid: Bool {
    let (a, b, c) = lanes
    // The axes as rows: of each product the same component of all three at once. The fourth lane repeats the first.
    let (x, y, z) = (SIMD4(a.x, a.w, b.z, a.x), SIMD4(a.y, b.x, b.w, a.y), SIMD4(a.z, b.y, c.x, a.z))
    let (x1, y1, z1) = (SIMD4(a.w, b.z, a.x, a.w), SIMD4(b.x, b.w, a.y, b.x), SIMD4(b.y, c.x, a.z, b.y))
    let lengths = x * x + y * y + z * z - 1
    let angles = x * x1 + y * y1 + z * z1
    // Written so that NaN fails: it compares false with everything.
    let limit = Transform.rigidLimit
    guard all(lengths .<= limit), all(lengths .>= -limit), all(angles .<= limit), all(angles .>= -limit) else {
      return false
    }
    guard !any(Self.isAbnormal(a) .| Self.isAbnormal(b) .| Self.isAbnormal(c)) else { return false }
    let cross = SIMD3(a.y * b.y - a.z * b.x, a.z * a.w - a.x * b.y, a.x * b.x - a.y * a.w)
    return (cross * SIMD3(b.z, b.w, c.x)).sum() > 0
  }

  /// Which numbers are subnormal, infinite or NaN.
  @inline(__always)
  private static func isAbnormal(_ lane: SIMD4<Float>) -> SIMDMask<SIMD4<Int32>> {
    // Without the sign, all others are zero or lie between the first normal number and infinity.
    let bits = unsafe unsafeBitCast(lane, to: SIMD4<Int32>.self) & 0x7fff_ffff
    return (bits .> 0) .& (bits .< 0x0080_0000) .| (bits .>= 0x7f80_0000)
  }
}

extension Transform {
  /// The tolerance on each entry of RᵀR − I.
  fileprivate static var rigidLimit: SIMD4<Float> { SIMD4(repeating: 0.001) }
}

extension RawSpan {
  /// Four bytes at an offset the caller has checked, little-endian.
  @inline(__always)
  func unsafeWord(at offset: Int) -> UInt32 {
    UInt32(littleEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self))
  }

  /// Eight bytes at an offset the caller has checked, little-endian.
  @inline(__always)
  func unsafeLong(at offset: Int) -> UInt64 {
    UInt64(littleEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  /// The 16 bytes of an actor at an offset the caller has checked.
  @inline(__always)
  func unsafeActor(at offset: Int) -> ActorID {
    ActorID(
      peerPrefix: unsafeLong(at: offset).byteSwapped, incarnation: unsafeLong(at: offset + 8).byteSwapped)
  }
}
