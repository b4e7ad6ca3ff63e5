// swift-tools-version: 6.2
import PackageDescription

/// Settings of every Swift target: Swift 6 mode, no warning survives a build.
let common: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableExperimentalFeature("Lifetimes"),
  // The index is there for editors and to find tests: the whole of Foundation and Glibc need not be in it. The pass is an
  // optimization that a debug build has no use for, and a tenth of its time.
  .unsafeFlags(
    ["-index-ignore-system-modules", "-Xllvm", "-sil-disable-pass=mandatory-redundant-load-elimination"],
    .when(configuration: .debug)),
]

/// CI computes more than it compiles: with `OPTIMIZED` what is pure is optimized in a debug build too, and its assertions stay.
let optimized: [SwiftSetting] =
  Context.environment["OPTIMIZED"] == nil
  ? []
  : [.unsafeFlags(["-O", "-wmo", "-num-threads", "2", "-assert-config", "Debug"], .when(configuration: .debug))]
let pure = common + optimized

/// The pure modules that hold no C pointer also check memory safety strictly.
let strict = pure + [.strictMemorySafety()]

/// `Scripts/sanitize.sh` builds with a slow clock.
let clock: [SwiftSetting] = Context.environment["SANITIZED"] == nil ? [] : [.define("SANITIZED")]

/// What is there with a trait, and with all of them.
func isIn(_ trait: String) -> TargetDependencyCondition? { .when(traits: ["Everything", trait]) }
let (alignment, avahi, journal) = (isIn("Alignment"), isIn("Avahi"), isIn("Journal"))

/// What `Everything` switches on, for `#if`.
///
/// It enables the three traits by their conditions and not by `enabledTraits`: SwiftPM before 6.4 hands the names of
/// enabled traits to the compiler in a random order, so that with two of them most builds compile everything once more
/// (swift-package-manager, issue 10525).
let everything: [SwiftSetting] = ["Alignment", "Avahi", "Journal"].map { .define($0, .when(traits: ["Everything"])) }

/// The targets that `make bench` adds: built where the rest is, so that nothing is compiled twice, and unknown to every app.
///
/// Scripts/bench.sh says which libraries are there to be compared with; ZeroMQ and NATS have a program each.
var benchmarks: [Target] = []
if Context.environment["SHAREDWORLD_BENCH"] != nil {
  func has(_ library: String) -> Bool { Context.environment["SHAREDWORLD_BENCH_\(library)"] != nil }
  func folder(_ name: String) -> String { "Benchmarks/Sources/\(name)" }
  let draco: [Target.Dependency] = has("DRACO") ? ["CDraco"] : []
  benchmarks = [
    .systemLibrary(name: "CMalloc", path: folder("CMalloc"), providers: [.apt(["libc6-dev"])]),
    .target(name: "CMachine", path: folder("CMachine")),
    .executableTarget(
      name: "bench",
      dependencies: [
        "AnchorReplication", "Basics", "CMachine", "CMalloc", "COpenSSL", "CZstd", "SharedWorld", "WorldFormats",
        "WorldModel",
      ] + draco,
      path: folder("bench"), swiftSettings: common + (has("DRACO") ? [.define("DRACO")] : [])),
  ]
  if has("DRACO") {
    benchmarks.append(.target(name: "CDraco", path: folder("CDraco"), linkerSettings: [.linkedLibrary("draco")]))
  }
  let support: [Target.Dependency] = ["PeerSupport"]
  if has("ZEROMQ") || has("NATS") { benchmarks.append(.target(name: "PeerSupport", path: folder("PeerSupport"))) }
  for (library, peer, linked) in [("ZEROMQ", "peer-zeromq", "zmq"), ("NATS", "peer-nats", "nats")] where has(library) {
    benchmarks.append(
      .executableTarget(
        name: peer, dependencies: support, path: folder(peer), linkerSettings: [.linkedLibrary(linked)]))
  }
}

