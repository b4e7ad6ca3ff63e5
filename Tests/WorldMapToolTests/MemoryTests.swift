import Foundation
import SharedWorld
import TestSupport
import Testing

/// The most memory that the tool takes for a map, told by the kernel.
@Suite(.serialized, .thorough, .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")))
struct MemoryTests {
  /// Loading a map and saving it in another arrangement, or what is left of it: decoding, sorting, planning and encoding.
  @Test(arguments: [EncodingOptions.Arrangement.byIdentifier, .inSpace], [false, true])
  func `work on a map needs at most two and a half times its raw size`(
    from arrangement: EncodingOptions.Arrangement, isDescribed: Bool
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "worldmap-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let paths = ["large", "small", "out"].map { folder.appending(path: $0 + ".worldmap").path }
    // Both have several blocks, and so what is needed for a block at a time.
    let (most, least) = isDescribed ? (200_000, 100_000) : (500_000, 100_000)
    let rooms = [most, least].map { isDescribed ? Self.described(room($0)) : room($0) }
    for (room, path) in zip(rooms, paths) { try write(room, arrangement, to: path) }
    let raw = Double(rooms[0].rawSize - rooms[1].rawSize)
    for (command, options) in [("convert", ["--fast"]), ("convert", ["--fast", "--in-space"]), ("crop", [])] {
      let large = try await Self.tool.peak([command, paths[0], paths[2]] + options)
      let small = try await Self.tool.peak([command, paths[1], paths[2]] + options)
      // What the program itself takes is in both.
      #expect(Double(large - small) / raw < 2.5)
    }
  }

  /// The same with identifiers of 64 random bits and descriptors of 32 random bytes, which nothing makes smaller.
  private static func described(_ room: WorldMap) -> WorldMap {
    var random = SplitMix64(seed: 3)
    let identifiers = room.cloud.indices.map { _ in random.next() }
    let bytes = (0..<(room.cloud.count * 4)).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
    let descriptors = FeatureCloud.Descriptors(kind: "orb", size: 32, bytes: bytes)
    return WorldMap(
      cloud: FeatureCloud(
        positions: room.cloud.positions, identifiers: identifiers.sorted(), channels: .init(descriptors: descriptors)))
  }

  private func room(_ points: Int) -> WorldMap {
    // Walls are enough, and made faster than a furnished room.
    var random = SplitMix64(seed: 2)
    let positions = (0..<points).map { index -> SIMD3<Float> in
      [random.float(in: 0...4), random.float(in: 0...2.5), index % 4_000 < 2_000 ? 0 : 5]
    }
    return WorldMap(cloud: FeatureCloud(positions: positions, identifiers: positions.indices.map { UInt64($0) * 3 }))
  }

  private func write(_ map: WorldMap, _ arrangement: EncodingOptions.Arrangement, to path: String) throws {
    try map.write(toFile: path, options: EncodingOptions(effort: .fast, arrangement: arrangement))
  }

  /// The tool that was built with these tests.
  static let tool = ProgramRun.products.appending(path: "worldmap")
}

/// Those who look at a map need not have room for it.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")))
struct LookingTests {
  /// Equal points, of which a file takes hardly any room.
  private static func write(points: Int, to path: String) throws {
    let positions = [SIMD3<Float>](repeating: .zero, count: points)
    let map = WorldMap(cloud: FeatureCloud(positions: positions, identifiers: (0..<UInt64(points)).map(\.self)))
    try map.write(toFile: path, options: .fast)
  }

  @Test func `looking at a map takes the memory of a block, whatever it unpacks to`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "worldmap-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let paths = ["large", "small"].map { folder.appending(path: $0 + ".worldmap").path }
    let (most, least) = (600_000, 150_000)
    for (points, path) in zip([most, least], paths) { try Self.write(points: points, to: path) }
    let unpacked = (most - least) * (MemoryLayout<SIMD3<Float>>.stride + MemoryLayout<UInt64>.stride)
    for command in ["info", "verify"] {
      let large = try await MemoryTests.tool.peak([command, paths[0]])
      let small = try await MemoryTests.tool.peak([command, paths[1]])
      // Both have several blocks. A map that is unpacked takes all of it.
      #expect(large - small < unpacked / 3)
    }
  }
}

extension URL {
  /// The high-water mark of a run of this program (bytes).
  ///
  /// The C library gives the arrays of a large map back as soon as they are freed, and keeps those of a small one for
  /// later: here it has to treat all alike. A process that is started from a large one, such as this, is charged with the
  /// memory of that; so it is started from a small one.
  fileprivate func peak(_ words: [String]) async throws -> Int {
    let script = """
      import os, resource, subprocess, sys
      environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"}
      subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, env=environment)
      print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
      """
    let text = try await ProgramRun(of: "/usr/bin/python3", ["-c", script, path] + words).text
    return try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)), "\(text)") * 1024
  }
}
