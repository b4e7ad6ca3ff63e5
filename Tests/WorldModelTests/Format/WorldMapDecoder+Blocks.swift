@testable import WorldModel

extension WorldMapDecoder {
  /// The checksum of each block: equal blocks have equal ones, and different ones hardly ever.
  var blockChecksums: [UInt64] { pointBlocks.rows.map(\.checksum) }

  /// A box that holds the points of each block (metres).
  var blockBounds: [BoundingBox] { pointBlocks.rows.map(\.bounds) }
}
