/// Pending outputs of a state machine, oldest first: it appends during a call, its owner drains to nil after the call.
///
/// The memory is reused from one drain to the next. A drained element is released when the queue is next found empty,
/// so an owner that stops half-way retains the elements it has drained.
@usableFromInline package struct OutputQueue<Element> {
  @usableFromInline var elements: [Element] = []
  /// The index of the oldest element that was not drained.
  @usableFromInline var head = 0

  /// An empty queue.
  @inlinable package init() {}

  /// Whether ``next()`` would return nil.
  @inlinable package var isEmpty: Bool { head == elements.count }

  /// Adds `element` behind all others.
  @inlinable package mutating func append(_ element: Element) {
    elements.append(element)
  }

  /// Removes and returns the oldest element; nil when there is none.
  @inlinable package mutating func next() -> Element? {
    guard head < elements.count else {
      elements.removeAll(keepingCapacity: true)
      head = 0
      return nil
    }
    defer { head += 1 }
    return elements[head]
  }
}

extension OutputQueue: Sendable where Element: Sendable {}
