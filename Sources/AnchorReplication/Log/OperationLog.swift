import Basics

/// The operations a peer has applied, encoded, in the order in which it applied them; every link reads the same bytes.
///
/// The log is cut into segments so that the oldest can be dropped when it grows over its limit. It is only an
/// optimisation: a peer that needs more than it holds gets a snapshot.
struct OperationLog: Sendable {
  /// Consecutive operations of one actor in a segment.
  struct Run: Sendable {
    let actor: ActorIndex
    let firstSequence: UInt64
    /// The place of the first operation among those of the segment.
    let firstOperation: Int
    var count: Int
  }

  /// A stretch of the log.
  struct Segment: Sendable {
    var bytes: [UInt8] = []
    /// For each operation the offset at which it ends.
    var ends: [UInt32] = []
    var runs: [Run] = []

    /// Where operation `index` begins.
    func start(of index: Int) -> Int { index == 0 ? 0 : Int(ends[index - 1]) }

    mutating func removeAll() {
      bytes.removeAll(keepingCapacity: true)
      ends.removeAll(keepingCapacity: true)
      runs.removeAll(keepingCapacity: true)
    }
  }

  /// Bytes after which a segment is full.
  static let segmentBytes = 64 * 1024

  private var sealed: [Segment] = []
  private var tail = Segment()
  private var sealedBytes = 0
  private let limit: Int
  /// The number of the first segment since the beginning.
  private(set) var firstSegment = 0
  /// For each actor the operations that are not in the log, counted from the first.
  private(set) var floor: [UInt64] = []
  /// Rises whenever the floor of some actor does.
  private(set) var generation = 0

  init(limit: Int) {
    self.limit = limit
  }

  /// The number of the segment that is being written.
  var lastSegment: Int { firstSegment + sealed.count }

  /// Bytes of operations in the log.
  var byteCount: Int { sealedBytes + tail.bytes.count }

  /// The segment with `number`, which must be there.
  func segment(_ number: Int) -> Segment { number == lastSegment ? tail : sealed[number - firstSegment] }

  /// Whether a cursor in the segment that is being written has read all of it.
  func isAtEnd(_ cursor: LogCursor) -> Bool {
    guard let last = tail.runs.last else { return true }
    return cursor.run == tail.runs.count - 1 && cursor.operation == last.count
  }

  /// The operations of `actor` that are not in the log, counted from the first.
  func floor(of actor: ActorIndex) -> UInt64 { Int(actor) < floor.count ? floor[Int(actor)] : 0 }

  /// Appends an operation that was received; its bytes stay as they are.
  @inline(__always)
  mutating func append(_ body: RawSpan, actor: ActorIndex, sequence: UInt64) {
    unsafe body.withUnsafeBytes { unsafe tail.bytes.append(contentsOf: $0) }
    finish(actor: actor, sequence: sequence)
  }

  /// Appends an operation of a received run up to `end`, whose bytes from `copied` on are not in the log yet.
  ///
  /// Its bytes come into the log together with those of its neighbours, at the latest with ``copy(_:_:)``, which has to come
  /// before anything else is asked of the log.
  @inline(__always)
  mutating func append(
    _ run: RawSpan, _ copied: inout Int, upTo end: Int, actor: ActorIndex, sequence: UInt64
  ) {
    let count = tail.bytes.count + end - copied
    book(actor: actor, sequence: sequence, end: count)
    guard count >= Self.segmentBytes else { return }
    copy(run, copied..<end)
    copied = end
    rotate()
  }

  /// Appends the bytes of operations that are booked.
  mutating func copy(_ run: RawSpan, _ bytes: Range<Int>) {
    guard !bytes.isEmpty else { return }
    unsafe run.extracting(bytes).withUnsafeBytes { unsafe tail.bytes.append(contentsOf: $0) }
  }

  /// Encodes and appends an operation.
  mutating func append(_ operation: AnchorOperation, actor: ActorIndex) {
    // Straight behind the others: the writer borrows their memory.
    var writer = ByteWriter(appendingTo: exchange(&tail.bytes, with: []))
    operation.encodeBody(into: &writer)
    tail.bytes = writer.take()
    finish(actor: actor, sequence: operation.dot.sequence)
  }

  /// Records that everything of `actor` up to `sequence` is applied but not in the log.
  mutating func raiseFloor(of actor: ActorIndex, to sequence: UInt64) {
    if floor.count <= Int(actor) {
      floor.append(contentsOf: repeatElement(0, count: Int(actor) + 1 - floor.count))
    }
    guard floor[Int(actor)] < sequence else { return }
    floor[Int(actor)] = sequence
    generation += 1
  }

  /// Drops the oldest segments as long as every operation in them passes `isDispensable`.
  mutating func prune(where isDispensable: (_ actor: ActorIndex, _ sequence: UInt64) -> Bool) {
    while let first = sealed.first, Self.all(first, isDispensable) { evict() }
    if sealed.isEmpty, Self.all(tail, isDispensable), !tail.runs.isEmpty {
      seal()
      evict()
    }
  }

  private static func all(_ segment: Segment, _ isDispensable: (ActorIndex, UInt64) -> Bool) -> Bool {
    segment.runs.allSatisfy { isDispensable($0.actor, $0.firstSequence + UInt64($0.count - 1)) }
  }

  /// Books the operation whose bytes were just appended.
  @inline(__always)
  private mutating func finish(actor: ActorIndex, sequence: UInt64) {
    book(actor: actor, sequence: sequence, end: tail.bytes.count)
    if tail.bytes.count >= Self.segmentBytes { rotate() }
  }

  /// Books an operation that ends there in the segment that is being written.
  @inline(__always)
  private mutating func book(actor: ActorIndex, sequence: UInt64, end: Int) {
    tail.ends.append(UInt32(truncatingIfNeeded: end))
    let last = tail.runs.count - 1
    if last >= 0, tail.runs[last].actor == actor,
      tail.runs[last].firstSequence + UInt64(tail.runs[last].count) == sequence, tail.runs[last].count < 0xffff
    {
      tail.runs[last].count += 1
    } else {
      tail.runs.append(
        Run(actor: actor, firstSequence: sequence, firstOperation: tail.ends.count - 1, count: 1))
    }
  }

  private mutating func rotate() {
    seal()
    while byteCount > limit, !sealed.isEmpty { evict() }
  }

  private mutating func seal() {
    sealedBytes += tail.bytes.count
    sealed.append(tail)
    tail = Segment()
  }

  /// Drops the oldest segment and keeps its memory for the one being written, if that has none yet.
  private mutating func evict() {
    var segment = sealed.removeFirst()
    firstSegment += 1
    sealedBytes -= segment.bytes.count
    for run in segment.runs { raiseFloor(of: run.actor, to: run.firstSequence + UInt64(run.count - 1)) }
    guard tail.bytes.capacity == 0 else { return }
    segment.removeAll()
    tail = segment
  }
}
