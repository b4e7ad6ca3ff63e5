extension Double {
  /// The natural logarithm of a normal number above zero, good to 1e-7: the module links no mathematics library.
  ///
  /// ln m = 2 artanh((m − 1)/(m + 1)), whose series has only odd powers; m is brought to √½…√2 first.
  var naturalLogarithm: Double {
    var (m, power) = (significand, Double(exponent))
    if m > 1.414_213_56 { (m, power) = (m / 2, power + 1) }
    let s = (m - 1) / (m + 1)
    let square = s * s
    let series = 1 + square * (1.0 / 3 + square * (1.0 / 5 + square * (1.0 / 7 + square / 9)))
    return power * 0.693_147_180_559_945 + 2 * s * series
  }
}
