import Basics
package import WorldAlignment
package import WorldModel
import WorldFormats

/// A sparse map and a sparse scan of made-up rooms.
///
/// But for ``Relation/halves`` they have no point in common: other points of the same surfaces.
package struct SparseTrial: Sendable {
  /// The part that scan and map have in common.
  package enum Relation: String, Sendable, CaseIterable {
    /// One room.
    case walk
    /// One room, and three points of five are in both, as in the halves of one map of a phone; a fifth is in each alone. Every
    /// coordinate has an error of a centimetre in each.
    case halves
    /// One room; the map has another one next to it that is its equal, turned by a right angle.
    case twins
    /// Two rooms.
    case elsewhere
    /// A room and its mirror image: floor, walls and edges fit, and no texture does.
    case mirrored
    /// One room cut in two: the scan fits the other half turned by 180°.
    case cut

    /// Whether there is a right pose.
    package var isOnePlace: Bool { self == .walk || self == .halves || self == .twins }
  }

  package let map: [SIMD3<Float>]
  package let query: [SIMD3<Float>]
  /// Query to map.
  package let truth: Transform
  /// The middle of the query in its own frame (metres).
  package let center: SIMD3<Float>

  /// Makes the trial of a seed with `points` points in a room of map or scan, before it is cut or halved.
  package init(_ relation: Relation, points: Int, mode: AlignmentMode, seed: UInt64) {
    var dice = TrialDice(seed: seed)
    let room = { (walk: UInt64, seed: UInt64) in
      SyntheticRoom(seed: seed, pointCount: points, walk: walk).map().cloud.positions
    }
    var first = room(1, seed)
    var second = room(2, relation == .elsewhere ? seed &+ 1 << 32 : seed)
    switch relation {
    case .walk, .elsewhere: break
    case .halves:
      let parts = first.map { _ in dice.below(5) }
      second = zip(first, parts).compactMap { $1 == 0 ? nil : $0 }
      first = zip(first, parts).compactMap { $1 == 1 ? nil : $0 }
    case .twins: first += room(3, seed).map { SIMD3($0.z + 7, $0.y, -$0.x) }
    case .mirrored: second = second.map { SIMD3(-$0.x, $0.y, $0.z) }
    case .cut:
      // Through the middle, across either side.
      let axis = dice.below(2) * 2
      let middle = first.map { $0[axis] }.sorted()[first.count / 2]
      first = first.filter { $0[axis] < middle }
      second = second.filter { $0[axis] >= middle }
    }
    let noise: Float = relation == .halves ? 0.01 : 0.003
    map = first.map { $0 + dice.normals() * noise }
    var pose = mode == .free ? dice.rotation() : AlignmentTrial.upright(&dice)
    pose.translation = dice.vector(-5...5)
    truth = pose
    let inverse = pose.inverse
    var moved = second.map { inverse.act(on: $0 + dice.normals() * noise) }
    dice.shuffle(&moved)
    query = moved
    // Outliers are kilometres away: the middle is the median.
    var center = SIMD3<Float>.zero
    for axis in 0..<3 { center[axis] = moved.map { $0[axis] }.sorted()[moved.count / 2] }
    self.center = center
  }

  /// Whether a pose is within 5 cm at the middle of the scan and 2°.
  package func isRight(_ pose: Transform) -> Bool {
    truth.agrees(with: pose, at: center, within: 0.05, chord: 0.049_36)
  }
}
