// swift-tools-version: 6.2
import PackageDescription

/// The name under which the compiler knows the package in the folder above: the folder's own.
///
/// With it the benchmarks of single modules reach what those share within the package.
let mainPackage = String(
  (Context.packageDirectory.split(separator: "/").dropLast().last ?? "").lowercased()
    .map { $0.isLetter || $0.isNumber ? $0 : "_" })

let package = Package(
  name: "Benchmarks",
  dependencies: [.package(name: "SharedWorld", path: "..")],
  targets: [
    .systemLibrary(name: "CMalloc"),
    .target(name: "CMachine"),
    .executableTarget(
      name: "bench",
      dependencies: ["CMalloc", "CMachine", .product(name: "SharedWorld", package: "SharedWorld")],
      packageAccess: false,
      swiftSettings: [
        .swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
        .unsafeFlags(["-package-name", mainPackage]),
      ]),
  ]
)