let package = Package(
  name: "SharedWorld",
  products: [
    .library(name: "SharedWorld", targets: ["SharedWorld"]),
    .library(name: "WorldFormats", targets: ["WorldFormats"]),
    .library(name: "WorldAlignment", targets: ["WorldAlignment"]),
    .library(name: "CSharedWorld", type: .dynamic, targets: ["CSharedWorld"]),
    .executable(name: "worldpeer", targets: ["worldpeer"]),
    .executable(name: "worldview", targets: ["worldview"]),
    .executable(name: "worldmap", targets: ["worldmap"]),
  ],
  // An app that names fewer needs fewer libraries of C; what it asks for nevertheless throws `missing-trait`.
  traits: [
    .default(enabledTraits: ["Everything"]),
    .trait(name: "Everything", description: "Alignment, Avahi and Journal."),
    .trait(name: "Alignment", description: "Frames are aligned by scans, points and meetings (WorldAlignment)."),
    .trait(name: "Avahi", description: "Peers find each other by mDNS, through Avahi's daemon or without it."),
    .trait(name: "Journal", description: "A session keeps its anchors in a file (SQLite)."),
  ],
  targets: [
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    // Not of the product SharedWorld: their module maps name the libraries, since a pkg-config file that is missing
    // would be a warning in the build of each app.
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CQREncode", providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(name: "CEdit", providers: [.apt(["libedit-dev"])]),
    .systemLibrary(name: "CMicroHTTPD", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(name: "CLinux"),
    // Headers alone: both libraries of Avahi are loaded at run time.
    .systemLibrary(name: "CDNSSD", providers: [.apt(["libavahi-compat-libdnssd-dev"])]),
    .systemLibrary(name: "CAvahiCore", providers: [.apt(["libavahi-core-dev"])]),

    .target(name: "Basics", dependencies: ["COpenSSL"], swiftSettings: strict),
    .target(name: "BasicsLinux", dependencies: ["Basics", "CLinux"], swiftSettings: common),
    // Rounding of Float calls libm, which nothing else links where neither Foundation nor Glibc is imported.
    .target(
      name: "WorldModel", dependencies: ["Basics"], swiftSettings: pure, linkerSettings: [.linkedLibrary("m")]),
    .target(name: "WorldFormats", dependencies: ["Basics", "WorldModel", "CZlib"], swiftSettings: common),
    // Rigid fits, and the place of a cloud in a map; the trials are what it is measured by.
    // Optimized in a debug build too, where it would take half a minute instead of a second to find a scan in a map.
    .target(
      name: "WorldAlignment", dependencies: ["WorldModel"],
      swiftSettings: common + [.unsafeFlags(["-O"], .when(configuration: .debug))]),
    .target(
      name: "AlignmentTrials", dependencies: ["Basics", "WorldAlignment", "WorldFormats", "WorldModel"],
      swiftSettings: common),
    .executableTarget(
      name: "trials", dependencies: ["AlignmentTrials", "WorldAlignment", "WorldModel"], swiftSettings: common),
    .target(name: "Authentication", dependencies: ["CSodium"], swiftSettings: common),
    .target(name: "AnchorReplication", dependencies: ["Basics", "WorldModel"], swiftSettings: strict),
    .target(
      name: "PeerProtocol", dependencies: ["Authentication", "Basics", "WorldModel", "AnchorReplication", "CZstd"],
      swiftSettings: strict),
    .target(
      name: "PeerTransport",
      dependencies: ["Authentication", "Basics", "BasicsLinux", "PeerProtocol", "WorldModel", "CLinux", "COpenSSL"],
      swiftSettings: common + clock),
    .target(
      name: "ServiceDiscovery",
      dependencies: [
        "Basics", "BasicsLinux", .byName(name: "CDNSSD", condition: avahi),
        .byName(name: "CAvahiCore", condition: avahi), "CLinux",
      ],
      swiftSettings: common + everything),
    .target(
      name: "SharedWorld",
      dependencies: [
        "Authentication", "Basics", "BasicsLinux", "WorldModel", "AnchorReplication", "PeerProtocol", "PeerTransport",
        "ServiceDiscovery", .byName(name: "WorldAlignment", condition: alignment),
        .byName(name: "CSQLite", condition: journal),
      ],
      swiftSettings: common + everything),
    // The header of the C interface is a target of its own, so that the compiler checks the functions against it.
    .target(name: "CSharedWorldHeaders"),
    .target(
      name: "CSharedWorld", dependencies: ["BasicsLinux", "SharedWorld", "CSharedWorldHeaders"], swiftSettings: common),
    .target(
      name: "Simulator", dependencies: ["Authentication", "Basics", "PeerProtocol", "AnchorReplication", "WorldModel"],
      swiftSettings: strict),

    .executableTarget(name: "soak", dependencies: ["Basics", "Simulator"], swiftSettings: common),
    .target(
      name: "PeerCLI", dependencies: ["Basics", "BasicsLinux", "SharedWorld", "WorldFormats", "CQREncode"],
      swiftSettings: common),
    .executableTarget(
      name: "worldpeer", dependencies: ["Basics", "BasicsLinux", "CEdit", "PeerCLI", "WorldFormats", "SharedWorld"],
      swiftSettings: common),
    .target(
      name: "WorldViewKit",
      dependencies: ["Basics", "BasicsLinux", "SharedWorld", "PeerCLI", "WorldFormats", "CMicroHTTPD", "COpenSSL"],
      swiftSettings: common),
    .executableTarget(
      name: "worldview", dependencies: ["WorldViewKit", "PeerCLI", "SharedWorld"],
      resources: [
        .embedInCode("Page/page.html"), .embedInCode("Page/page.css"), .embedInCode("Page/view.js"),
        .embedInCode("Page/camera.js"), .embedInCode("Page/panel.js"), .embedInCode("Page/server.js"),
        .embedInCode("Page/anchors.js"), .embedInCode("Page/dom.js"), .embedInCode("Page/gestures.js"),
        .embedInCode("Page/stage.js"), .embedInCode("Page/steady.js"),
        .embedInCode("Page/peers.js"), .embedInCode("Page/stream.js"), .embedInCode("Page/worker.js"),
        .embedInCode("Page/example.js"), .embedInCode("Page/member.js"), .embedInCode("Page/device.js"),
        .embedInCode("Page/xr.js"), .embedInCode("Page/scene.js"), .embedInCode("Page/shaders.js"),
        .embedInCode("Page/upright.js"),
        .embedInCode("Page/points.js"), .embedInCode("Page/picture.js"), .embedInCode("Page/lines.js"),
        .embedInCode("Page/labels.js"), .embedInCode("Page/modes.js"), .embedInCode("Page/delta.js"),
        .embedInCode("Page/talk.js"), .embedInCode("Page/export.js"),
      ], swiftSettings: common),
    .executableTarget(
      name: "worldmap", dependencies: ["PeerCLI", "WorldAlignment", "WorldFormats", "SharedWorld"],
      swiftSettings: common),

    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: common),
    .testTarget(name: "BasicsTests", dependencies: ["Basics"], swiftSettings: common),
    .testTarget(name: "AuthenticationTests", dependencies: ["Authentication", "Basics"], swiftSettings: common),
    .testTarget(name: "BasicsLinuxTests", dependencies: ["Basics", "BasicsLinux"], swiftSettings: common),
    .testTarget(
      name: "WorldModelTests", dependencies: ["Basics", "WorldModel", "WorldFormats", "TestSupport"],
      exclude: ["reader.py"], swiftSettings: common),
    .testTarget(
      name: "WorldAlignmentTests",
      dependencies: ["AlignmentTrials", "Basics", "TestSupport", "WorldAlignment", "WorldModel"],
      swiftSettings: common),
    .testTarget(
      name: "WorldFormatsTests", dependencies: ["Basics", "WorldFormats", "WorldModel", "CZlib"],
      swiftSettings: common),
    .testTarget(
      name: "AnchorReplicationTests",
      dependencies: ["Basics", "AnchorReplication", "WorldModel", "Simulator", "TestSupport"],
      swiftSettings: common),
    .testTarget(
      name: "PeerProtocolTests",
      dependencies: [
        "Authentication", "Basics", "PeerProtocol", "AnchorReplication", "WorldModel", "WorldFormats", "Simulator",
        "TestSupport",
      ],
      swiftSettings: common),
    .testTarget(
      name: "PeerTransportTests",
      dependencies: [
        "AnchorReplication", "Basics", "BasicsLinux", "PeerTransport", "PeerProtocol", "WorldModel", "COpenSSL",
        "TestSupport",
      ],
      swiftSettings: common),
    .testTarget(
      name: "ServiceDiscoveryTests", dependencies: ["Basics", "BasicsLinux", "ServiceDiscovery", "TestSupport"],
      swiftSettings: common),
    .testTarget(
      name: "CSharedWorldTests", dependencies: ["CSharedWorld", "CSharedWorldHeaders", "TestSupport"], exclude: ["C"],
      swiftSettings: common),
    .testTarget(
      name: "SharedWorldTests",
      dependencies: [
        "AlignmentTrials", "Authentication", "Basics", "SharedWorld", "PeerTransport", "PeerProtocol",
        "ServiceDiscovery", "WorldModel", "WorldAlignment", "WorldFormats", "TestSupport",
      ],
      swiftSettings: common),
    .testTarget(
      name: "SimulatorTests",
      dependencies: ["Basics", "Simulator", "PeerProtocol", "AnchorReplication", "WorldModel", "soak", "TestSupport"],
      swiftSettings: common),
    .testTarget(name: "PeerCLITests", dependencies: ["PeerCLI", "SharedWorld", "TestSupport"], swiftSettings: common),
    .testTarget(
      name: "WorldViewKitTests",
      dependencies: [
        "Basics", "COpenSSL", "WorldViewKit", "PeerCLI", "SharedWorld", "WorldFormats", "worldview", "TestSupport",
      ],
      swiftSettings: common),
    .testTarget(
      name: "WorldMapToolTests", dependencies: ["worldmap", "PeerCLI", "SharedWorld", "TestSupport"],
      swiftSettings: common),
    .testTarget(
      name: "WorldPeerTests", dependencies: ["worldpeer", "PeerCLI", "SharedWorld", "WorldFormats", "TestSupport"],
      swiftSettings: common),
    .testTarget(name: "Examples", dependencies: ["SharedWorld", "WorldFormats", "TestSupport"], swiftSettings: common),
    .testTarget(name: "TidyTests", dependencies: ["TestSupport"], swiftSettings: common),
  ] + benchmarks,
  cxxLanguageStandard: .cxx17
)

// A build for some tests alone (Scripts/sanitize.sh) has no others: SwiftPM puts all of them into one program.
if let chosen = Context.environment["ONLY_TESTS"]?.split(separator: " ") {
  package.targets.removeAll { $0.type == .test && !chosen.contains($0.name[...]) }
}
