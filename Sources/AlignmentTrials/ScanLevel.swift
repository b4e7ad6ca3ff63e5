/// How hard a local scan is to place.
package struct ScanLevel: Sendable {
  package let name: String
  /// The share of the scan's real points that the map has too.
  let shared: Float
  /// The standard deviation of each coordinate, in map and scan (metres).
  let noise: Float
  /// The share of the scan's points that are spurious; the map has a quarter of it.
  let spurious: Float
  /// How far the scan sees (metres).
  let reach: Float
  /// The cosine of half the sweep; below −1 it is the whole circle.
  let cosine: Float
  /// The real points of the scan, at most.
  let points: Int

  static let easy = ScanLevel(
    name: "easy", shared: 0.6, noise: 0.005, spurious: 0.1, reach: 4, cosine: -2, points: 20_000)
  package static let medium = ScanLevel(
    name: "medium", shared: 0.3, noise: 0.01, spurious: 0.4, reach: 3.5, cosine: 0, points: 8_000)
  package static let hard = ScanLevel(
    name: "hard", shared: 0.2, noise: 0.02, spurious: 0.6, reach: 2.5, cosine: 0.5, points: 4_000)
  /// For small places.
  package static let small = ScanLevel(
    name: "small", shared: 0.6, noise: 0.005, spurious: 0.1, reach: 4, cosine: -2, points: 2_000)
  /// The levels that are reported.
  package static let all = [easy, medium, hard]
}
