import Basics

/// The messages that wait on one link: whole frames on their way through members, and whether others wait too.
struct MessageLane: Sendable {
  /// Whether ``Messages/write(on:in:)`` may have something to write.
  var isWaiting = false
  /// Unreliable messages for members behind the other end.
  var unreliable = UnreliableQueue()
  /// Whether unreliable messages leave before the others the next time.
  private var isUnreliableFirst = true
  /// Whole frames for members behind the other end.
  private var relayed = ByteWriter()
  /// Bytes of them that have left.
  private var left = 0

  /// Bytes of those frames that wait.
  var relayedBytes: Int { relayed.count - left }

  /// Whether unreliable messages leave before the others this time, which alternates.
  mutating func takeTurn() -> Bool {
    isUnreliableFirst.toggle()
    return !isUnreliableFirst
  }

  /// Adds a frame with a body of `size` bytes, unless more than `limit` would wait; whether it did.
  mutating func relay(_ size: Int, limit: Int, _ build: (inout ByteWriter) -> Void) -> Bool {
    guard relayedBytes + FrameHead.size + size <= limit else { return false }
    relayed.writeFrame(.relayedMessage, build)
    isWaiting = true
    return true
  }

  /// Moves frames to the end of `writer` while that has fewer than `limit` bytes.
  mutating func moveRelayed(to writer: inout ByteWriter, limit: Int) {
    while relayedBytes > 0, writer.count < limit {
      let rest = unsafe relayed.bytes.span.bytes.extracting(left..<relayed.count)
      let size = FrameHead.frameSize(rest)
      writer.write(span: rest.extracting(0..<size))
      left += size
    }
    guard relayedBytes == 0 || left >= ProtocolLimits.transmitWindow else { return }
    // Bytes that have left are not kept for long.
    relayed = ByteWriter(appendingTo: Array(relayed.bytes[left...]))
    left = 0
  }
}
