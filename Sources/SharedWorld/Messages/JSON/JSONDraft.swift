/// The values of a JSON text in the order in which an app's type encodes them, from which the text is made at the end.
final class JSONDraft {
  /// A value that holds others.
  enum Container {
    case object
    case array

    fileprivate var opening: UInt8 { self == .object ? UInt8(ascii: "{") : UInt8(ascii: "[") }
    fileprivate var closing: UInt8 { self == .object ? UInt8(ascii: "}") : UInt8(ascii: "]") }
  }

  private struct Value {
    enum Content {
      /// Nothing is encoded for it yet.
      case missing
      /// These bytes of `pieces`.
      case scalar(Range<Int>)
      case container(Container)
    }

    var content = Content.missing
    /// These bytes of `pieces`; none of an element.
    let name: Range<Int>
    /// Nil of the whole text.
    let container: Int?
    let depth: Int
    /// The value behind it in its container; those of an object are in the order of their names.
    var next: Int?
    /// The values that it holds.
    var first: Int?
    var last: Int?
    var count = 0
  }

  /// The bytes of names and scalars.
  private var pieces: [UInt8] = []
  private var values: [Value] = []
  /// Whether something was asked that is left to Foundation, also where an app's `encode(to:)` has caught the error.
  private(set) var wasLeft = false

  /// A text of one value, which is missing.
  init() {
    pieces.reserveCapacity(256)
    values.reserveCapacity(16)
    values.append(Value(name: 0..<0, container: nil, depth: 0))
  }

  /// The error for what is left to Foundation.
  func detour() -> JSONDetour {
    leave()
    return JSONDetour()
  }

  /// Leaves the object to Foundation.
  func leave() { wasLeft = true }

  /// Encodes a value as an app's type does.
  func encode<Object: Encodable>(_ object: Object, at index: Int) throws {
    switch JSONForm(of: Object.self) {
    case nil: try object.encode(to: QuickEncoder(draft: self, index: index))
    case .foreign: throw detour()
    case .floats: try write(object as? [Float] ?? [], at: index)
    case .doubles: try write(object as? [Double] ?? [], at: index)
    }
  }
}

// MARK: - Scalars

extension JSONDraft {
  func writeNull(at index: Int) throws(JSONDetour) {
    try fill(index) { pieces throws(JSONDetour) in pieces.append(contentsOf: "null".utf8) }
  }

  func write<Scalar: JSONScalar>(_ scalar: Scalar, at index: Int) throws(JSONDetour) {
    try fill(index) { pieces throws(JSONDetour) in try scalar.write(to: &pieces) }
  }

  private func write<Scalar: JSONScalar>(_ scalars: [Scalar], at index: Int) throws(JSONDetour) {
    try fill(index) { pieces throws(JSONDetour) in
      pieces.append(UInt8(ascii: "["))
      for (place, scalar) in scalars.enumerated() {
        if place > 0 { pieces.append(UInt8(ascii: ",")) }
        try scalar.write(to: &pieces)
      }
      pieces.append(UInt8(ascii: "]"))
    }
  }

  /// Encodes a value once.
  private func fill(_ index: Int, with write: (inout [UInt8]) throws(JSONDetour) -> Void) throws(JSONDetour) {
    guard case .missing = values[index].content else { throw detour() }
    let start = pieces.count
    do throws(JSONDetour) { try write(&pieces) } catch { throw detour() }
    values[index].content = .scalar(start..<pieces.count)
  }
}

// MARK: - Containers

extension JSONDraft {
  /// How many values a container holds.
  func count(at index: Int) -> Int { values[index].count }

  /// Makes a value a container, which it may be already.
  func make(_ container: Container, at index: Int) {
    switch values[index].content {
    case .missing where values[index].depth < JSONLimits.depth: values[index].content = .container(container)
    case .container(let present) where present == container: break
    case .missing, .scalar, .container: leave()
    }
  }

  /// A new value at the end of an array.
  func append(to array: Int) -> Int {
    let index = add(name: 0..<0, to: array)
    link(index, behind: values[array].last, in: array)
    return index
  }

  /// A new member of an object.
  func insert(_ key: some CodingKey, into object: Int) throws(JSONDetour) -> Int {
    let name = try write(name: key.stringValue)
    guard values[object].count < JSONLimits.members else { throw detour() }
    let place = try place(of: name, in: object)
    let index = add(name: name, to: object)
    link(index, behind: place, in: object)
    return index
  }

  /// Writes the name of a member.
  ///
  /// Outside ASCII strings of Swift are equal in other ways than by their bytes.
  private func write(name: String) throws(JSONDetour) -> Range<Int> {
    let start = pieces.count
    for byte in name.utf8 {
      guard byte < 0x80, JSONEscape.isNeedless(for: byte) else { throw detour() }
      pieces.append(byte)
    }
    return start..<pieces.count
  }

  /// The member behind which one with this name stands; nil at the front.
  private func place(of name: Range<Int>, in object: Int) throws(JSONDetour) -> Int? {
    // Most types encode their members in order.
    if let last = values[object].last, pieces[values[last].name].lexicographicallyPrecedes(pieces[name]) { return last }
    var (place, next): (Int?, Int?) = (nil, values[object].first)
    while let other = next, !pieces[name].lexicographicallyPrecedes(pieces[values[other].name]) {
      // In Foundation the later one of two replaces the earlier.
      guard pieces[name] != pieces[values[other].name] else { throw detour() }
      (place, next) = (other, values[other].next)
    }
    return place
  }

  private func add(name: Range<Int>, to container: Int) -> Int {
    values.append(Value(name: name, container: container, depth: values[container].depth + 1))
    values[container].count += 1
    return values.count - 1
  }

  private func link(_ index: Int, behind place: Int?, in container: Int) {
    let next = place.map { values[$0].next } ?? values[container].first
    values[index].next = next
    if let place { values[place].next = index } else { values[container].first = index }
    if next == nil { values[container].last = index }
  }

  /// The way from the whole text to a value.
  func path(to index: Int) -> [any CodingKey] {
    var (path, value): ([any CodingKey], Int) = ([], index)
    while let container = values[value].container {
      path.append(key(of: value, in: container))
      value = container
    }
    return path.reversed()
  }

  private func key(of value: Int, in container: Int) -> JSONKey {
    if case .container(.object) = values[container].content {
      return JSONKey(String(decoding: pieces[values[value].name], as: UTF8.self))
    }
    var (place, next) = (0, values[container].first)
    while let other = next, other != value { (place, next) = (place + 1, values[other].next) }
    return JSONKey(place)
  }
}

// MARK: - Text

extension JSONDraft {
  /// The whole text.
  func text() throws(JSONDetour) -> [UInt8] {
    var text: [UInt8] = []
    // With the marks around a member or element.
    text.reserveCapacity(pieces.count + 6 * values.count)
    try append(0, to: &text)
    return text
  }

  private func append(_ index: Int, to text: inout [UInt8]) throws(JSONDetour) {
    switch values[index].content {
    case .missing: throw detour()
    case .scalar(let piece): text.append(contentsOf: pieces[piece])
    case .container(let container):
      text.append(container.opening)
      var next = values[index].first
      while let value = next {
        if value != values[index].first { text.append(UInt8(ascii: ",")) }
        if container == .object { appendName(of: value, to: &text) }
        try append(value, to: &text)
        next = values[value].next
      }
      text.append(container.closing)
    }
  }

  private func appendName(of member: Int, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    text.append(contentsOf: pieces[values[member].name])
    text.append(UInt8(ascii: "\""))
    text.append(UInt8(ascii: ":"))
  }
}
