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
    let x = SIMD4(a.x, a.y, a.z, 0)
    let y = SIMD4(a.w, b.x, b.y, 0)
    let z = SIMD4(b.z, b.w, c.x, 0)
    let lengths = SIMD4((x * x).sum(), (y * y).sum(), (z * z).sum(), 1) - 1
    let angles = SIMD4((x * y).sum(), (y * z).sum(), (z * x).sum(), 0)
    // Written so that NaN fails: it compares false with everything.
    let limit = Transform.rigidLimit
    guard all(lengths .<= limit), all(lengths .>= -limit), all(angles .<= limit), all(angles .>= -limit) else {
      return false
    }
    guard Self.isNormal(a), Self.isNormal(b), Self.isNormal(c) else { return false }
    let cross = SIMD4(x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x, 0)
    return (cross * z).sum() > 0
  }

  /// Whether every number is zero or normal: neither subnormal, infinite nor NaN.
  @inline(__always)
  private static func isNormal(_ lane: SIMD4<Float>) -> Bool {
    let bits = unsafe unsafeBitCast(lane, to: SIMD4<UInt32>.self)
    let exponent = bits & 0x7f80_0000
    let tooSmall = (exponent .== 0) .& (bits & 0x007f_ffff .!= 0)
    return !any(tooSmall .| (exponent .== 0x7f80_0000))
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
