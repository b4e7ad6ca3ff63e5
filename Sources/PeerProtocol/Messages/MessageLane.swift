import AnchorReplication
import Basics

/// The messages that wait on one link: whole frames on their way through members, and whether others wait too.
struct MessageLane: Sendable {
  /// Whether ``Messages/write(on:in:)`` may have something to write.
  var isWaiting = false
  /// Unreliable messages for members behind the other end.
  var unreliable = UnreliableQueue()
  /// Counts the turns of those that have no precedence, modulo 4.
  private var turn = 0
  /// Reliable messages for members behind the other end: critical ones, which leave first, and the others.
  private var critical = RelayQueue()
  private var ordinary = RelayQueue()

  /// Bytes of those frames that wait.
  var relayedBytes: Int { critical.bytes + ordinary.bytes }
  /// Bytes of those of one kind, critical or not, of which more wait: each kind has the whole bound.
  var mostRelayedBytes: Int { max(critical.bytes, ordinary.bytes) }

  /// Whether unreliable messages, and streams, leave before the ordinary messages this time: each every other time.
  mutating func takeTurn() -> (unreliableFirst: Bool, streamsFirst: Bool) {
    turn = (turn + 1) % 4
    return (!turn.isMultiple(of: 2), turn > 2 || turn == 0)
  }

  /// Adds a frame with a body of `size` bytes, unless more than `limit` would wait; whether it did.
  mutating func relay(
    _ size: Int, isCritical: Bool, limit: Int, rules: ProtocolRules, _ build: (inout ByteWriter) -> Void
  ) -> Bool {
    let hasRoom =
      isCritical
      ? critical.add(size, limit: limit, rules: rules, build) : ordinary.add(size, limit: limit, rules: rules, build)
    if hasRoom { isWaiting = true }
    return hasRoom
  }

  /// Moves frames to the end of `writer` while that has fewer than `limit` bytes.
  mutating func moveRelayed(to writer: inout ByteWriter, limit: Int) {
    critical.move(to: &writer, limit: limit)
    ordinary.move(to: &writer, limit: limit)
  }
}

/// Whole frames of messages that wait to be passed on, in order.
private struct RelayQueue: Sendable {
  private var frames = ByteWriter()
  /// Bytes of them that have left.
  private var left = 0

  /// Bytes that wait.
  var bytes: Int { frames.count - left }

  mutating func add(
    _ size: Int, limit: Int, rules: ProtocolRules, _ build: (inout ByteWriter) -> Void
  ) -> Bool {
    guard bytes + FrameHead.size + size <= limit || !rules.contains(.relayBound) else { return false }
    let waiting = left..<frames.count
    frames.writeFrame(.relayedMessage, build)
    if !rules.contains(.relayOrder) { moveBack(waiting) }
    return true
  }

  /// Moves the first frames behind the others, as only a broken build does.
  private mutating func moveBack(_ first: Range<Int>) {
    frames.write(bytes: Array(frames.bytes[first]))
    left += first.count
  }

  mutating func move(to writer: inout ByteWriter, limit: Int) {
    while bytes > 0, writer.count < limit {
      let rest = unsafe frames.bytes.span.bytes.extracting(left..<frames.count)
      let size = FrameHead.frameSize(rest)
      writer.write(span: rest.extracting(0..<size))
      left += size
    }
    guard bytes == 0 || left >= ProtocolLimits.transmitWindow else { return }
    // Bytes that have left are not kept for long.
    frames = ByteWriter(appendingTo: Array(frames.bytes[left...]))
    left = 0
  }
}
