extension Session {
  /// The version of this package, `MAJOR.MINOR.PATCH` by [Semantic Versioning](https://semver.org/spec/v2.0.0.html).
  ///
  /// Every other place, such as the packages of `make dist`, takes it from here or is compared with it.
  public static let version = "0.1.0"
}
