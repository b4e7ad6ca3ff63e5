// swift-tools-version: 6.2
import PackageDescription

// Fuzz targets for libFuzzer, which the Swift toolchain carries. The modules under test are links to the sources of the
// main package, so that they are built with the same instrumentation and their package symbols can be reached.

let common: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableExperimentalFeature("Lifetimes"),
  .unsafeFlags(["-sanitize=fuzzer"]),
]

/// A program that hands one test to libFuzzer.
func fuzzer(_ name: String) -> Target {
  .executableTarget(
    name: name, dependencies: ["WorldModel", "FuzzDriver"],
    swiftSettings: common + [.unsafeFlags(["-parse-as-library"])],
    linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])])
}

let package = Package(
  name: "Fuzzing",
  targets: [
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd"),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl"),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
    .target(
      name: "WorldModel", dependencies: ["CZstd", "COpenSSL", "CZlib"],
      swiftSettings: common, linkerSettings: [.linkedLibrary("m")]),
    .target(name: "FuzzDriver", swiftSettings: common),
    fuzzer("fuzz-container"),
    fuzzer("fuzz-points"),
    fuzzer("fuzz-anchors"),
  ]
)
