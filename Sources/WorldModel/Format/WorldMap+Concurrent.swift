extension WorldMap {
  /// The bytes of ``encoded(_:)``, made by several threads at once.
  ///
  /// - Parameters:
  ///   - options: As for ``encoded(_:)``; the bytes are the same whatever the number of tasks.
  ///   - tasks: How many blocks of points are encoded at a time, at least 1.
  public func encoded(
    _ options: EncodingOptions = .lossless, tasks: Int
  ) async throws(WorldMapError) -> [UInt8] {
    let encoder = try WorldMapEncoder(self, options)
    let blocks = 0..<encoder.blockCount
    let assembly = BlockAssembly(count: blocks.count, into: encoder.emptyPart(of: blocks))
    await withTaskGroup { group in
      for _ in 0..<min(max(tasks, 1), blocks.count) {
        group.addTask { encoder.encodeBlocks(of: assembly) }
      }
    }
    return try encoder.file([try assembly.finish()])
  }

  /// Reads a `.worldmap` file with several threads at once.
  ///
  /// - Parameters:
  ///   - file: The whole file.
  ///   - tasks: How many blocks of points are decoded at a time, at least 1; the map is the same whatever their number.
  /// - Throws: As ``init(decoding:)``.
  public init(decoding file: [UInt8], tasks: Int) async throws(WorldMapError) {
    self.init()
    try await decode(file, tasks: tasks)
  }

  /// Replaces this map by that of a `.worldmap` file, which several threads read; the memory of its points is used
  /// again.
  ///
  /// - Parameters:
  ///   - file: The whole file.
  ///   - tasks: As for ``init(decoding:tasks:)``.
  /// - Throws: As ``init(decoding:)``; the map is empty then.
  public mutating func decode(_ file: [UInt8], tasks: Int) async throws(WorldMapError) {
    var cloud = cloud
    self = WorldMap()
    let decoder = try WorldMapDecoder(file)
    let blocks = 0..<decoder.blockCount
    let crew = BlockCrew(decoder, size: tasks)
    let decoded = await withTaskGroup { group in
      Result { () throws(WorldMapError) in
        try decoder.refill(&cloud, with: blocks) { planes in crew.lead(planes, in: &group) }
      }
    }
    try decoded.get()
    try decoder.sort(&cloud, of: blocks)
    self = try decoder.map(of: cloud)
  }
}

extension WorldMapEncoder {
  /// Encodes blocks until every block has a worker.
  fileprivate func encodeBlocks(of assembly: BlockAssembly) {
    var encoder = blockEncoder()
    while let index = assembly.take() {
      do throws(WorldMapError) {
        assembly.add(try encode(index, with: &encoder), at: index)
      } catch {
        assembly.fail(error)
      }
    }
  }
}
