package import Basics

extension SplitMix64 {
  /// A number between the ends of `range`, evenly spread: the upper 24 of 64 bits, scaled.
  @inline(__always)
  package mutating func float(in range: ClosedRange<Float>) -> Float {
    let unit = Float(next() >> 40) * 0x1p-24
    return range.lowerBound + (range.upperBound - range.lowerBound) * unit
  }

  /// A vector with each component between the ends of `range`.
  @inline(__always)
  package mutating func vector(in range: ClosedRange<Float>) -> SIMD3<Float> {
    let x = float(in: range)
    let y = float(in: range)
    return SIMD3(x, y, float(in: range))
  }
}
