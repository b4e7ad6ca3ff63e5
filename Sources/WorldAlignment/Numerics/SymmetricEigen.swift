/// The eigenvalues and eigenvectors of a small symmetric matrix, by Jacobi's cyclic rotations.
///
/// The method is slow for large matrices and the most accurate one for small ones. Source: Golub and Van Loan, "Matrix
/// Computations", 4th edition, section 8.5.
struct SymmetricEigen {
  /// The eigenvalues, largest first.
  let values: [Double]
  /// The eigenvectors of length 1, in the order of ``values``.
  let vectors: [[Double]]

  /// Decomposes the matrix of `size` rows whose entries are `entries`, row by row; only finite numbers.
  init(_ entries: [Double], size: Int) {
    precondition(entries.count == size * size, "a square matrix has size² entries")
    var a = entries
    var v = [Double](repeating: 0, count: size * size)
    for index in 0..<size { v[index * size + index] = 1 }
    // Each sweep squares what is left off the diagonal: six reach the precision of Double, thirty never run.
    for _ in 0..<30 {
      var rest = 0.0
      var norm = 0.0
      for row in 0..<size {
        norm += a[row * size + row] * a[row * size + row]
        for column in 0..<row { rest += a[row * size + column] * a[row * size + column] }
      }
      guard rest > 1e-32 * norm else { break }
      for p in 0..<size {
        for q in (p + 1)..<max(size, p + 1) { Self.rotate(&a, &v, size, p, q) }
      }
    }
    let order = (0..<size).sorted { a[$0 * size + $0] > a[$1 * size + $1] }
    values = order.map { a[$0 * size + $0] }
    vectors = order.map { column in (0..<size).map { v[$0 * size + column] } }
  }

  /// Turns the axes p and q so that the entry (p, q) becomes zero.
  private static func rotate(_ a: inout [Double], _ v: inout [Double], _ size: Int, _ p: Int, _ q: Int) {
    let mixed = a[p * size + q]
    guard mixed != 0 else { return }
    let theta = (a[q * size + q] - a[p * size + p]) / (2 * mixed)
    // The smaller of the two turns that do it; theta² may overflow to infinity, which makes t zero, as it should be.
    let t = (theta >= 0 ? 1 : -1) / (theta.magnitude + (theta * theta + 1).squareRoot())
    let c = 1 / (t * t + 1).squareRoot()
    let s = t * c
    for k in 0..<size {
      let (kp, kq) = (a[k * size + p], a[k * size + q])
      a[k * size + p] = c * kp - s * kq
      a[k * size + q] = s * kp + c * kq
    }
    for k in 0..<size {
      let (pk, qk) = (a[p * size + k], a[q * size + k])
      a[p * size + k] = c * pk - s * qk
      a[q * size + k] = s * pk + c * qk
      let (vp, vq) = (v[k * size + p], v[k * size + q])
      v[k * size + p] = c * vp - s * vq
      v[k * size + q] = s * vp + c * vq
    }
  }

  /// The solution x of A x = b with the least length, leaving out directions whose eigenvalue is below `tolerance` times
  /// the largest.
  func solve(_ b: [Double], tolerance: Double = 1e-9) -> [Double] {
    var x = [Double](repeating: 0, count: b.count)
    for (value, vector) in zip(values, vectors) where value > tolerance * values[0] {
      let part = zip(vector, b).reduce(0) { $0 + $1.0 * $1.1 } / value
      for index in x.indices { x[index] += part * vector[index] }
    }
    return x
  }

  /// The inverse, row by row; nil when an eigenvalue is below `tolerance` times the largest.
  func inverse(tolerance: Double = 1e-12) -> [Double]? {
    guard let least = values.last, values[0] > 0, least > tolerance * values[0] else { return nil }
    let size = values.count
    var result = [Double](repeating: 0, count: size * size)
    for (value, vector) in zip(values, vectors) {
      for row in 0..<size {
        for column in 0..<size { result[row * size + column] += vector[row] * vector[column] / value }
      }
    }
    return result
  }
}
