extension FeatureCloud {
  /// The points for which `isIncluded` holds, with their channels.
  public func selecting(where isIncluded: (FeaturePoint) -> Bool) -> FeatureCloud {
    selecting(indices.filter { isIncluded(self[$0]) })
  }

  /// The same points moved by a rigid transform; normals turn along, identifiers stay.
  ///
  /// - Throws: ``ModelError`` when the transform is not rigid.
  public func transformed(by transform: Transform) throws(ModelError) -> FeatureCloud {
    try transform.validate()
    var channels = channels
    channels.normals = channels.normals?.map { transform.rotate($0) }
    return FeatureCloud(
      positions: positions.map { transform.act(on: $0) }, identifiers: identifiers, channels: channels)
  }

  /// One point for each cubic cell of edge `voxel` (metres) that holds any: the one nearest to the cell's mean.
  ///
  /// A point of the cloud stands for its cell, rather than the mean, so that its identifier and channels stay true. Of
  /// two as near, the one with the smaller identifier is kept.
  ///
  /// - Throws: ``ModelError/outOfRange(field:)`` when `voxel` is not a positive finite number.
  public func downsampled(voxel: Float) throws(ModelError) -> FeatureCloud {
    guard voxel > 0, voxel.isFinite else { throw .outOfRange(field: "voxel") }
    // As Floats, which have a number of their own for cells that are farther out than whole numbers reach.
    let cells = positions.map { ($0 / voxel).rounded(.down) }
    var sums: [SIMD3<Float>: SIMD4<Double>] = [:]
    for index in indices { sums[cells[index], default: .zero] += SIMD4<Double>(SIMD4(positions[index], 1)) }
    var kept: [SIMD3<Float>: (index: Int, distance: Double)] = [:]
    for index in indices {
      let sum = sums[cells[index]] ?? .zero
      let distance = (SIMD3<Double>(positions[index]) - sum.xyz / sum.w).lengthSquared
      if let best = kept[cells[index]] {
        let isNearer = (distance, identifiers[index]) < (best.distance, identifiers[best.index])
        guard isNearer else { continue }
      }
      kept[cells[index]] = (index, distance)
    }
    return selecting(kept.values.map(\.index).sorted())
  }

  /// The points of both clouds, in the order of their identifiers; where both have one, that of `other` is kept.
  ///
  /// A channel is kept when both clouds have it (descriptors: of the same kind and size).
  ///
  /// - Throws: ``ModelError/duplicatePoint(_:)`` when one of the clouds has an identifier twice.
  public func merged(with other: FeatureCloud) throws(ModelError) -> FeatureCloud {
    if isEmpty { return try other.sorted() }
    if other.isEmpty { return try sorted() }
    var all = try sorted()
    var newer = try other.sorted()
    all.channels.keep(in: newer.channels)
    newer.channels.keep(in: all.channels)
    let count = all.count
    all.append(newer)
    var order: [Int] = []
    order.reserveCapacity(all.count)
    var (left, right) = (0, count)
    while left < count || right < all.count {
      let old = left < count ? all.identifiers[left] : nil
      let new = right < all.count ? all.identifiers[right] : nil
      guard let new, old ?? .max >= new else {
        order.append(left)
        left += 1
        continue
      }
      order.append(right)
      right += 1
      if old == new { left += 1 }
    }
    return all.selecting(order)
  }
}

extension FeatureCloud.Channels {
  /// Drops every channel that `other` lacks.
  fileprivate mutating func keep(in other: FeatureCloud.Channels) {
    if other.confidence == nil { confidence = nil }
    if other.colors == nil { colors = nil }
    if other.normals == nil { normals = nil }
    if other.evidence == nil { evidence = nil }
    if other.descriptors?.kind != descriptors?.kind || other.descriptors?.size != descriptors?.size {
      descriptors = nil
    }
  }
}

extension WorldMap {
  /// The anchors and points of both maps, which must lie in one frame; of equal ids, those of `other` are kept.
  ///
  /// Views add up; they are unknown when those of a map with points are. Keyframes of both are kept. Unknown sections of `other` follow those of
  /// this map, which equal ones do not.
  ///
  /// - Throws: ``ModelError/duplicatePoint(_:)`` when one of the clouds has an identifier twice.
  public func merged(with other: WorldMap) throws(ModelError) -> WorldMap {
    let newer = Set(other.anchors.map(\.id))
    var map = self
    map.anchors = (anchors.filter { !newer.contains($0.id) } + other.anchors).sorted { $0.id < $1.id }
    map.cloud = try cloud.merged(with: other.cloud)
    map.views = mergedViews(with: other)
    map.provider = provider == other.provider ? provider : nil
    map.keyframes = mergedKeyframes(with: other)
    map.unknownSections += other.unknownSections.filter { !unknownSections.contains($0) }
    return map
  }

  /// The keyframes of both maps; of one picture, that of `other`.
  private func mergedKeyframes(with other: WorldMap) -> [Keyframe] {
    let key = { (frame: Keyframe) in [frame.session, frame.number, frame.camera] }
    let newer = Set(other.keyframes.map(key))
    return keyframes.filter { !newer.contains(key($0)) } + other.keyframes
  }

  /// The views of both maps together, or the most that there can be; nil when they are not known.
  private func mergedViews(with other: WorldMap) -> UInt32? {
    guard let mine = views else { return cloud.isEmpty ? other.views : nil }
    guard let theirs = other.views else { return other.cloud.isEmpty ? mine : nil }
    return mine > UInt32.max - theirs ? .max : mine + theirs
  }

  /// The anchors and points inside `box`, and all keyframes: those outside may have seen what is inside.
  public func cropped(to box: BoundingBox) -> WorldMap {
    var map = self
    map.anchors = anchors.filter { box.contains($0.transform.translation) }
    map.cloud = cloud.selecting(cloud.indices.filter { box.contains(cloud.positions[$0]) })
    return map
  }

  /// The same map seen from another frame: every anchor, point and keyframe moved by a rigid transform.
  ///
  /// - Throws: ``ModelError`` when the transform is not rigid.
  public func transformed(by transform: Transform) throws(ModelError) -> WorldMap {
    try transform.validate()
    var map = self
    for index in map.anchors.indices { map.anchors[index].transform = transform * anchors[index].transform }
    for index in map.keyframes.indices { map.keyframes[index].pose = transform * keyframes[index].pose }
    map.cloud = try cloud.transformed(by: transform)
    return map
  }

  /// The same map with one point for each cell of edge `voxel` (metres); see ``FeatureCloud/downsampled(voxel:)``.
  public func downsampled(voxel: Float) throws(ModelError) -> WorldMap {
    var map = self
    map.cloud = try cloud.downsampled(voxel: voxel)
    return map
  }
}
