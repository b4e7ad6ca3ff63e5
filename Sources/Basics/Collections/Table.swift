/// A map from a few hundred keys to their values, in the order of the keys, compiled once for all its users.
///
/// `Dictionary` is specialized for each pair of a key and a value: thirty functions, 38 kB and a second of build for each
/// kind, and a session has a hundred kinds of facts about a peer, most of them looked at a few times a second. The methods
/// of a `Table` are generic code of this module, never specialized in another one. A lookup costs some 100 ns instead of
/// 20, and an insertion moves what lies behind it, so hot paths and large maps keep `Dictionary`. Iteration
/// meets the keys in their order, so that no order of hashing reaches an output.
package struct Table<Key: Comparable, Value> {
  /// All keys, in order.
  package private(set) var keys: [Key] = []
  /// The values in the order of their keys.
  ///
  /// They are optional so that one can be changed in place as `table[key]`; none is nil for longer than such a change.
  private var slots: [Value?] = []

  /// A table of nothing.
  package init() {}

  /// A table of these pairs; of two with equal keys the later one.
  package init(_ pairs: some Sequence<(Key, Value)>) {
    for (key, value) in pairs { self[key] = value }
  }

  /// How many keys there are.
  package var count: Int { keys.count }

  /// Whether there is no key.
  package var isEmpty: Bool { keys.isEmpty }

  /// The values, in the order of their keys.
  package var values: [Value] {
    // A key path would be looked up again at each call, since this code is not specialized.
    slots.compactMap { $0 }
  }

  /// The value of a key; setting nil removes the key.
  package subscript(key: Key) -> Value? {
    get {
      let (index, isFound) = keys.search(key)
      return isFound ? slots[index] : nil
    }
    _modify {
      let (index, isFound) = keys.search(key)
      if isFound {
        defer { if slots[index] == nil { remove(at: index) } }
        yield &slots[index]
      } else {
        var value: Value?
        defer { if let value { insert(key, value, at: index) } }
        yield &value
      }
    }
  }

  /// The value of a key, or the default where there is none; changing it adds the key.
  package subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
    get { self[key] ?? value() }
    _modify {
      let (index, isFound) = keys.search(key)
      if !isFound { insert(key, value(), at: index) }
      var changed = slots[index] ?? value()
      // The value has one owner while it is changed, so that changing it copies no array in it.
      slots[index] = nil
      defer { slots[index] = changed }
      yield &changed
    }
  }

  /// Whether there is a value for a key.
  package func contains(_ key: Key) -> Bool { keys.search(key).isFound }

  /// Sets a value, and returns the one that it replaces.
  @discardableResult
  package mutating func updateValue(_ value: Value, forKey key: Key) -> Value? {
    let (index, isFound) = keys.search(key)
    guard isFound else {
      insert(key, value, at: index)
      return nil
    }
    defer { slots[index] = value }
    return slots[index]
  }

  /// Removes a key, and returns its value; nil when there was none.
  @discardableResult
  package mutating func removeValue(forKey key: Key) -> Value? {
    let (index, isFound) = keys.search(key)
    guard isFound else { return nil }
    defer { remove(at: index) }
    return slots[index]
  }

  /// Removes every key.
  package mutating func removeAll() {
    keys.removeAll()
    slots.removeAll()
  }

  /// The keys whose pairs hold, with their values.
  package func filter(_ holds: (Element) throws -> Bool) rethrows -> Self {
    var kept = Self()
    for pair in self where try holds(pair) {
      kept.keys.append(pair.key)
      kept.slots.append(pair.value)
    }
    return kept
  }

  /// The same keys with other values.
  package func mapValues<Other>(_ transform: (Value) throws -> Other) rethrows -> Table<Key, Other> {
    var mapped = Table<Key, Other>()
    for pair in self { mapped.insert(pair.key, try transform(pair.value), at: mapped.count) }
    return mapped
  }

  private mutating func insert(_ key: Key, _ value: Value, at index: Int) {
    assert(index == 0 || keys[index - 1] < key, "keys stand in their order")
    assert(index == keys.count || key < keys[index], "keys stand in their order")
    keys.insert(key, at: index)
    slots.insert(value, at: index)
  }

  private mutating func remove(at index: Int) {
    keys.remove(at: index)
    slots.remove(at: index)
  }
}

extension Table: Sequence {
  /// The pairs of a table, in the order of the keys.
  package struct Iterator: IteratorProtocol {
    fileprivate let table: Table
    fileprivate var index = 0

    /// The next pair; nil behind the last one.
    package mutating func next() -> (key: Key, value: Value)? {
      guard index < table.keys.count, let value = table.slots[index] else { return nil }
      defer { index += 1 }
      return (table.keys[index], value)
    }
  }

  package func makeIterator() -> Iterator { Iterator(table: self) }
}

extension Table: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral pairs: (Key, Value)...) {
    self.init(pairs)
  }
}

extension Table: Sendable where Key: Sendable, Value: Sendable {}
extension Table: Equatable where Value: Equatable {}
extension Table: Hashable where Key: Hashable, Value: Hashable {}

extension Array where Element: Comparable {
  /// Of a sorted array: the index of an element or, where it is not found, the index at which it belongs.
  func search(_ element: Element) -> (index: Int, isFound: Bool) {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < element { low = middle + 1 } else { high = middle }
    }
    return (low, low < count && self[low] == element)
  }
}
