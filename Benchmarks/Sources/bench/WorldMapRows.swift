import SharedWorld

/// Size and speed of the map codec and of what stands beside it, all on the same data in the same run.
///
/// Rows are compared with byte planes and zstd -1, sizes of real clouds with byte planes and zstd -3; those whose name
/// ends in `-to-…` with another codec.
enum WorldMapRows {
  /// What a point takes when it is stored plainly (bytes): three floats and an identifier.
  static let bytesPerPoint = 20

  static let all = WorldMapData.all.flatMap { data in
    contenders(on: data).flatMap { contender in
      [
        Benchmark(name: "map-size/\(contender.name)/\(data.name)") { [try size(contender, data)] },
        Benchmark(name: "map-encode/\(contender.name)/\(data.name)") { [try encode(contender, data)] },
        Benchmark(name: "map-decode/\(contender.name)/\(data.name)") { [try decode(contender, data)] },
      ]
    }
      + modes.flatMap { mode, options in
        [
          Benchmark(name: "map-encode-2threads/\(mode)/\(data.name)") { try await encodeByTwo(mode, options, data) },
          Benchmark(name: "map-decode-2threads/\(mode)/\(data.name)") { try await decodeByTwo(mode, options, data) },
        ]
      }
  }

  private static let modes: [(String, EncodingOptions)] = [
    ("lossless", .lossless), ("fast", .fast), ("1mm", .millimeter),
  ]

  /// A codec under the name that its rows carry.
  private struct Contender: Sendable {
    let name: String
    /// What it is compared with; byte planes and zstd when nil.
    var rival: Rival?
    let make: @Sendable (FeatureCloud) -> any CloudCodec
  }

  /// A codec of others that ours is compared with.
  private struct Rival: Sendable {
    /// What rows call it.
    let name: String
    let make: @Sendable (FeatureCloud) -> any CloudCodec

    static func planes(level: Int32) -> Rival {
      Rival(name: "byte planes + zstd -\(level)") { PlanesCodec($0, level: level) }
    }
    static let archiver = Rival(name: "NSKeyedArchiver", make: ArchiverCodec.init)
    #if DRACO
    static let draco = Rival(name: "Draco's k-d tree, 1 mm", make: DracoCodec.init)
    #endif
  }

  private static func contenders(on data: WorldMapData) -> [Contender] {
    let inSpace = ("in-space", EncodingOptions(arrangement: .inSpace))
    let own = (modes + [inSpace]).map { mode, options in Contender(name: mode) { WorldMapCodec($0, options) } }
    let others = [
      Contender(name: "memcpy", make: CopyCodec.init),
      Contender(name: "zstd-1") { InterleavedCodec($0, level: 1) },
      Contender(name: "zstd-3") { InterleavedCodec($0, level: 3) },
      Contender(name: "planes-zstd-1") { PlanesCodec($0, level: 1) },
      Contender(name: "planes-zstd-3") { PlanesCodec($0, level: 3) },
    ]
    return own + others + duels(on: data)
  }

  /// Ours against one codec of others.
  private static func duels(on data: WorldMapData) -> [Contender] {
    var duels: [Contender] = []
    // At 3 MB/s one data set is enough of it.
    if data.name == "room-100k" {
      duels.append(Contender(name: "lossless-to-archiver", rival: .archiver) { WorldMapCodec($0, .lossless) })
    }
    #if DRACO
    duels.append(Contender(name: "1mm-to-draco", rival: .draco) { WorldMapCodec($0, .millimeter) })
    #endif
    return duels
  }

  private static func size(_ contender: Contender, _ data: WorldMapData) throws -> Row {
    let cloud = try data.cloud()
    let rival = contender.rival ?? .planes(level: data.isReal ? 3 : 1)
    let count = Double(cloud.count)
    let (size, baseline) = (try contender.make(cloud).encode(), try rival.make(cloud).encode())
    return Row(
      name: "map-size/\(contender.name)/\(data.name)", value: Double(size) / count, unit: "bytes/point",
      baseline: rival.name, baselineValue: Double(baseline) / count, ratio: Double(size) / Double(baseline))
  }

