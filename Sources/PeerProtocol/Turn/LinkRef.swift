import Basics
import WorldModel

/// A link as the organs name it: its number, and the place where each of them keeps its book on it.
///
/// The place of a link stays the same while it lives and is given to another link afterwards; the number never is.
package struct LinkRef: Hashable, Sendable {
  /// The driver's number.
  package let id: LinkID
  /// The index in every ``PerLink``.
  let place: Int

  init(id: LinkID, place: Int) {
    self.id = id
    self.place = place
  }
}

/// The link that carries a member's traffic, and the start of the member's process at its other end.
package struct MemberLink: Hashable, Sendable {
  package let link: LinkRef
  package let node: NodeID

  /// Who is at the other end.
  var peer: PeerID { node.peer }
}

/// What one organ keeps of each link, found without a search by the link's place.
///
/// An organ ends its book when it is told that the link is gone. A reference to a link that has ended finds nothing, even
/// when another link has its place by now.
struct PerLink<State: Sendable>: Sendable {
  private struct Slot: Sendable {
    var id: LinkID
    var state: State?
  }

  private var slots: [Slot] = []

  init() {}

  /// Begins the book on a link that has none.
  mutating func begin(_ link: LinkRef, with state: State) {
    while slots.count <= link.place { slots.append(Slot(id: LinkID(rawValue: 0), state: nil)) }
    slots[link.place] = Slot(id: link.id, state: state)
  }

  /// Ends the book on a link and returns it.
  @discardableResult
  mutating func end(_ link: LinkRef) -> State? {
    guard has(link) else { return nil }
    return exchange(&slots[link.place].state, with: nil)
  }

  /// Whether there is a book on this link.
  func has(_ link: LinkRef) -> Bool {
    link.place < slots.count && slots.span[link.place].id == link.id && slots.span[link.place].state != nil
  }

  /// The book on a link, read and changed in place; nil when there is none, and storing then does nothing.
  subscript(link: LinkRef) -> State? {
    @inline(__always) _read {
      if link.place < slots.count, slots.span[link.place].id == link.id {
        // Through the span, since the subscript of an array copies what it gives.
        yield slots.span[link.place].state
      } else {
        yield nil
      }
    }
    @inline(__always) _modify {
      if link.place < slots.count, slots.span[link.place].id == link.id {
        yield &slots[link.place].state
      } else {
        var none: State?
        yield &none
      }
    }
  }

  /// Runs `body` on the book on a link, if there is one.
  @inline(__always)
  mutating func update<R>(_ link: LinkRef, _ body: (inout State) -> R) -> R? {
    guard has(link) else { return nil }
    return body(&slots[link.place].state!)
  }
}
