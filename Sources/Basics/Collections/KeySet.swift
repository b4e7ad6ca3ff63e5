/// A set of a few hundred elements, in their order, compiled once for all its users as `Table` is.
package struct KeySet<Element: Comparable> {
  /// The elements, in order.
  package private(set) var sorted: [Element] = []

  /// The set of nothing.
  package init() {}

  /// The set of these elements.
  package init(_ elements: some Sequence<Element>) {
    for element in elements { insert(element) }
  }

  /// How many elements there are.
  package var count: Int { sorted.count }

  /// Whether there is no element.
  package var isEmpty: Bool { sorted.isEmpty }

  /// Whether an element is in the set.
  package func contains(_ element: Element) -> Bool { sorted.search(element).isFound }

  /// Adds an element; returns false if it was there already.
  @discardableResult
  package mutating func insert(_ element: Element) -> Bool {
    let (index, isFound) = sorted.search(element)
    if !isFound { sorted.insert(element, at: index) }
    return !isFound
  }

  /// Removes an element, and returns it; nil if it was not there.
  @discardableResult
  package mutating func remove(_ element: Element) -> Element? {
    let (index, isFound) = sorted.search(element)
    return isFound ? sorted.remove(at: index) : nil
  }

  /// Removes every element.
  package mutating func removeAll() { sorted.removeAll() }

  /// Adds all elements of another set.
  package mutating func formUnion(_ other: Self) {
    for element in other.sorted { insert(element) }
  }

  /// The elements of both sets.
  package func union(_ other: Self) -> Self {
    var all = self
    all.formUnion(other)
    return all
  }

  /// The elements that another set does not have.
  package func subtracting(_ other: Self) -> Self { filter { !other.contains($0) } }

  /// Whether all elements are also in another set.
  package func isSubset(of other: Self) -> Bool { sorted.allSatisfy(other.contains) }

  /// The elements that hold.
  package func filter(_ holds: (Element) throws -> Bool) rethrows -> Self {
    var kept = Self()
    kept.sorted = try sorted.filter(holds)
    return kept
  }
}

extension KeySet: Sequence {
  package func makeIterator() -> IndexingIterator<[Element]> { sorted.makeIterator() }
}

extension KeySet: ExpressibleByArrayLiteral {
  package init(arrayLiteral elements: Element...) {
    self.init(elements)
  }
}

extension KeySet: Sendable where Element: Sendable {}
extension KeySet: Equatable {}
