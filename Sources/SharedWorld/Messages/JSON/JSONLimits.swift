/// The bounds of texts that are read and written without Foundation: few have more.
enum JSONLimits {
  /// Containers within containers.
  static let depth = 32
  /// Members of an object, which are looked up one after the other.
  static let members = 32
}
