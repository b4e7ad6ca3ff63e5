/// What is read and written without Foundation at most: few texts have more.
enum JSONLimits {
  /// Containers within containers.
  static let depth = 32
  /// Members of an object, which are looked up one after the other.
  static let members = 32
}
