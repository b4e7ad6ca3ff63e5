/// Conversions between vectors, component by component: the generic ones of the standard library are not specialised
/// and cost fifty times as much.
extension SIMD3<Int32> {
  /// The components without their fractions; each must fit into 32 bits.
  @inline(__always)
  init(whole v: SIMD3<Float>) { self.init(Int32(v.x), Int32(v.y), Int32(v.z)) }
}

extension SIMD3<Float> {
  @inline(__always)
  init(of v: SIMD3<Int32>) { self.init(Float(v.x), Float(v.y), Float(v.z)) }

  @inline(__always)
  init(rounding v: SIMD3<Double>) { self.init(Float(v.x), Float(v.y), Float(v.z)) }

  /// The largest absolute value of a component.
  var largestMagnitude: Float { Swift.max(x.magnitude, y.magnitude, z.magnitude) }

  /// The same with zero for subnormal components, which a valid transform has not.
  var withoutSubnormals: Self {
    var result = self
    for index in 0..<3 where self[index].isSubnormal { result[index] = 0 }
    return result
  }
}

extension SIMD3<Double> {
  @inline(__always)
  init(of v: SIMD3<Float>) { self.init(Double(v.x), Double(v.y), Double(v.z)) }
}
