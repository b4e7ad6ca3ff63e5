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
