/// A binary heap, the least element first: to add one and to take the first one costs the logarithm of their number.
package struct MinHeap<Element: Comparable> {
  @usableFromInline var elements: [Element] = []

  package init() {}

  /// The least element; nil of an empty heap.
  @inlinable package var first: Element? { elements.first }

  /// Adds an element.
  @inlinable
  package mutating func push(_ element: Element) {
    var index = elements.count
    elements.append(element)
    while index > 0 {
      let parent = (index - 1) / 2
      guard element < elements[parent] else { break }
      elements[index] = elements[parent]
      index = parent
    }
    elements[index] = element
  }

  /// Takes the least element out; nil of an empty heap.
  @inlinable
  package mutating func pop() -> Element? {
    guard let first = elements.first, let last = elements.popLast() else { return nil }
    if !elements.isEmpty { sink(last) }
    return first
  }

  /// Puts an element in the place of the first one and lets it sink to where it belongs.
  @inlinable
  mutating func sink(_ element: Element) {
    var index = 0
    while true {
      var child = 2 * index + 1
      guard child < elements.count else { break }
      if child + 1 < elements.count, elements[child + 1] < elements[child] { child += 1 }
      guard elements[child] < element else { break }
      elements[index] = elements[child]
      index = child
    }
    elements[index] = element
  }
}

extension MinHeap: Sendable where Element: Sendable {}
