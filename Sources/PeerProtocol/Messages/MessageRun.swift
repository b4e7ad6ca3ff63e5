import Basics

/// Messages of one member that came one behind the other, in one buffer.
///
/// A message becomes an array of its own only where it is read: an array for each would be retained and released at every
/// station before that.
package struct MessageRun: Sendable {
  private var bytes: [UInt8] = []
  /// The offset behind the last byte of each message.
  private var ends: [Int] = []

  /// Whether there is no message.
  var isEmpty: Bool { ends.isEmpty }
  /// The number of messages.
  package var count: Int { ends.count }
  /// Their cost in windows (bytes).
  package var cost: Int { bytes.count + count * ProtocolLimits.messageCost }

  /// Adds a message behind the others.
  mutating func append(_ message: RawSpan) {
    bytes.append(message)
    ends.append(bytes.count)
  }

  /// Removes and returns all messages.
  mutating func take() -> Self {
    let taken = exchange(&self, with: Self())
    // As much room as was needed last: a buffer that grows copies its bytes several times.
    bytes.reserveCapacity(taken.bytes.count)
    ends.reserveCapacity(taken.ends.count)
    return taken
  }
}

extension MessageRun: Sequence {
  package struct Iterator: IteratorProtocol {
    fileprivate let run: MessageRun
    private var index = 0
    private var start = 0

    fileprivate init(_ run: MessageRun) { self.run = run }

    /// The next message.
    package mutating func next() -> [UInt8]? {
      guard index < run.ends.count else { return nil }
      let end = run.ends[index]
      defer { (index, start) = (index + 1, end) }
      // Through the span: a slice retains the buffer.
      return unsafe [UInt8](run.bytes.span.bytes.extracting(start..<end))
    }
  }

  package func makeIterator() -> Iterator { Iterator(self) }
}
