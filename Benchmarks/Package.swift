// swift-tools-version: 6.2
import PackageDescription

/// The name under which the compiler knows the package in the folder above: the folder's own.
///
/// With it the benchmarks of single modules reach what those share within the package.
let mainPackage = String(
  (Context.packageDirectory.split(separator: "/").dropLast().last ?? "").lowercased()
    .map { $0.isLetter || $0.isNumber ? $0 : "_" })

/// Whether Debian's libdraco-dev is there to be compared with; Scripts/bench.sh looks for it.
let hasDraco = Context.environment["SHAREDWORLD_DRACO"] != nil

let draco: [Target] =
  hasDraco
  ? [.target(name: "CDraco", linkerSettings: [.linkedLibrary("draco")])] : []

/// Which other libraries are there to be run beside our sessions, each by a program of its own; Scripts/bench.sh looks for them.
let hasZeroMQ = Context.environment["SHAREDWORLD_ZEROMQ"] != nil
let hasNATS = Context.environment["SHAREDWORLD_NATS"] != nil

func peer(_ name: String, _ library: String) -> Target {
  .executableTarget(name: name, dependencies: ["PeerSupport"], linkerSettings: [.linkedLibrary(library)])
}

let peers: [Target] =
  (hasZeroMQ || hasNATS ? [.target(name: "PeerSupport")] : [])
  + (hasZeroMQ ? [peer("peer-zeromq", "zmq")] : []) + (hasNATS ? [peer("peer-nats", "nats")] : [])

let package = Package(
  name: "Benchmarks",
  dependencies: [.package(name: "SharedWorld", path: "..")],
  targets: draco + peers + [
    .systemLibrary(name: "CMalloc"),
    .target(name: "CMachine"),
    .executableTarget(
      name: "bench",
      dependencies: [
        "CMalloc", "CMachine", .product(name: "SharedWorld", package: "SharedWorld"),
        .product(name: "WorldFormats", package: "SharedWorld"),
      ]
        + (hasDraco ? ["CDraco"] : []),
      packageAccess: false,
      swiftSettings: [
        .swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
        .unsafeFlags(["-package-name", mainPackage]),
      ] + (hasDraco ? [.define("DRACO")] : [])),
  ],
  cxxLanguageStandard: .cxx17
)
