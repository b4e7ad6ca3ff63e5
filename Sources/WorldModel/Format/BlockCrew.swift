import Synchronization

/// Threads that decode the blocks of a cloud, each block to its place in the same planes.
///
/// The planes are on loan for as long as ``lead(_:in:)`` runs. It works too, and before it returns it takes them back
/// from every helper: from one that is at work on a block after that block, from one that comes later at once.
final class BlockCrew: Sendable {
  /// A worker that decodes while it holds the lock of the planes.
  private final class Helper: Sendable {
    let planes = Mutex<PointPlanes?>(nil)
  }

  /// The results of the blocks beside their planes.
  private struct Findings {
    var channels: [FeatureCloud.Channels?]
    var failure: (index: Int, error: WorldMapError)?
  }

  private let decoder: WorldMapDecoder
  /// How many points stand before each block.
  private let places: [Int]
  private let helpers: [Helper]
  private let queue: BlockQueue
  private let findings: Mutex<Findings>

  /// A crew of `size` threads.
  init(_ decoder: WorldMapDecoder, size: Int) {
    self.decoder = decoder
    var places: [Int] = []
    var sum = 0
    for row in decoder.pointBlocks.rows {
      places.append(sum)
      sum += row.count
    }
    self.places = places
    queue = BlockQueue(count: places.count)
    helpers = (1..<max(min(size, places.count), 1)).map { _ in Helper() }
    findings = Mutex(Findings(channels: Array(repeating: nil, count: places.count)))
  }

  /// Decodes all blocks and returns the channels of their points.
  ///
  /// - Parameters:
  ///   - planes: Where positions and identifiers go.
  ///   - group: Where the helpers run.
  func lead(
    _ planes: PointPlanes, in group: inout TaskGroup<Void>
  ) -> Result<FeatureCloud.Channels, WorldMapError> {
    for helper in helpers {
      helper.planes.withLock { $0 = planes }
      group.addTask { [self] in
        helper.planes.withLock { planes in
          if let planes { work(planes) }
        }
      }
    }
    work(planes)
    for helper in helpers { helper.planes.withLock { $0 = nil } }
    return result
  }

  /// Decodes blocks until every block has a worker.
  private func work(_ planes: PointPlanes) {
    var blockDecoder = PointBlockDecoder(layout: decoder.layout)
    let hasChannels = !decoder.layout.channels.isEmpty
    while let index = queue.take() {
      var channels = decoder.layout.emptyChannels
      do throws(WorldMapError) {
        let place = planes.advanced(by: places[index])
        try decoder.decode(index, with: &blockDecoder, to: place, channels: &channels)
        if hasChannels { findings.withLock { $0.channels[index] = channels } }
      } catch {
        fail(error, at: index)
      }
    }
  }

  /// Lets no more blocks be taken.
  ///
  /// Those before this one have been: the first failure of the file is always found.
  private func fail(_ error: WorldMapError, at index: Int) {
    queue.close()
    findings.withLock { findings in
      if let failure = findings.failure, failure.index < index { return }
      findings.failure = (index, error)
    }
  }

  /// The channels of all blocks in order, or the first failure.
  private var result: Result<FeatureCloud.Channels, WorldMapError> {
    findings.withLock { findings in
      if let failure = findings.failure { return .failure(failure.error) }
      var all = decoder.layout.emptyChannels
      all.reserveCapacity(decoder.pointCount)
      for index in findings.channels.indices {
        if let channels = findings.channels[index] { all.append(channels) }
        // Each is given up before the next is copied.
        findings.channels[index] = nil
      }
      return .success(all)
    }
  }
}
