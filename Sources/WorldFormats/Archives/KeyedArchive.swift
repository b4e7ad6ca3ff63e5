/// The objects that Foundation's `NSKeyedArchiver` stored in a binary property list.
///
/// Objects name each other by their numbers in `$objects`, of which 0 is nil; `$class` leads to the names of an object's
/// class and of those above it.
struct KeyedArchive {
  typealias Value = BinaryPropertyList.Value
  typealias References = BinaryPropertyList.References

  /// An object with named values.
  struct Object {
    let keys: References
    let values: References
    /// The name of its class, then those of the classes above it.
    let classes: [String]
  }

  /// The most objects of an archive, and the most visits while its graph is walked: a shared object counts each time.
  static let visitLimit = 200_000
  /// The most levels of the graph.
  static let depthLimit = 24
  /// The most keys that are looked at to find the map.
  private static let keyLimit = 4_000_000
  /// The most classes above one, and the most bytes of a class's name.
  private static let classLimit = (chain: 32, name: 256)

  private let list: BinaryPropertyList
  private let objects: References
  private var knownClasses: [Int: [String]] = [:]
  private var bytesLeft: Int

  /// Finds the archive's objects.
  init(_ list: BinaryPropertyList) throws(ARKitArchiveError) {
    self.list = list
    bytesLeft = list.bytes.count
    guard case .dictionary(let keys, let values) = try list.value(list.top) else {
      throw .malformedArchive("the top of the list is not a dictionary")
    }
    var found: References?
    var isKeyed = false
    for index in 0..<min(keys.count, 16) {
      let key = try list.value(keys, index)
      if list.matches(key, "$archiver") { isKeyed = list.matches(try list.value(values, index), "NSKeyedArchiver") }
      if list.matches(key, "$objects"), case .array(let objects) = try list.value(values, index) { found = objects }
    }
    guard isKeyed, let found else { throw .malformedArchive("it was not written by NSKeyedArchiver") }
    guard found.count <= Self.visitLimit else { throw .malformedArchive("it has more than \(Self.visitLimit) objects") }
    objects = found
  }

  /// The bytes of a value of data.
  func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> { list.bytes[range] }

