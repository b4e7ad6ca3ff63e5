import FoundationEssentials

/// The form of a type that is not read and written by its own `init(from:)` and `encode(to:)`.
enum JSONForm {
  /// One that the coders of Foundation alone know.
  case foreign
  /// An array of floating-point numbers: coordinates come in such, and each costs less than by its own coder.
  case floats
  case doubles

  // Kept, because to name a generic type is to look it up.
  private static let floatArray: Any.Type = [Float].self
  private static let doubleArray: Any.Type = [Double].self

  /// The form of a type; nil for one that has none of its own.
  init?(of type: Any.Type) {
    if type == Data.self || type == URL.self || type == Decimal.self {
      self = .foreign
    } else if type == Self.floatArray {
      self = .floats
    } else if type == Self.doubleArray {
      self = .doubles
    } else {
      return nil
    }
  }
}
