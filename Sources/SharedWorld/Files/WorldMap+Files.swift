public import WorldModel

extension WorldMap {
  /// Reads a `.worldmap` file.
  ///
  /// - Parameter path: The file, at most ``Limits/map`` bytes.
  /// - Throws: ``SessionError`` with the code `io` when it cannot be read, `limit-exceeded` when it is too large, or
  ///   `corrupt-data` with the offset of the fault.
  public init(contentsOfFile path: String) throws(SessionError) {
    let bytes = try ReadFile.bytes(of: path, limit: Limits.map)
    do throws(WorldMapError) {
      try self.init(decoding: bytes)
    } catch {
      throw SessionError(.corruptData, "\(path) is no sound map: \(error)", cause: error)
    }
  }

  /// Writes a `.worldmap` file in one step: a program that opens it, even after a power cut, sees the old map or the new.
  ///
  /// - Parameters:
  ///   - path: The file, whose folder must exist; mode 0644.
  ///   - options: How exactly and how small.
  /// - Throws: ``SessionError`` with the code `invalid-argument` when the map or the options break a rule, or `io`.
  public func write(toFile path: String, options: EncodingOptions = .kept) throws(SessionError) {
    let bytes: [UInt8]
    do throws(WorldMapError) {
      bytes = try encoded(options)
    } catch {
      throw SessionError(.invalidArgument, "the map cannot be saved: \(error)", cause: error)
    }
    try AtomicFile.write(bytes, to: path)
  }
}
