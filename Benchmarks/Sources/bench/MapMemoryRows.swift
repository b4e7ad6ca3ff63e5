import Basics
import CMalloc
import Foundation
import SharedWorld
import WorldFormats

/// The most memory that work on a large map takes, the map itself included, as a multiple of its raw size.
///
/// Each row is measured in a process of its own: `bench --memory WORK POINTS` prints what it needed.
enum MapMemoryRows {
  /// What a point takes when it is stored plainly (bytes): position and identifier, and a descriptor.
  private static func bytesPerPoint(_ work: String) -> Int { 20 + (hasDescriptors(work) ? 32 : 0) }
  private static func hasDescriptors(_ work: String) -> Bool { work.hasSuffix("descriptors") }

  static let all = works.map(\.name).map { name in
    Benchmark(name: "map-memory/\(name)/5M") { [try row(name, points: 5_000_000)] }
  }

  private struct Work: Sendable {
    let name: String
    /// Does it with a map, of which a file stands at the path.
    let run: @Sendable (inout WorldMap, String) throws -> Void
  }

  private static let inSpace = EncodingOptions(arrangement: .inSpace)

  private static let works = [
    Work(name: "encode") { map, _ in consume(try map.encoded().count) },
    Work(name: "encode-1mm") { map, _ in consume(try map.encoded(.millimeter).count) },
    Work(name: "encode-in-space") { map, _ in consume(try map.encoded(inSpace).count) },
    Work(name: "encode-unsorted") { map, _ in consume(try map.encoded().count) },
    Work(name: "save") { map, path in try map.write(toFile: path + ".copy") },
    Work(name: "load", run: load), Work(name: "load-in-space", run: load),
    Work(name: "encode-descriptors") { map, _ in consume(try map.encoded().count) },
    Work(name: "load-descriptors", run: load),
  ]

  @Sendable private static func load(_ map: inout WorldMap, _ path: String) throws {
    map = WorldMap()
    malloc_trim(0)
    map = try WorldMap(contentsOfFile: path)
  }

  /// Runs the work in a child and reads its figure.
  private static func row(_ name: String, points: Int) throws -> Row {
    let child = Process()
    child.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    child.arguments = ["--memory", name, "\(points)"]
    let output = Pipe()
    child.standardOutput = output
    try child.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    child.waitUntilExit()
    guard let bytes = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else { throw Failure.noFigure }
    let raw = Double(points * bytesPerPoint(name))
    return Row(
      name: "map-memory/\(name)/5M", value: bytes / 1e6, unit: "MB", baseline: "raw size", baselineValue: raw / 1e6,
      ratio: bytes / raw)
  }

  private enum Failure: Error { case noFigure, noStatus }

  /// What the child does: prints the most memory (bytes) that the work and its map needed together.
  static func measure(_ name: String, points: Int) throws {
    guard let work = works.first(where: { $0.name == name }) else { throw BenchOptions.UsageError() }
    let path = NSTemporaryDirectory() + "sharedworld-memory-\(ProcessInfo.processInfo.processIdentifier)"
    defer { for end in ["", ".copy"] { try? FileManager.default.removeItem(atPath: path + end) } }
    let start = try resident("VmRSS")
    var map = WorldMap(cloud: SyntheticRoom(seed: 1, pointCount: points).map().cloud)
    if hasDescriptors(name) { map.cloud = described(map.cloud) }
    if name.hasSuffix("unsorted") { map.cloud = map.cloud.selecting(map.cloud.indices.reversed()) }
    try map.write(toFile: path, options: name.hasSuffix("in-space") ? inSpace : .lossless)
    // What the making of the map took is given back, and the high-water mark set to what is left.
    malloc_trim(0)
    try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    try work.run(&map, path)
    print(try resident("VmHWM") - start)
    consume(map.cloud.count)
  }

  /// The same points with a random descriptor of 32 bytes each, which nothing makes smaller.
  private static func described(_ cloud: FeatureCloud) -> FeatureCloud {
    var random = SplitMix64(seed: 2)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(cloud.count * 32)
    for _ in 0..<(cloud.count * 4) { withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) } }
    let descriptors = FeatureCloud.Descriptors(kind: "orb", size: 32, bytes: bytes)
    return FeatureCloud(
      positions: cloud.positions, identifiers: cloud.identifiers, channels: .init(descriptors: descriptors))
  }

  /// A line of the process's status (bytes).
  private static func resident(_ key: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix(key + ":") }
    guard let number = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw Failure.noStatus
    }
    return number * 1024
  }
}
