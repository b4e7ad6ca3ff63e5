/// The byte planes of a component and what occurs in them: enough to judge how small they get.
struct PlaneDraft: ~Copyable {
  typealias Row = PackedFrame.Row

  /// How many frames of a large component are looked at to judge it.
  private static let samples = 16

  /// Whether the planes hold zigzag differences of ordered Float bits instead of the bits.
  private let areDifferences: Bool
  private let planes: BytePlanes
  private let memory: UnsafeMutablePointer<UInt32>
  /// The elements that were split and counted.
  private var count = 0

  /// A draft of components of at most `capacity` elements.
  init(capacity: Int, areDifferences: Bool) {
    self.areDifferences = areDifferences
    planes = BytePlanes(capacity: capacity)
    memory = .allocate(capacity: 4 * HuffmanCode.symbols)
  }

  deinit {
    memory.deallocate()
  }

  /// The byte counts of plane `byte`.
  func counts(_ byte: Int) -> ByteCounts { ByteCounts(counts: memory + byte * HuffmanCode.symbols) }

  /// Plane `byte`.
  func plane(_ byte: Int) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(planes.plane(byte, count)) }

  /// About how many bytes the planes of a component take; a small one is drafted completely.
  mutating func estimate(_ rows: borrowing FrameRows) -> Int {
    if rows.frameCount <= Self.samples {
      draft(rows)
    } else {
      count = Self.samples * PackedFrame.count
      for sample in 0..<Self.samples {
        let index = sample * rows.frameCount / Self.samples
        var previous = index == 0 ? 0 : FloatModel.ordered(rows.frame(index)[-1].w)
        split(rows.frame(index), &previous, at: sample * PackedFrame.count)
      }
      countAll()
    }
    let length = (0..<4).reduce(0) { $0 + min(counts($1).estimate(count), count) }
    return length * rows.count / count
  }

  /// Makes sure that the whole component is split and counted which was estimated last.
  mutating func complete(_ rows: borrowing FrameRows) {
    if count < rows.count { draft(rows) }
  }

  private mutating func draft(_ rows: borrowing FrameRows) {
    count = rows.count
    var previous: UInt32 = 0
    for index in 0..<rows.frameCount { split(rows.frame(index), &previous, at: index * PackedFrame.count) }
    let first = rows.frameCount * PackedFrame.count
    for (place, bits) in rows.tail.enumerated() {
      planes[first + place] = areDifferences ? FloatModel.difference(to: bits, &previous) : bits
    }
    countAll()
  }

  private func countAll() {
    for byte in 0..<4 { counts(byte).count(plane(byte)) }
  }

  @inline(__always)
  private func split(_ frame: UnsafePointer<Row>, _ previous: inout UInt32, at place: Int) {
    guard areDifferences else { return planes.split(frame, at: place) }
    withUnsafeTemporaryAllocation(of: Row.self, capacity: PackedFrame.rows) { buffer in
      guard let buffer = buffer.baseAddress else { return }
      FrameTransform.differences(frame, to: buffer, previous: &previous, isFloat: true)
      planes.split(buffer, at: place)
    }
  }
}
