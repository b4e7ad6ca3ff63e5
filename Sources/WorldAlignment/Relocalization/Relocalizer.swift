public import WorldModel

/// Finds where a local cloud belongs in a map, without any guess of where that may be.
///
/// Closest points (Besl and McKay 1992) find the nearest fit from a start, and here there is none: from most starts
/// they end in a valley that looks good and is wrong. A room has many of them, since walls lie on walls when they are
/// shifted along themselves, and equal chairs on each other. A wrong place is worse than none, because everybody's
/// anchors would stand in it. So all starts are tried on a coarse grid, and most of the work is to refuse.
///
/// Where map and cloud have descriptors of one kind, points that look alike are tried first
/// (``relocalize(_:sightings:mode:isCancelled:)``). The shape of the cloud is found in these stages:
///
/// 1. Points that stand alone by the standards of their region go, in both clouds.
/// 2. Every shift and 120 turns of the query, in a sparse map 90, are tried on a grid of 0.2 m (``PoseSearch``).
/// 3. The peaks are polished on a finer grid, all of them roughly and the best in full, and the few best that differ
///    are refined by closest points with all six degrees of freedom, which takes up what tilt there is. Without gravity
///    the directions that may be up are tried in two rounds, the second where the first shows no place.
/// 4. The best pose is accepted if enough of the query meets the map, no pose elsewhere is nearly as good, and shifting
///    it makes it worse (``Evidence``). Two rooms that look alike give ``Relocalization/Reason/ambiguous``.
/// 5. A pose that passes is improved within its neighbourhood, and must be clearly better than the poses 5 cm or 2°
///    from it (``Vicinity``).
/// 6. A pose that stage 4 refuses in a sparse map is accepted if more of query and map is repeated in the other than
///    their surfaces explain, and no pose elsewhere shows that (``SparseEvidence``).
///
/// The same clouds give the same answer on every machine. Time and memory have bounds of their own: of larger clouds
/// every n-th point is used, and wide places are searched on a coarser grid. The bounds and how they were found are in
/// Documentation/alignment.md.
public struct Relocalizer: Sendable {
  /// Fewer cleaned points than this give no pose.
  public static let fewestPoints = 50
  /// Of clouds with more points every n-th is used.
  public static let mostPoints = 500_000

  /// Nil for a map with too few points, in which nothing can be found.
  let map: MapModel?
  /// The map by what its points look like; nil where it has no descriptors.
  private let described: DescriptorPlace?

  /// Prepares a map; one relocalizer serves any number of queries.
  ///
  /// - Parameter cloud: The positions of the map (metres); y is up.
  /// - Throws: ``AlignmentError/notFinite``.
  public init(map cloud: [SIMD3<Float>]) throws(AlignmentError) {
    map = try Self.model(cloud)
    described = nil
  }

  /// Prepares a map with the descriptors of its points, if it has any.
  ///
  /// - Parameters:
  ///   - cloud: The points of the map (metres); y is up.
  ///   - sightings: All descriptors of each point, where more are known than the one that the cloud has room for.
  /// - Throws: ``AlignmentError/notFinite`` or ``AlignmentError/unevenDescriptors``.
  public init(map cloud: FeatureCloud, sightings: FeatureCloud.Sightings? = nil) throws(AlignmentError) {
    map = try Self.model(cloud.positions)
    described = try DescriptorSet(cloud, sightings: sightings).map(DescriptorPlace.init)
  }

  /// Prepares the descriptors of a map alone.
  package init(describing cloud: FeatureCloud, sightings: FeatureCloud.Sightings?) throws(AlignmentError) {
    map = nil
    described = try DescriptorSet(cloud, sightings: sightings).map(DescriptorPlace.init)
  }

