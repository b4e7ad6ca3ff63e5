import Testing

/// The version has one address, `Sources/SharedWorld/Version.swift`; the others are compared with it.
@Suite("The version")
struct Versions {
  @Test("every place says the version of Session.version")
  func places() throws {
    let address = Repository.text("Sources/SharedWorld/Version.swift")
    let version = try #require(address.firstMatch(of: #/version = "(\d+\.\d+\.\d+)"/#)).1
    #expect(Repository.text("Bindings/python/pyproject.toml").contains("\nversion = \"\(version)\"\n"))
    let changes = Repository.text("CHANGELOG.md")
    let released = changes.firstMatch(of: #/\n## \[(\d[^\]]*)\]/#)?.1
    #expect(
      released == version || changes.contains("\nThe next version is \(version).\n"),
      "CHANGELOG.md names neither a release \(version) nor \"The next version is \(version).\"")
  }
}
