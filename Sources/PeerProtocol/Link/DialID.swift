/// An attempt to reach an address, numbered by the node.
package struct DialID: Hashable, Sendable, Comparable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
