import Basics

extension WorldMapDecoder {
  /// The points of the block at `index`.
  public func points(ofBlock index: Int) throws(WorldMapError) -> FeatureCloud {
    try points(ofBlocks: index..<(index + 1))
  }

  /// The points inside `box`, in the order of their identifiers; blocks outside are not decoded.
  public func points(in box: BoundingBox) throws(WorldMapError) -> FeatureCloud {
    var result = try points(ofBlocks: 0..<0)
    for index in pointBlocks.rows.indices where pointBlocks.rows[index].bounds.intersects(box) {
      let block = try points(ofBlock: index)
      result.append(block.selecting(block.indices.filter { box.contains(block.positions[$0]) }))
    }
    do throws(ModelError) { try result.sort() } catch { throw failure(error, of: 0..<blockCount) }
    return result
  }

  /// The points of consecutive blocks, in the order of their identifiers.
  public func points(ofBlocks blocks: Range<Int>) throws(WorldMapError) -> FeatureCloud {
    var cloud = FeatureCloud()
    try read(blocks, into: &cloud)
    return cloud
  }

  /// Replaces `cloud` by the points of some blocks and uses its memory again.
  func read(_ blocks: Range<Int>, into cloud: inout FeatureCloud) throws(WorldMapError) {
    try decode(blocks, into: &cloud)
    try sort(&cloud, of: blocks)
  }

  /// Brings the points of some blocks from the order of the file into that of their identifiers.
  ///
  /// Nothing else may hold the planes while they are sorted: they would be copied.
  func sort(_ cloud: inout FeatureCloud, of blocks: Range<Int>) throws(WorldMapError) {
    if isInOrder(blocks) { return }
    do throws(ModelError) { try cloud.sort() } catch { throw failure(error, of: blocks) }
  }

  /// Replaces `cloud` by the points of some blocks, in the order of the file.
  private func decode(_ blocks: Range<Int>, into cloud: inout FeatureCloud) throws(WorldMapError) {
    try refill(&cloud, with: blocks) { planes in
      Result { () throws(WorldMapError) in try decode(blocks, to: planes) }
    }
  }

  /// Decodes blocks one after the other and returns the channels of their points.
  private func decode(_ blocks: Range<Int>, to planes: PointPlanes) throws(WorldMapError) -> FeatureCloud.Channels {
    var channels = layout.emptyChannels
    channels.reserveCapacity(pointBlocks.rows[blocks].reduce(0) { $0 + $1.count })
    var decoder = PointBlockDecoder(layout: layout)
    var planes = planes
    for index in blocks {
      try decode(index, with: &decoder, to: planes, channels: &channels)
      planes = planes.advanced(by: pointBlocks.rows[index].count)
    }
    return channels
  }
}

extension WorldMapDecoder {
  /// Replaces `cloud` by the points of some blocks, in the memory that it has if that is large enough.
  ///
  /// - Parameter fill: Writes all their positions and identifiers and returns their channels.
  func refill(
    _ cloud: inout FeatureCloud, with blocks: Range<Int>,
    _ fill: (PointPlanes) -> Result<FeatureCloud.Channels, WorldMapError>
  ) throws(WorldMapError) {
    let count = pointBlocks.rows[blocks].reduce(0) { $0 + $1.count }
    var (positions, identifiers) = cloud.takePlanes(count: count)
    let channels = positions.withUnsafeMutableBufferPointer { positions in
      identifiers.withUnsafeMutableBufferPointer { identifiers in
        guard let positions = positions.baseAddress, let identifiers = identifiers.baseAddress else {
          return Result<FeatureCloud.Channels, WorldMapError>.success(layout.emptyChannels)
        }
        return fill(PointPlanes(positions: positions, identifiers: identifiers))
      }
    }
    cloud = FeatureCloud(positions: positions, identifiers: identifiers, channels: try channels.get())
  }

  /// Decodes one block.
  ///
  /// - Parameters:
  ///   - index: Which block.
  ///   - decoder: The decoder, whose memory is reused.
  ///   - planes: Where its positions and identifiers go.
  ///   - channels: The channels to append to.
  func decode(
    _ index: Int, with decoder: inout PointBlockDecoder, to planes: PointPlanes, channels: inout FeatureCloud.Channels
  ) throws(WorldMapError) {
    try readPayload(of: index) { payload, row throws(DecodingFailure) in
      try decoder.decode(
        payload, count: row.count, lowest: row.keys.lowerBound, highest: row.keys.upperBound,
        positions: planes.positions, identifiers: planes.identifiers, channels: &channels)
    }
  }

  /// Reads the payload of a block whose checksum fits; a failure is one of the file then.
  func readPayload(
    of index: Int, _ read: (UnsafeRawBufferPointer, BlockDirectory.Row) throws(DecodingFailure) -> Void
  ) throws(WorldMapError) {
    let row = pointBlocks.rows[index]
    let payload = try pointBlocks.payload(index, in: file.span.bytes, section: .points)
    let failure = payload.withUnsafeBytes { bytes -> DecodingFailure? in
      do throws(DecodingFailure) { try read(bytes, row) } catch { return error }
      return nil
    }
    if let failure { throw WorldMapError(failure, base: row.offset + BlockHead.size) }
  }
}

/// Memory for the positions and identifiers of points, on loan from the arrays of a cloud that is being made.
///
/// Several threads may write to it at once, for each writes to the places of its own blocks only.
struct PointPlanes: @unchecked Sendable {
  let positions: UnsafeMutablePointer<SIMD3<Float>>
  let identifiers: UnsafeMutablePointer<UInt64>

  /// The same without the first `count` points.
  func advanced(by count: Int) -> PointPlanes {
    PointPlanes(positions: positions + count, identifiers: identifiers + count)
  }
}
