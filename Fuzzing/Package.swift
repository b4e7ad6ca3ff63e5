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
func fuzzer(_ name: String, _ modules: [Target.Dependency] = []) -> Target {
  .executableTarget(
    name: name, dependencies: ["Basics", "WorldModel", "FuzzDriver"] + modules,
    swiftSettings: common + [.unsafeFlags(["-parse-as-library"])],
    linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])])
}

let package = Package(
  name: "Fuzzing",
  targets: [
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd"),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl"),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
    .target(name: "Basics", dependencies: ["COpenSSL"], swiftSettings: common),
    .target(
      name: "WorldModel", dependencies: ["Basics", "CZlib"],
      swiftSettings: common, linkerSettings: [.linkedLibrary("m")]),
    .target(name: "AnchorReplication", dependencies: ["Basics", "WorldModel"], swiftSettings: common),
    .target(
      name: "PeerProtocol", dependencies: ["Basics", "WorldModel", "AnchorReplication", "CZstd"], swiftSettings: common),
    .target(name: "FuzzDriver", dependencies: ["Basics", "WorldModel"], swiftSettings: common),
    .target(name: "FuzzAnchorSet", dependencies: ["Basics", "AnchorReplication", "WorldModel"], swiftSettings: common),
    fuzzer("fuzz-container"),
    fuzzer("fuzz-points"),
    fuzzer("fuzz-anchors"),
    fuzzer("fuzz-ply"),
    fuzzer("fuzz-pcd"),
    fuzzer("fuzz-colmap-text"),
    fuzzer("fuzz-colmap-binary"),
    fuzzer("fuzz-xyz"),
    fuzzer("fuzz-batch", ["AnchorReplication", "FuzzAnchorSet"]),
    fuzzer("fuzz-vector", ["AnchorReplication"]),
    fuzzer("fuzz-snapshot", ["AnchorReplication", "FuzzAnchorSet"]),
    fuzzer("fuzz-wire", ["PeerProtocol", "AnchorReplication"]),
    fuzzer("fuzz-record", ["PeerProtocol"]),
  ]
)
