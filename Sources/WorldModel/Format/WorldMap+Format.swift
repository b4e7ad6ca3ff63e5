extension WorldMap {
  /// The bytes of a `.worldmap` file; equal maps and options give equal bytes on every machine.
  ///
  /// Anchors are written in the order of their ids, points in the order of their identifiers.
  ///
  /// - Throws: ``WorldMapError/model(_:)`` when the map breaks a rule of the model,
  ///   ``WorldMapError/invalidOption(_:)`` when the options do not fit it.
  public func encoded(_ options: EncodingOptions = .lossless) throws(WorldMapError) -> [UInt8] {
    var file: [UInt8] = []
    try encode(options, into: &file)
    return file
  }

  /// Writes the bytes of a `.worldmap` file over those of `file`, whose memory is used again.
  ///
  /// Fresh memory costs as much as the encoding: keep the array when maps are encoded again and again.
  ///
  /// - Throws: As ``encoded(_:)``; `file` is empty then.
  public func encode(_ options: EncodingOptions = .lossless, into file: inout [UInt8]) throws(WorldMapError) {
    let memory = file
    file = []
    let encoder = try WorldMapEncoder(self, options)
    file = try encoder.file([try encoder.part(0..<encoder.blockCount, reusing: memory)])
  }

  /// Reads a `.worldmap` file.
  ///
  /// - Parameter file: The whole file. Every checksum is compared, and nothing is believed that does not fit.
  /// - Throws: ``WorldMapError`` with the offset of the fault.
  public init(decoding file: [UInt8]) throws(WorldMapError) {
    let decoder = try WorldMapDecoder(file)
    self = try decoder.map()
  }

  /// Replaces this map by that of a `.worldmap` file; the memory of its points is used again.
  ///
  /// Fresh memory costs as much as the decoding: keep the map when files are read again and again.
  ///
  /// - Parameter file: The whole file.
  /// - Throws: As ``init(decoding:)``; the map is empty then.
  public mutating func decode(_ file: [UInt8]) throws(WorldMapError) {
    let memory = cloud
    self = WorldMap()
    self = try WorldMapDecoder(file).map(reusing: memory)
  }
}

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
