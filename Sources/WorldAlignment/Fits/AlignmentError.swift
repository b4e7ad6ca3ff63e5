/// A reason why measurements give no transform between two frames.
@nonexhaustive
public enum AlignmentError: Error, Hashable, Sendable {
  /// There are `found` usable measurements, fewer than the `needed` ones: add more.
  case notEnough(found: Int, needed: Int)
  /// The points lie on a line or on one spot, so that some turn changes nothing: add points beside it.
  case degenerate
  /// Different transforms fit equally well, as for mirrored points: add points that tell them apart.
  case ambiguous
  /// A coordinate or weight is not a finite number, or is too large for a place (``RigidFit/farthest``).
  case notFinite
  /// A weight is negative.
  case negativeWeight
  /// There are not as many descriptors as the points of a cloud, or their sightings, ask for.
  case unevenDescriptors
  /// The caller cancelled the work.
  case cancelled
}

extension AlignmentError: CustomStringConvertible {
  /// The fault, and the remedy.
  public var description: String {
    switch self {
    case .notEnough(let found, let needed): "\(found) usable points are not enough; give at least \(needed)"
    case .degenerate: "the points lie on a line or on one spot; add points beside it"
    case .ambiguous: "several transforms fit equally well; add points that tell them apart"
    case .notFinite: "a coordinate or weight is not finite, or too large for a place; remove it"
    case .negativeWeight: "a weight is negative; give zero to leave a pair out"
    case .unevenDescriptors: "the descriptors are not those of the points; give each point or sighting exactly one"
    case .cancelled: "the alignment was cancelled"
    }
  }
}