  private static func encode(_ contender: Contender, _ data: WorldMapData) throws -> Row {
    let cloud = try data.cloud()
    let rival = contender.rival ?? .planes(level: 1)
    let (codec, other) = (contender.make(cloud), rival.make(cloud))
    let turns = turns(cloud)
    let times = try compare {
      for _ in 0..<turns { consume(try codec.encode()) }
    } baseline: {
      for _ in 0..<turns { consume(try other.encode()) }
    }
    return row("map-encode/\(contender.name)/\(data.name)", cloud.count * turns, times, baseline: rival.name)
  }

  private static func decode(_ contender: Contender, _ data: WorldMapData) throws -> Row {
    let cloud = try data.cloud()
    let rival = contender.rival ?? .planes(level: 1)
    let (codec, other) = (contender.make(cloud), rival.make(cloud))
    consume(try codec.encode())
    consume(try other.encode())
    let turns = turns(cloud)
    let times = try compare {
      for _ in 0..<turns { try codec.decode() }
    } baseline: {
      for _ in 0..<turns { try other.decode() }
    }
    return row("map-decode/\(contender.name)/\(data.name)", cloud.count * turns, times, baseline: rival.name)
  }

  private static func encodeByTwo(_ mode: String, _ options: EncodingOptions, _ data: WorldMapData) async throws
    -> [Row]
  {
    let map = WorldMap(cloud: try data.cloud())
    return try await twoAgainstOne("map-encode-2threads/\(mode)/\(data.name)", map.cloud.count) { tasks in
      consume(try await map.encoded(options, tasks: tasks).count)
    }
  }

  private static func decodeByTwo(_ mode: String, _ options: EncodingOptions, _ data: WorldMapData) async throws
    -> [Row]
  {
    let map = WorldMap(cloud: try data.cloud())
    let file = try map.encoded(options)
    return try await twoAgainstOne("map-decode-2threads/\(mode)/\(data.name)", map.cloud.count) { tasks in
      consume(try await WorldMap(decoding: file, tasks: tasks).cloud.count)
    }
  }

  /// Two tasks at a time against one, through the same function: the best of nine, because what others take of the
  /// second core is not the codec's.
  private static func twoAgainstOne(
    _ name: String, _ count: Int, _ work: (_ tasks: Int) async throws -> Void
  ) async throws -> [Row] {
    // Below some blocks of 65,536 points there is nothing to share out.
    guard count > 4 * 65_536 else { return [] }
    let clock = ContinuousClock()
    var times: (two: [Double], one: [Double]) = ([], [])
    for _ in 0..<9 {
      let start = clock.now
      try await work(2)
      let middle = clock.now
      try await work(1)
      times.two.append((middle - start) / .seconds(1))
      times.one.append((clock.now - middle) / .seconds(1))
    }
    let best = (subject: times.two.min() ?? 0, baseline: times.one.min() ?? 0)
    return [row(name, count, best, baseline: "one thread")]
  }

  /// How often a small cloud is taken in a row, so that a measurement takes some milliseconds.
  private static func turns(_ cloud: FeatureCloud) -> Int { max(1, 200_000 / max(cloud.count, 1)) }

  private static func row(
    _ name: String, _ points: Int, _ times: (subject: Double, baseline: Double), baseline: String
  ) -> Row {
    let megabytes = Double(points * bytesPerPoint) / 1e6
    return Row(
      name: name, value: megabytes / times.subject, unit: "MB/s raw", baseline: baseline,
      baselineValue: megabytes / times.baseline, ratio: times.baseline / times.subject)
  }
}

/// Copies bytes between two buffers that are warm.
final class Copy {
  private let source: UnsafeMutableRawBufferPointer
  private let target: UnsafeMutableRawBufferPointer

  init(bytes: Int) {
    source = .allocate(byteCount: bytes, alignment: 64)
    target = .allocate(byteCount: bytes, alignment: 64)
    source.initializeMemory(as: UInt8.self, repeating: 1)
    target.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit {
    source.deallocate()
    target.deallocate()
  }

  func run() {
    target.copyMemory(from: UnsafeRawBufferPointer(source))
    consume(Int(target[target.count / 2]))
  }
}

/// Keeps the optimiser from leaving out what nobody reads.
@inline(never)
func consume(_ value: Int) {}
