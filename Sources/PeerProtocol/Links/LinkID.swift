/// Which connection: given by the driver, counted from 1, never reused while the driver lives.
package struct LinkID: Hashable, Sendable, Comparable {
  /// The number.
  package let rawValue: UInt64

  /// The link with this number.
  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Orders by age, oldest first.
  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension LinkID: CustomStringConvertible {
  /// The number after the word, for logs.
  package var description: String { "link \(rawValue)" }
}

/// Which attempt to connect: chosen by whoever asks for it, never reused while the driver lives.
package struct DialID: Hashable, Sendable, Comparable {
  /// The number.
  package let rawValue: UInt64

  /// The attempt with this number.
  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Orders by age, oldest first.
  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension DialID: CustomStringConvertible {
  /// The number after the word, for logs.
  package var description: String { "dial \(rawValue)" }
}
