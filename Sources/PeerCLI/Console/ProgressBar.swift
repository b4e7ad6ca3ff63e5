/// How far something has come, as a bar.
package struct ProgressBar: Sendable {
  private static let width = 28

  private let fraction: Double

  /// A bar for a share of the whole; what is below 0 or above 1 counts as that.
  package init(_ fraction: Double) {
    self.fraction = fraction.isFinite ? min(1, max(0, fraction)) : 0
  }

  /// The bar for `done` of `total`.
  package init(_ done: Int, of total: Int) {
    self.init(total > 0 ? Double(done) / Double(total) : 0)
  }

  /// The bar and its percentage.
  package var line: Line {
    let full = Int(fraction * Double(Self.width))
    let bar = String(repeating: "━", count: full)
    let rest = String(repeating: "─", count: Self.width - full)
    return "\(bar, .good)\(rest, .faint) \(Int(fraction * 100)) %"
  }
}
