import Basics
import WorldModel

/// What a turn asks for: orders for the driver, and frames that wait until the driver has room for them.
struct Outbox: Sendable {
  /// What waits to leave on one link.
  private struct Lane: Sendable {
    /// Whole control frames.
    var control = ByteWriter()
    /// Whether the link stands among those whose bytes leave after this turn.
    var isPending = false
  }

  private var orders = OutputQueue<Output>()
  private var lanes = PerLink<Lane>()
  /// The links whose bytes leave after this turn.
  private var pending: [LinkRef] = []
  /// Where the bytes for a link are put together.
  var scratch = ByteWriter()

  init() {}

  // MARK: Orders

  /// Whether there is an order.
  var hasOrders: Bool { !orders.isEmpty }

  /// Adds an order behind the others.
  mutating func append(_ order: Output) { orders.append(order) }

  /// The oldest order.
  mutating func nextOrder() -> Output? { orders.next() }

  // MARK: Lanes

  /// Begins the lane of a new link.
  mutating func open(_ link: LinkRef) { lanes.begin(link, with: Lane()) }

  /// Drops what waits for a link that is gone.
  mutating func close(_ link: LinkRef) { lanes.end(link) }

  /// Whether some link's bytes are still to leave after this turn.
  var hasPending: Bool { !pending.isEmpty }

  /// Lets a link's waiting bytes leave after this turn.
  mutating func flush(_ link: LinkRef) {
    if lanes.update(link, { exchange(&$0.isPending, with: true) }) == false { pending.append(link) }
  }

  /// The next link whose bytes are to leave; the one that was flushed last comes first.
  mutating func nextPending() -> LinkRef? {
    while let link = pending.popLast() {
      if lanes.update(link, { $0.isPending = false }) != nil { return link }
    }
    return nil
  }

  /// Adds one control frame to what waits for a link.
  @inline(__always)
  mutating func write(_ type: FrameType, on link: LinkRef, _ build: (inout ByteWriter) -> Void) {
    guard lanes.update(link, { $0.control.writeFrame(type, build) }) != nil else { return }
    flush(link)
  }

  /// Adds whole control frames to what waits for a link.
  mutating func append(frames: (inout ByteWriter) -> Void, on link: LinkRef) {
    guard lanes.update(link, { frames(&$0.control) }) != nil else { return }
    flush(link)
  }

  /// Bytes of control frames that wait on a link.
  func controlBytes(on link: LinkRef) -> Int { lanes[link]?.control.count ?? 0 }

  /// Moves the control frames that wait on a link to the end of ``scratch``.
  mutating func moveControl(of link: LinkRef) {
    lanes.update(link) { lane in
      guard lane.control.count > 0 else { return }
      scratch.write(bytes: lane.control.bytes)
      lane.control.removeAll()
    }
  }

  /// The control frames that wait on a link, which are gone afterwards.
  mutating func takeControl(of link: LinkRef) -> [UInt8] {
    lanes.update(link) { $0.control.take() } ?? []
  }
}
