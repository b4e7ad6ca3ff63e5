import AnchorReplication
import WorldModel

/// That an anchor was updated, and what is told of it besides the anchor itself.
protocol UpdateNote: Sendable {
  /// Which anchor.
  var anchor: AnchorID { get }
  /// Takes up a later update of the same anchor; false when a reader has to be told of that on its own.
  mutating func absorb(_ later: Self) -> Bool
}

/// The backlog of one reader, in order: elements that stand whole, and updates of anchors, which are only noted.
///
/// A thousand unread updates of one anchor are one note of a few bytes. The anchor itself is read from the set when the reader
/// takes the note, so that nothing is copied for what nobody reads.
struct Unread<Element: Sendable, Note: UpdateNote>: Sendable {
  /// Where a piece of news stands.
  private enum Place {
    case whole(UInt32)
    case noted(UInt32)
  }

  private struct Noted {
    var note: Note
    /// Its index in the order.
    let position: Int
    /// The note of the same anchor before it.
    let previous: Int?
    /// Whether it absorbs nothing more.
    var isSealed = false
  }

  /// The order of all news; empty without notes, when the elements stand in it themselves.
  private var order: [Place] = []
  private var elements: [Element] = []
  private var notes: [Noted] = []
  /// The last note of each anchor.
  private var latest = SlotIndex()
  private let hash = SeededHash()
  /// Elements for which there is room before the first comes, at most.
  private static var mostRoom: Int { 512 }

  /// Whether nothing is unread.
  var isEmpty: Bool { count == 0 }
  /// The pieces of news.
  var count: Int { hasNotes ? order.count : elements.count }
  /// Whether anchors have to be read from the set before the news can be handed out.
  var hasNotes: Bool { !notes.isEmpty }

  /// Adds an element, and returns where it stands for ``replace(_:with:)``.
  @inline(__always)
  @discardableResult
  mutating func append(_ element: Element) -> Int {
    if hasNotes { order.append(.whole(UInt32(elements.count))) }
    elements.append(element)
    return elements.count - 1
  }

  /// Makes room for so many more elements at once: an array that grows copies every element several times.
  mutating func reserve(_ more: Int) {
    guard elements.count + more > elements.capacity else { return }
    elements.reserveCapacity(max(elements.count + more, 2 * elements.capacity))
  }

  /// Puts an element in the place of one that stands there.
  mutating func replace(_ index: Int, with element: Element) { elements[index] = element }

  /// Notes an update: as one with an unread update of the same anchor, if that absorbs it.
  @inline(__always)
  mutating func note(_ note: Note) {
    let known = place(of: note.anchor)
    if let known, !notes[known].isSealed, notes[known].note.absorb(note) { return }
    if !hasNotes { order.append(contentsOf: elements.indices.lazy.map { .whole(UInt32($0)) }) }
    let slot = notes.count
    notes.append(Noted(note: note, position: order.count, previous: known))
    order.append(.noted(UInt32(slot)))
    if let known {
      latest.move(known, to: slot, hash: hash(of: note.anchor))
    } else {
      latest.insert(slot, hash: hash(of: note.anchor)) { [notes, hash] in
        hash.mix(notes[$0].note.anchor.high, notes[$0].note.anchor.low)
      }
    }
  }

  /// Lets no later update of an anchor become one with those that are noted.
  mutating func seal(_ anchor: AnchorID) {
    if let slot = place(of: anchor) { notes[slot].isSealed = true }
  }

  /// Puts elements in the places of all that is noted of an anchor, which is about to go.
  mutating func settle(_ anchor: AnchorID, _ make: (Note) -> Element) {
    guard let last = place(of: anchor) else { return }
    latest.remove(last, hash: hash(of: anchor)) { [notes, hash] in
      hash.mix(notes[$0].note.anchor.high, notes[$0].note.anchor.low)
    }
    var next: Int? = last
    while let slot = next {
      order[notes[slot].position] = .whole(UInt32(elements.count))
      elements.append(make(notes[slot].note))
      next = notes[slot].previous
    }
  }

  /// Everything unread, which then counts as read; `add` appends what was noted, as the set has it, unless it is not there.
  ///
  /// To append spares two copies of a large element that it takes to return one.
  mutating func take(_ add: (Note, inout [Element]) -> Void) -> [Element] {
    let room = min(count, Self.mostRoom)
    defer {
      forget()
      // As much room as was needed last: an array that grows copies every element several times.
      elements.reserveCapacity(room)
    }
    // Without notes the elements stand in order.
    guard hasNotes else { return exchange(&elements, with: []) }
    var taken: [Element] = []
    taken.reserveCapacity(order.count)
    for place in order {
      switch place {
      case .whole(let index): taken.append(elements[Int(index)])
      case .noted(let slot): add(notes[Int(slot)].note, &taken)
      }
    }
    return taken
  }

  /// Reads everything noted from the set, because that goes.
  mutating func settleAll(_ add: (Note, inout [Element]) -> Void) {
    guard hasNotes else { return }
    for element in take(add) { append(element) }
  }

  /// Drops the elements for which `isDropped` holds, and perhaps what is noted.
  mutating func drop(notes dropsNotes: Bool, where isDropped: (Element) -> Bool) {
    guard hasNotes else { return elements.removeAll(where: isDropped) }
    let (old, oldElements, oldNotes) = (order, elements, notes)
    forget()
    for place in old {
      switch place {
      case .whole(let index): if !isDropped(oldElements[Int(index)]) { append(oldElements[Int(index)]) }
      case .noted(let slot): if !dropsNotes { note(oldNotes[Int(slot)].note) }
      }
    }
  }

  private mutating func forget() {
    elements = []
    order.removeAll(keepingCapacity: true)
    notes.removeAll(keepingCapacity: true)
    latest.removeAll()
  }

  /// Where the last note of `anchor` stands.
  @inline(__always)
  private func place(of anchor: AnchorID) -> Int? {
    latest.find(hash(of: anchor)) { notes[$0].note.anchor == anchor }
  }

  @inline(__always)
  private func hash(of anchor: AnchorID) -> UInt64 { hash.mix(anchor.high, anchor.low) }
}
