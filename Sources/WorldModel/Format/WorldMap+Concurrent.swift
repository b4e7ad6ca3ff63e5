extension WorldMap {
  /// The bytes of ``encoded(_:)``, made by several threads at once.
  ///
  /// - Parameters:
  ///   - options: As for ``encoded(_:)``; the bytes are the same whatever the number of tasks.
  ///   - tasks: How many parts are encoded at a time, at least 1.
  public func encoded(
    _ options: EncodingOptions = .lossless, tasks: Int
  ) async throws(WorldMapError) -> [UInt8] {
    let encoder = try WorldMapEncoder(self, options)
    let count = min(max(tasks, 1), max(encoder.blockCount, 1))
    let parts = await withTaskGroup(of: (Int, Result<WorldMapEncoder.Part, WorldMapError>).self) { group in
      for index in 0..<count {
        let blocks = (encoder.blockCount * index / count)..<(encoder.blockCount * (index + 1) / count)
        group.addTask {
          (index, Result { () throws(WorldMapError) in try encoder.part(blocks) })
        }
      }
      var parts: [Result<WorldMapEncoder.Part, WorldMapError>?] = Array(repeating: nil, count: count)
      for await (index, part) in group { parts[index] = part }
      return parts.compactMap(\.self)
    }
    var finished: [WorldMapEncoder.Part] = []
    for part in parts { finished.append(try part.get()) }
    return encoder.file(finished)
  }
}
