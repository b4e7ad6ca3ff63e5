import PeerProtocol

extension OutputDigest {
  /// Adds everything that a value stores, property by property, whatever its access: two nodes with equal digests are in the
  /// same state.
  ///
  /// Sets and dictionaries count without their order, which differs from one to the next.
  package mutating func add(stateOf value: Any) {
    // By far the most there is of anything: without reflection.
    if let bytes = value as? [UInt8] { return add(bytes) }
    if let number = value as? any BinaryInteger { return add(UInt64(truncatingIfNeeded: number)) }
    if let words = value as? [UInt64] {
      for word in words { add(word) }
      return
    }
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .set || mirror.displayStyle == .dictionary {
      let members = mirror.children.map { member in
        var digest = OutputDigest()
        digest.add(stateOf: member.value)
        return digest.value
      }
      for member in members.sorted() { add(member) }
      return
    }
    add(UInt64(mirror.children.count))
    if mirror.children.isEmpty { add(Array("\(value)".utf8)) }
    for child in mirror.children {
      if let label = child.label { add(Array(label.utf8)) }
      add(stateOf: child.value)
    }
  }
}
