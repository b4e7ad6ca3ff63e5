import Basics
import WorldModel

/// The outputs of a turn: orders for the driver, and frames that wait until the driver has room for them.
package struct Outbox: Sendable {
  /// The frames that wait for one link.
  private struct Lane: Sendable {
    /// Whole control frames.
    var control = ByteWriter()
    /// Whether the link is in `pending`.
    var isPending = false
  }

  private var orders = OutputQueue<Output>()
  /// The app's messages that came after all orders, to be told as one event, whose cost they share; and their sender.
  private var messages = MessageRun()
  private var sender: PeerID?
  /// The objects that came so; only one of the two runs is not empty.
  private var envelopes: [NumberedMessage] = []
  private var envelopeSender: NodeID?
  private var lanes = PerLink<Lane>()
  /// The links whose bytes leave after this turn.
  private var pending: [LinkRef] = []
  /// The buffer in which the next bytes for a link are assembled; reused from link to link.
  var scratch = ByteWriter()

  init() {}

  // MARK: Orders

  /// Whether there is an order.
  var hasOrders: Bool { !orders.isEmpty || !messages.isEmpty || !envelopes.isEmpty }

  /// Appends an order.
  mutating func append(_ order: Output) {
    endRun()
    orders.append(order)
  }

  /// Tells the app of a member's message; those that follow one another are one event.
  mutating func append(message: RawSpan, from sender: PeerID) {
    if messages.isEmpty || self.sender != sender {
      endRun()
      self.sender = sender
    }
    messages.append(message)
  }

  /// Tells the app of a member's object in the same way.
  mutating func append(envelope: NumberedMessage, from sender: NodeID) {
    if envelopes.isEmpty || envelopeSender != sender {
      endRun()
      envelopeSender = sender
    }
    envelopes.append(envelope)
  }

  private mutating func endRun() {
    if !messages.isEmpty, let sender { orders.append(.event(.messages(messages.take(), from: sender))) }
    if !envelopes.isEmpty, let envelopeSender {
      orders.append(.event(.envelopes(exchange(&envelopes, with: []), from: envelopeSender)))
    }
  }

  /// The oldest order.
  package mutating func nextOrder() -> Output? {
    if orders.isEmpty { endRun() }
    return orders.next()
  }

  // MARK: Lanes

  /// Begins the lane of a new link.
  package mutating func open(_ link: LinkRef) { lanes.begin(link, with: Lane()) }

  /// Drops the frames that wait for an ended link.
  package mutating func close(_ link: LinkRef) { lanes.end(link) }

  /// Whether some link's bytes are still to leave after this turn.
  var hasPending: Bool { !pending.isEmpty }

  /// Schedules a link's waiting bytes to leave after this turn.
  mutating func flush(_ link: LinkRef) {
    if lanes.update(link, { exchange(&$0.isPending, with: true) }) == false { pending.append(link) }
  }

  /// The next link whose bytes are to leave; the one that was flushed last comes first.
  package mutating func nextPending() -> LinkRef? {
    while let link = pending.popLast() {
      if lanes.update(link, { $0.isPending = false }) != nil { return link }
    }
    return nil
  }

  /// Appends one control frame to those that wait for a link.
  @inline(__always)
  mutating func write(_ type: FrameType, on link: LinkRef, _ build: (inout ByteWriter) -> Void) {
    guard lanes.update(link, { $0.control.writeFrame(type, build) }) != nil else { return }
    flush(link)
  }

  /// Appends whole control frames to those that wait for a link.
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

  /// Removes and returns the control frames that wait on a link.
  package mutating func takeControl(of link: LinkRef) -> [UInt8] {
    lanes.update(link) { $0.control.take() } ?? []
  }
}
