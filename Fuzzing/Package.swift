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
  // The traits of the main package, all on.
  .define("Alignment"), .define("Avahi"), .define("Journal"),
  .unsafeFlags(["-sanitize=fuzzer"]),
]

/// The same for modules of which targets use what is internal.
let open = common + [.unsafeFlags(["-enable-testing"])]

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
      name: "WorldModel", dependencies: ["Basics"], swiftSettings: common, linkerSettings: [.linkedLibrary("m")]),
    .target(name: "WorldFormats", dependencies: ["Basics", "WorldModel", "CZlib"], swiftSettings: common),
    .target(name: "AnchorReplication", dependencies: ["Basics", "WorldModel"], swiftSettings: common),
    .target(
      name: "PeerProtocol", dependencies: ["Authentication", "Basics", "WorldModel", "AnchorReplication", "CZstd"],
      swiftSettings: common),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium"),
    .target(name: "Authentication", dependencies: ["CSodium"], swiftSettings: common),
    .target(name: "BasicsLinux", dependencies: ["Basics", "CLinux"], swiftSettings: common),
    .target(
      name: "PeerTransport",
      dependencies: ["Authentication", "Basics", "BasicsLinux", "PeerProtocol", "WorldModel", "CLinux", "COpenSSL"],
      swiftSettings: open),
    .target(name: "WorldAlignment", dependencies: ["WorldModel"], swiftSettings: common),
    .systemLibrary(name: "CDNSSD"),
    .systemLibrary(name: "CAvahiCore"),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
    .target(
      name: "ServiceDiscovery", dependencies: ["Basics", "BasicsLinux", "CDNSSD", "CAvahiCore", "CLinux"],
      swiftSettings: open),
    .target(
      name: "SharedWorld",
      dependencies: [
        "Authentication", "Basics", "BasicsLinux", "WorldModel", "WorldAlignment", "AnchorReplication", "PeerProtocol",
        "PeerTransport", "ServiceDiscovery", "CSQLite",
      ],
      swiftSettings: open),
    .target(name: "FuzzDriver", dependencies: ["Basics", "WorldFormats", "WorldModel"], swiftSettings: common),
    .target(name: "FuzzAnchorSet", dependencies: ["Basics", "AnchorReplication", "WorldModel"], swiftSettings: common),
    fuzzer("fuzz-container"),
    fuzzer("fuzz-points"),
    fuzzer("fuzz-anchors"),
    fuzzer("fuzz-ply", ["WorldFormats"]),
    fuzzer("fuzz-pcd", ["WorldFormats"]),
    fuzzer("fuzz-colmap-text", ["WorldFormats"]),
    fuzzer("fuzz-colmap-binary", ["WorldFormats"]),
    fuzzer("fuzz-xyz", ["WorldFormats"]),
    fuzzer("fuzz-archive", ["WorldFormats"]),
    fuzzer("fuzz-batch", ["AnchorReplication", "FuzzAnchorSet"]),
    fuzzer("fuzz-vector", ["AnchorReplication"]),
    fuzzer("fuzz-snapshot", ["AnchorReplication", "FuzzAnchorSet"]),
    fuzzer("fuzz-wire", ["Authentication", "PeerProtocol", "AnchorReplication"]),
    fuzzer("fuzz-record", ["PeerProtocol"]),
    fuzzer("fuzz-node", ["PeerProtocol", "AnchorReplication"]),
    fuzzer("fuzz-chunk", ["PeerProtocol"]),
    fuzzer("fuzz-pem", ["PeerTransport"]),
    fuzzer("fuzz-certificate", ["PeerTransport", "COpenSSL"]),
    fuzzer("fuzz-tls", ["PeerTransport"]),
    fuzzer("fuzz-exchange", ["Authentication"]),
    fuzzer("fuzz-txt"),
    fuzzer("fuzz-multicast", ["ServiceDiscovery"]),
    fuzzer("fuzz-announcement", ["PeerTransport", "SharedWorld"]),
    fuzzer("fuzz-link", ["SharedWorld"]),
    fuzzer("fuzz-letter", ["PeerProtocol", "SharedWorld"]),
    fuzzer("fuzz-streams", ["AnchorReplication", "PeerProtocol"]),
    fuzzer("fuzz-pins", ["SharedWorld"]),
  ]
)
