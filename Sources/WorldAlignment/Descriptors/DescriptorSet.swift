import WorldModel

/// The points of a cloud with the binary descriptors by which they are known, as words of 64 bits.
struct DescriptorSet: Sendable {
  /// The position of each point (metres).
  let positions: [SIMD3<Float>]
  let kind: String
  /// Bytes of a descriptor.
  let size: Int
  /// Where each point's sightings begin; one entry more than there are points.
  let starts: [Int32]
  /// The words of all sightings, ``width`` for each; bits beyond the descriptor are zero.
  let words: [UInt64]

  /// Words of a descriptor.
  var width: Int { (size + 7) / 8 }
  /// The number of sightings.
  var count: Int { Int(starts[positions.count]) }

  /// Of a larger set every n-th point is used: two sets of this size cost about a second.
  static let mostSightings = 20_000
  /// Of a point that was seen more often only so many sightings count, spread over all of them.
  static let mostOfPoint = 16

  /// The points of a cloud; nil when it has no descriptors.
  ///
  /// - Parameter sightings: All descriptors of each point; nil to take the one that is in the cloud.
  /// - Throws: ``AlignmentError/unevenDescriptors`` where they are not those of the cloud, and ``AlignmentError/notFinite``.
  init?(_ cloud: FeatureCloud, sightings: FeatureCloud.Sightings?) throws(AlignmentError) {
    guard let descriptors = sightings?.descriptors ?? cloud.channels.descriptors else { return nil }
    let counts = sightings?.counts ?? [UInt32](repeating: 1, count: cloud.count)
    let total = counts.reduce(0) { $0 + Int($1) }
    guard counts.count == cloud.count, descriptors.size > 0, descriptors.bytes.count == total * descriptors.size else {
      throw .unevenDescriptors
    }
    guard cloud.positions.allSatisfy(\.isFinite) else { throw .notFinite }
    guard descriptors.size <= Limits.descriptor else { return nil }
    var sightingCount = 0
    for count in counts { sightingCount += min(Int(count), Self.mostOfPoint) }
    let step = max(1, (sightingCount + Self.mostSightings - 1) / Self.mostSightings)
    (kind, size) = (descriptors.kind, descriptors.size)
    var (positions, starts, words): ([SIMD3<Float>], [Int32], [UInt64]) = ([], [0], [])
    var first = 0
    for (index, count) in counts.enumerated() {
      let (count, place) = (Int(count), first)
      first += count
      let position = cloud.positions[index]
      guard index % step == 0, count > 0, position.largestMagnitude <= RigidFit.farthest else { continue }
      let used = min(count, Self.mostOfPoint)
      for sighting in 0..<used {
        Self.append(descriptors, at: place + sighting * count / used, to: &words)
      }
      positions.append(position)
      starts.append(starts[starts.count - 1] + Int32(used))
    }
    (self.positions, self.starts, self.words) = (positions, starts, words)
  }

  private static func append(_ descriptors: FeatureCloud.Descriptors, at index: Int, to words: inout [UInt64]) {
    let bytes = descriptors[index]
    var (word, filled): (UInt64, UInt64) = (0, 0)
    for byte in bytes {
      word |= UInt64(byte) << filled
      filled += 8
      if filled == 64 {
        words.append(word)
        (word, filled) = (0, 0)
      }
    }
    if filled > 0 { words.append(word) }
  }

  /// Whether distances between the descriptors of two sets mean anything.
  func isComparable(with other: DescriptorSet) -> Bool { kind == other.kind && size == other.size }

  /// The Hamming distance between two sightings.
  func distance(_ mine: Int, _ other: DescriptorSet, _ theirs: Int) -> Int {
    var distance = 0
    for word in 0..<width {
      distance += (words[mine * width + word] ^ other.words[theirs * width + word]).nonzeroBitCount
    }
    return distance
  }

  /// The point of each sighting.
  var owners: [Int32] {
    positions.indices.flatMap { point in
      [Int32](repeating: Int32(point), count: Int(starts[point + 1] - starts[point]))
    }
  }
}
