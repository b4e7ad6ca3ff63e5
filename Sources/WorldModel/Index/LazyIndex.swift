import Synchronization

/// The spatial index of a cloud, built by its first reader; concurrent readers wait for it.
///
/// Copies of a cloud share one index while their positions are the same. It follows from the positions alone
/// and therefore takes no part in comparisons.
final class LazyIndex: Hashable, Sendable {
  private let index = Mutex<SpatialIndex?>(nil)

  /// The index of `positions`, always those of the same cloud.
  func of(_ positions: [SIMD3<Float>]) -> SpatialIndex {
    index.withLock { index in
      if let index { return index }
      let built = SpatialIndex(positions)
      index = built
      return built
    }
  }

  static func == (left: LazyIndex, right: LazyIndex) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}
