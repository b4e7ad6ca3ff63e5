/// The number of one thing of the kind that `Tag` names: ids of two kinds never compare, and never stand in for each other.
///
/// Its members are inlinable, so that a table keyed by an id is specialised in the module that owns the table.
@usableFromInline package struct ID<Tag: IDTag>: Hashable, Comparable, Sendable {
  /// The number; the owner of the kind says who counts it and from where.
  @usableFromInline package let rawValue: UInt64

  /// The id with this number.
  @inlinable package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Whether both have the same number.
  @inlinable package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

  /// Orders by number.
  @inlinable package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// Feeds the number to `hasher`.
  @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension ID: CustomStringConvertible {
  /// The number after the noun of its kind, such as `link 3`, for logs.
  @usableFromInline package var description: String { "\(Tag.noun) \(rawValue)" }
}

/// A kind of thing that is numbered; a case-less enum conforms.
@usableFromInline package protocol IDTag {
  /// The singular noun for it in logs.
  static var noun: String { get }
}
