extension WorldMap {
  /// The bytes of a `.worldmap` file; equal maps and options give equal bytes on every machine.
  ///
  /// Anchors are written in the order of their ids, points in the order of their identifiers.
  ///
  /// - Throws: ``WorldMapError/model(_:)`` when the map breaks a rule of the model,
  ///   ``WorldMapError/invalidOption(_:)`` when the options do not fit it.
  public func encoded(_ options: EncodingOptions = .lossless) throws(WorldMapError) -> [UInt8] {
    let encoder = try WorldMapEncoder(self, options)
    return encoder.file([try encoder.part(0..<encoder.blockCount)])
  }

  /// Reads a `.worldmap` file.
  ///
  /// - Parameter file: The whole file. Every checksum is compared, and nothing is believed that does not fit.
  /// - Throws: ``WorldMapError`` with the offset of the fault.
  public init(decoding file: [UInt8]) throws(WorldMapError) {
    let decoder = try WorldMapDecoder(file)
    self = try decoder.map()
  }
}
