import WorldModel

/// Where a cloud was found, for the next search of the same cloud after it grew.
///
/// As long as the cloud still has most of the points that it had, its frame is the same, and so is its place: that pose and the
/// rivals of the last search are refined and compared again, which is a fraction of a search. Where that convinces less than
/// a place has to, the whole map is searched as if nothing were known.
public struct PlaceMemory: Sendable {
  /// The work that was done.
  public struct Work: Hashable, Sendable {
    /// Turns at which every shift of a cloud was tried.
    public internal(set) var turns = 0
    /// Poses that closest points refined and that were compared.
    public internal(set) var refinements = 0
    /// Points of clouds that were cleaned and thinned.
    public internal(set) var prepared = 0
  }

  /// The work of all searches with this memory.
  public internal(set) var work = Work()
  /// The last place that was accepted; nil before the first, and after a search that found none.
  var place: Place?

  /// A place, and what it was compared to.
  struct Place: Sendable {
    var mode: AlignmentMode
    /// The prepared map that it is in.
    var map: MapModel.Mark
    /// The best pose, then the other ones that were refined.
    var poses: [RigidMotion]
    /// Some points of the cloud, in its own frame.
    var sample: [SIMD3<Float>]
  }

  /// Nothing is known.
  public init() {}

  /// The share of the earlier cloud's points that must still be there.
  private static let leastShared = 0.6
  /// How far from where it was a point still counts (metres): the means of cells move, and frames drift.
  private static let reach = 2 * Query.thinning

  /// The place, if `query` is the same cloud, grown or not, in the same map.
  func place(of query: Query, in map: MapModel, _ mode: AlignmentMode) -> Place? {
    guard let place, place.mode == mode, place.map == map.mark else { return nil }
    let grid = PointGrid(query.points, cell: Self.reach)
    let kept = place.sample.count { grid.nearest(to: $0, within: Self.reach) != nil }
    return Double(kept) >= Self.leastShared * Double(place.sample.count) ? place : nil
  }
}