  /// The beginning of a text, at most `limit` units of 8 or 16 bits, repaired where it is not sound; nil for another value.
  func text(_ value: Value, limit: Int) -> String? {
    guard case .text(let range, let isWide) = value else { return nil }
    let bytes = list.bytes[range].prefix(limit * (isWide ? 2 : 1))
    guard isWide else { return String(decoding: bytes, as: UTF8.self) }
    let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map {
      UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
    return String(decoding: units, as: UTF16.self)
  }

  /// Counts data that is looked through: what many objects share must not cost more than the file has bytes.
  mutating func spend(_ range: Range<Int>) throws(ARKitArchiveError) {
    bytesLeft -= range.count
    guard bytesLeft >= 0 else { throw .malformedArchive("its objects share more data than it has") }
  }

  /// The first object whose class is `name` or below it, with its graph walked and found sound; nil without one.
  mutating func object(ofClass name: String) throws(ARKitArchiveError) -> Object? {
    var keysLeft = Self.keyLimit
    for number in 0..<objects.count {
      guard case .dictionary(let keys, let values) = try list.value(objects, number) else { continue }
      keysLeft -= keys.count
      guard keysLeft >= 0 else { throw .malformedArchive("its objects have more than \(Self.keyLimit) keys") }
      guard try find("$class", keys) != nil, try classes(keys, values).contains(name) else { continue }
      var walk = Walk()
      try check(.identifier(UInt64(number)), depth: 0, &walk)
      return Object(keys: keys, values: values, classes: try classes(keys, values))
    }
    return nil
  }

  /// The value of an object's key, wherever it is stored; `.null` when there is none.
  func value(_ key: String, of object: Object) throws(ARKitArchiveError) -> Value {
    guard let index = try find(key, object.keys) else { return .null }
    let value = try resolved(try list.value(object.values, index))
    // Mutable data and strings are objects of their own.
    guard case .dictionary(let keys, let values) = value else { return value }
    var content = try find("NS.data", keys)
    if content == nil { content = try find("NS.string", keys) }
    guard let content else { return value }
    return try resolved(try list.value(values, content))
  }

  /// The object that `value` is; nil for another kind of value.
  mutating func object(_ value: Value) throws(ARKitArchiveError) -> Object? {
    guard case .dictionary(let keys, let values) = try resolved(value) else { return nil }
    return Object(keys: keys, values: values, classes: try classes(keys, values))
  }

  /// The elements of an `NSArray`; nil for another kind of value.
  mutating func elements(_ value: Value) throws(ARKitArchiveError) -> [Value]? {
    guard let array = try object(value), array.classes.contains("NSArray") else { return nil }
    guard case .array(let references) = try self.value("NS.objects", of: array) else { return nil }
    var elements: [Value] = []
    for index in 0..<references.count { elements.append(try list.value(references, index)) }
    return elements
  }

  /// The value itself, or the object that its number names.
  private func resolved(_ value: Value) throws(ARKitArchiveError) -> Value {
    var value = value
    // The walk has refused cycles and longer chains.
    for _ in 0..<Self.depthLimit {
      guard case .identifier(let number) = value else { return value }
      value = number == 0 ? .null : try list.value(objects, try checked(number))
    }
    throw .malformedArchive("its objects nest more than \(Self.depthLimit) levels deep")
  }

  private func checked(_ number: UInt64) throws(ARKitArchiveError) -> Int {
    guard number < UInt64(objects.count) else {
      throw .malformedArchive("a reference to object \(number), which it lacks")
    }
    return Int(number)
  }

  /// The place of a key; keys of other lengths are not looked into.
  private func find(_ key: String, _ keys: References) throws(ARKitArchiveError) -> Int? {
    for index in 0..<keys.count where list.matches(try list.value(keys, index), key) { return index }
    return nil
  }

  /// The names of the class of a dictionary's object and of those above it; they are read once for each class.
  private mutating func classes(_ keys: References, _ values: References) throws(ARKitArchiveError) -> [String] {
    guard let index = try find("$class", keys), case .identifier(let identifier) = try list.value(values, index) else {
      throw .malformedArchive("an object without a class")
    }
    let number = try checked(identifier)
    if let known = knownClasses[number] { return known }
    guard case .dictionary(let names, let chains) = try list.value(objects, number),
      let place = try find("$classes", names), case .array(let chain) = try list.value(chains, place),
      (1...Self.classLimit.chain).contains(chain.count)
    else { throw .malformedArchive("a class without names") }
    var found: [String] = []
    for index in 0..<chain.count {
      guard let name = text(try list.value(chain, index), limit: Self.classLimit.name), !name.isEmpty else {
        throw .malformedArchive("a class without a name")
      }
      found.append(name)
    }
    knownClasses[number] = found
    return found
  }
}

extension KeyedArchive {
  /// How far the walk through a graph has come.
  private struct Walk {
    var visits = 0
    /// The objects of the archive that are being walked, at most as many as levels.
    var open: [UInt64] = []
  }

  /// Walks through everything below `value`: a graph that is too deep or too large, or that has a cycle, is refused.
  private mutating func check(_ value: Value, depth: Int, _ walk: inout Walk) throws(ARKitArchiveError) {
    walk.visits += 1
    guard walk.visits <= Self.visitLimit else {
      throw .malformedArchive("its objects are visited more than \(Self.visitLimit) times")
    }
    guard depth <= Self.depthLimit else {
      throw .malformedArchive("its objects nest more than \(Self.depthLimit) levels deep")
    }
    switch value {
    case .null, .integer, .data, .text, .other: break
    case .identifier(0): break
    case .identifier(let number):
      guard !walk.open.contains(number) else { throw .malformedArchive("object \(number) holds itself") }
      walk.open.append(number)
      try check(try list.value(objects, try checked(number)), depth: depth + 1, &walk)
      walk.open.removeLast()
    case .array(let elements):
      for index in 0..<elements.count { try check(try list.value(elements, index), depth: depth + 1, &walk) }
    case .dictionary(let keys, let values):
      _ = try classes(keys, values)
      for index in 0..<keys.count {
        let key = try list.value(keys, index)
        guard case .text = key else { throw .malformedArchive("a key that is no text") }
        if !list.matches(key, "$class") { try check(try list.value(values, index), depth: depth + 1, &walk) }
      }
    }
  }
}