  /// The answer of the descriptors alone; nil where the two clouds look nothing alike or are not comparable.
  package func relocalizeByDescriptors(
    _ cloud: FeatureCloud, sightings: FeatureCloud.Sightings?, mode: AlignmentMode
  ) throws(AlignmentError) -> Relocalization? {
    guard let described, let query = try DescriptorSet(cloud, sightings: sightings) else { return nil }
    return described.locate(query, mode)
  }

  private static func model(_ cloud: [SIMD3<Float>]) throws(AlignmentError) -> MapModel? {
    MapModel(try bounded(cloud)).flatMap { $0.points.count >= fewestPoints ? $0 : nil }
  }

  /// Finds the place of a local cloud, by its descriptors where both have comparable ones, else by its shape.
  ///
  /// Descriptors tell places apart of which two devices have hardly a point in common; where they do not convince, the shape
  /// may. They need no memory: ``PlaceMemory`` serves the search by shape.
  /// - Parameters:
  ///   - cloud: The points in the query's own frame (metres).
  ///   - sightings: All descriptors of each point, where more are known than the one that the cloud has room for.
  ///   - mode: As for ``relocalize(_:mode:isCancelled:)``.
  ///   - memory: As for ``relocalize(_:mode:remembering:isCancelled:)``.
  ///   - isCancelled: As for ``relocalize(_:mode:isCancelled:)``.
  /// - Throws: ``AlignmentError/notFinite``, ``AlignmentError/unevenDescriptors`` or ``AlignmentError/cancelled``; the memory stays.
  public func relocalize(
    _ cloud: FeatureCloud, sightings: FeatureCloud.Sightings? = nil, mode: AlignmentMode,
    remembering memory: inout PlaceMemory, isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(AlignmentError) -> Relocalization {
    let answer = try relocalizeByDescriptors(cloud, sightings: sightings, mode: mode)
    if let answer, answer.isAccepted { return answer }
    guard !isCancelled() else { throw .cancelled }
    return try relocalize(cloud.positions, mode: mode, remembering: &memory, isCancelled: isCancelled)
  }

  /// Finds the place of a local cloud as ``relocalize(_:sightings:mode:remembering:isCancelled:)`` does, without a memory.
  ///
  /// - Throws: ``AlignmentError/notFinite``, ``AlignmentError/unevenDescriptors`` or ``AlignmentError/cancelled``.
  public func relocalize(
    _ cloud: FeatureCloud, sightings: FeatureCloud.Sightings? = nil, mode: AlignmentMode,
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(AlignmentError) -> Relocalization {
    var memory = PlaceMemory()
    return try relocalize(
      cloud, sightings: sightings, mode: mode, remembering: &memory, isCancelled: isCancelled)
  }

  /// Finds the place of a local cloud.
  ///
  /// - Parameters:
  ///   - cloud: The positions in the query's own frame (metres).
  ///   - mode: The knowledge of that frame. With ``AlignmentMode/gravity`` its y is up, to a degree or two.
  ///   - isCancelled: Asked some hundred times; when it is true the work ends.
  /// - Throws: ``AlignmentError/notFinite`` or ``AlignmentError/cancelled``.
  public func relocalize(
    _ cloud: [SIMD3<Float>], mode: AlignmentMode, isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(AlignmentError) -> Relocalization {
    var memory = PlaceMemory()
    return try relocalize(cloud, mode: mode, remembering: &memory, isCancelled: isCancelled)
  }

  /// Finds the place of a local cloud that was looked for before and has grown since, at a fraction of the cost.
  ///
  /// - Parameters:
  ///   - cloud: The positions in the query's own frame (metres): those of before and new ones.
  ///   - mode: As for ``relocalize(_:mode:isCancelled:)``.
  ///   - memory: The knowledge of this cloud; afterwards that of the grown one. A cloud in another frame, or another map, is
  ///     searched like a new one.
  ///   - isCancelled: As for ``relocalize(_:mode:isCancelled:)``.
  /// - Throws: ``AlignmentError/notFinite`` or ``AlignmentError/cancelled``; the memory stays.
  public func relocalize(
    _ cloud: [SIMD3<Float>], mode: AlignmentMode, remembering memory: inout PlaceMemory,
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(AlignmentError) -> Relocalization {
    let query = Query(try Self.bounded(cloud))
    memory.work.prepared += cloud.count
    guard let map, query.points.count >= Self.fewestPoints else { return .without(.insufficientFeatures) }
    if let place = memory.place(of: query, in: map, mode) {
      let judged = try map.judged(query, place.poses, mode, &memory.work, isCancelled)
      let answer = map.verdict(query, judged, mode)
      // Another pose than before that is the best now is for a search to judge.
      if answer.isAccepted, let best = judged.first?.motion,
        !best.isElsewhere(than: place.poses[0], at: query.middle)
      {
        memory.place = PlaceMemory.Place(
          mode: mode, map: place.map, poses: judged.map(\.motion), sample: query.sample)
        return answer
      }
    }
    var judged: [(motion: RigidMotion, closeness: Float)] = []
    var answer = Relocalization.without(.littleOverlap)
    for tilts in mode == .gravity ? [[.identity]] : UprightGuesses.rounds(of: query.points) {
      let ranked = try map.candidates(for: query, mode, tilts: tilts, &memory.work, isCancelled)
      let distinct = MapModel.distinct(ranked, at: query.middle).map(\.motion)
      judged += try map.judged(query, distinct, mode, &memory.work, isCancelled)
      judged.sort { $0.closeness > $1.closeness }
      answer = map.verdict(query, judged, mode)
      if answer.isAccepted { break }
    }
    let kept = judged.prefix(MapModel.mostDistinct).map(\.motion)
    memory.place =
      answer.isAccepted ? PlaceMemory.Place(mode: mode, map: map.mark, poses: kept, sample: query.sample) : nil
    return answer
  }

  /// The residual of a place that is known: how far closest points move a cloud from where it is believed to be.
  ///
  /// It costs far less than a search. It says nothing of other places, so it confirms a pose that was accepted before, and never
  /// finds one.
  /// - Parameters:
  ///   - cloud: The positions in the query's own frame (metres).
  ///   - transform: Query to map, as it is believed to be; rigid.
  ///   - mode: As for ``relocalize(_:mode:isCancelled:)``.
  /// - Returns: The root mean square of the moves of its points (metres). Nil where too little of the cloud meets the map near
  ///   that pose, so that only a search can tell.
  /// - Throws: ``AlignmentError/notFinite``.
  public func drift(
    of cloud: [SIMD3<Float>], from transform: Transform, mode: AlignmentMode
  ) throws(AlignmentError) -> Float? {
    let query = Query(try Self.bounded(cloud))
    guard let map, transform.isRigid, query.points.count >= Self.fewestPoints else { return nil }
    let believed = RigidMotion(transform).shifted(by: -map.center)
    var found = map.refined(query, believed, mode)
    let inliers = Fitness(of: query.points, found, in: map.all).inliers
    if Float(inliers) < Evidence.leastOverlap * Float(query.points.count) {
      guard let repeated = map.repeated(query, near: found, mode) else { return nil }
      found = repeated
    }
    let squares = query.sample.reduce(Float.zero) { $0 + (found.act(on: $1) - believed.act(on: $1)).lengthSquared }
    return (squares / Float(query.sample.count)).squareRoot()
  }

  /// At most ``mostPoints`` of the points, if all are places.
  private static func bounded(_ cloud: [SIMD3<Float>]) throws(AlignmentError) -> [SIMD3<Float>] {
    guard cloud.allSatisfy(\.isFinite) else { throw .notFinite }
    // A point as far as this is an outlier, and its square may be infinite.
    let places = cloud.filter { $0.largestMagnitude <= RigidFit.farthest }
    let step = (places.count + mostPoints - 1) / mostPoints
    return step <= 1 ? places : stride(from: 0, to: places.count, by: step).map { places[$0] }
  }
}
