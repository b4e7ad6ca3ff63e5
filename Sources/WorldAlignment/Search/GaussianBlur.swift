/// A separable Gaussian blur of a dense grid whose outer cells are empty.
struct GaussianBlur {
  /// The weights from the middle outwards.
  private let kernel: [Float]

  /// - Parameter sigma: The standard deviation (cells).
  init(sigma: Float) {
    let radius = max(1, Int((2.5 * sigma).rounded()))
    // log2(e) / 2 turns the exponential into a power of two.
    let weights = (0...radius).map { Self.exp2(-Float($0 * $0) / (sigma * sigma) * 0.721_347_5) }
    let sum = weights[0] + 2 * weights.dropFirst().reduce(0, +)
    kernel = weights.map { $0 / sum }
  }

  /// How many cells the blur reaches; as many on each side of the grid must be empty.
  var radius: Int { kernel.count - 1 }

  /// Blurs `values`, which lie row by row along x, then y, then z.
  func apply(to values: inout [Float], size: SIMD3<Int32>) {
    var out = [Float](repeating: 0, count: values.count)
    for stride in [1, Int(size.x), Int(size.x) * Int(size.y)] {
      values.withUnsafeBufferPointer { input in
        out.withUnsafeMutableBufferPointer { output in
          let count = input.count
          for index in 0..<count { output[index] = input[index] * kernel[0] }
          for step in 1..<kernel.count {
            let distance = step * stride
            guard 2 * distance < count else { continue }
            let weight = kernel[step]
            // The margin is empty, so what wraps around to the next row is zero.
            for index in distance..<(count - distance) {
              output[index] += weight * (input[index - distance] + input[index + distance])
            }
          }
        }
      }
      swap(&values, &out)
    }
  }

  /// 2 to the power of `x`, for x ≤ 0, good to 1e-3.
  private static func exp2(_ x: Float) -> Float {
    guard x > -30 else { return 0 }
    let whole = x.rounded(.down)
    let f = x - whole
    let fraction = 1 + f * (0.695_976 + f * (0.224_940 + f * 0.079_442))
    return Float(sign: .plus, exponent: Int(whole), significand: fraction)
  }
}
