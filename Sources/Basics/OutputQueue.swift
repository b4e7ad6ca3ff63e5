/// What a state machine wants done, oldest first: it appends during a call, and its owner drains to nil after the call.
///
/// The memory is kept from one drain to the next. An element that was drained is released when the queue is next found empty,
/// so an owner that stops half-way holds on to what it has taken.
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
