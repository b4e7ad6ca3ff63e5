import Basics
import WorldModel

/// A link as the organs name it: its number, and the index of its state in every organ.
///
/// The slot of a link is constant while it lives and reused afterwards; the number is never reused.
package struct LinkRef: Sendable, Comparable {
  /// The driver's number.
  package let id: LinkID
  /// The index in every ``PerLink``.
  let slot: Int

  init(id: LinkID, slot: Int) {
    self.id = id
    self.slot = slot
  }

  /// Orders links by their age, older ones first.
  package static func < (one: Self, other: Self) -> Bool { one.id < other.id }
}

/// The link that carries a member's traffic, and the start of the member's process at its other end.
package struct MemberLink: Equatable, Sendable {
  package let link: LinkRef
  package let node: NodeID

  /// The peer at the other end.
  var peer: PeerID { node.peer }
}

/// One organ's state of each link, found by the link's slot without a search.
///
/// An organ ends the state when ``Notice/unlinked(_:)`` arrives. A reference to an ended link finds nothing, even
/// if another link has its slot by then.
struct PerLink<State: Sendable>: Sendable {
  private struct Slot: Sendable {
    var id: LinkID
    var state: State?
  }

  private var slots: [Slot] = []

  init() {}

  /// Begins the state of a new link.
  mutating func begin(_ link: LinkRef, with state: State) {
    while slots.count <= link.slot { slots.append(Slot(id: LinkID(rawValue: 0), state: nil)) }
    slots[link.slot] = Slot(id: link.id, state: state)
  }

  /// Ends the state of a link and returns it.
  @discardableResult
  mutating func end(_ link: LinkRef) -> State? {
    guard has(link) else { return nil }
    return exchange(&slots[link.slot].state, with: nil)
  }

  /// Calls `body` with the state of each link.
  func forEach(_ body: (State) -> Void) { for case let state? in slots.map(\.state) { body(state) } }

  /// Whether this link has a state.
  func has(_ link: LinkRef) -> Bool {
    guard link.slot < slots.count, slots.span[link.slot].id == link.id else { return false }
    // To compare with nil copies the state.
    guard case .some = slots.span[link.slot].state else { return false }
    return true
  }

  /// The state of a link, read and changed in slot; nil when there is none, and storing then has no effect.
  subscript(link: LinkRef) -> State? {
    @inline(__always) _read {
      if link.slot < slots.count, slots.span[link.slot].id == link.id {
        // Through the span: the subscript of an array copies the element.
        yield slots.span[link.slot].state
      } else {
        yield nil
      }
    }
    @inline(__always) _modify {
      if link.slot < slots.count, slots.span[link.slot].id == link.id {
        yield &slots[link.slot].state
      } else {
        var none: State?
        yield &none
      }
    }
  }

  /// Returns the result of `body` for the state of a link, which is not copied; nil if there is none.
  @inline(__always)
  func read<R>(_ link: LinkRef, _ body: (borrowing State) -> R) -> R? {
    guard has(link) else { return nil }
    return body(slots.span[link.slot].state!)
  }

  /// Runs `body` on the state of a link, if there is one.
  @inline(__always)
  mutating func update<R>(_ link: LinkRef, _ body: (inout State) -> R) -> R? {
    guard has(link) else { return nil }
    return body(&slots[link.slot].state!)
  }
}
