extension WorldMap {
  /// What could be read of a damaged file.
  public struct Salvage: Sendable {
    /// Everything whose checksum fits.
    public var map: WorldMap
    /// What was lost, in the order of the file; empty for a file without damage.
    public var faults: [WorldMapError]
  }

  /// Reads whatever is whole in a damaged or cut file: each block of points or anchors stands for itself.
  ///
  /// Blocks are found by their heads, so that even a file without a readable head gives its blocks. Points and anchors
  /// that occur twice are kept once.
  ///
  /// - Parameter file: The bytes of the file, or of what is left of it.
  public static func salvage(_ file: [UInt8]) -> Salvage {
    do throws(WorldMapError) {
      return Salvage(map: try WorldMap(decoding: file), faults: [])
    } catch {
      var salvager = Salvager(file: file, faults: [error])
      return salvager.salvage()
    }
  }
}

/// Looks for the heads of blocks in a damaged file.
private struct Salvager {
  let file: [UInt8]
  var faults: [WorldMapError]
  private var anchors: [AnchorID: Anchor] = [:]
  private var points: FeatureCloud?
  private var layout: CloudLayout?

  init(file: [UInt8], faults: [WorldMapError]) {
    self.file = file
    self.faults = faults
  }

  mutating func salvage() -> WorldMap.Salvage {
    let file = self.file
    var offset = 0
    while let start = nextHead(from: offset) {
      offset = start + 1
      let rest = file.span.bytes.extracting(start..<file.count)
      guard let head = BlockHead(reading: rest) else { continue }
      guard head.storedLength >= BlockHead.size, head.storedLength <= rest.byteCount else {
        faults.append(.truncated(offset: start))
        continue
      }
      let payload = rest.extracting(BlockHead.size..<head.storedLength)
      guard XXH64.hash(payload) == head.checksum else {
        faults.append(.damaged("a block of section \(head.section.name)", offset: start))
        continue
      }
      do throws(WorldMapError) {
        try take(head, payload: payload, base: start + BlockHead.size)
        offset = start + head.storedLength
      } catch {
        faults.append(error)
      }
    }
    var map = WorldMap(anchors: anchors.values.sorted { $0.id < $1.id })
    map.cloud = points.map(Self.withoutDuplicates) ?? FeatureCloud()
    return WorldMap.Salvage(map: map, faults: faults)
  }

  /// The offset of the next four bytes that begin a block.
  private func nextHead(from start: Int) -> Int? {
    file.withUnsafeBytes { bytes in
      var offset = start
      while bytes.count - offset >= BlockHead.size {
        if bytes[offset] == 0x57, bytes.integer(UInt32.self, at: offset) == BlockHead.magic { return offset }
        offset += 1
      }
      return nil
    }
  }

  private mutating func take(_ head: BlockHead, payload: RawSpan, base: Int) throws(WorldMapError) {
    switch head.section {
    case .anchors:
      guard head.count <= AnchorSection.blockSize else {
        throw .overLimit(limit: AnchorSection.blockSize, offset: base)
      }
      let block = try AnchorSection.decode(payload: payload, count: head.count, base: base)
      for anchor in block { anchors[anchor.id] = anchor }
    case .points:
      guard (1...PointsSection.blockSize).contains(head.count) else {
        throw .overLimit(limit: PointsSection.blockSize, offset: base)
      }
      let block = try PointBlockDecoder.decodeAlone(payload, count: head.count, base: base)
      // Blocks of another layout cannot be of the same map.
      guard layout == nil || layout == block.layout else { throw .invalid("a block of another map", offset: base) }
      let total = (points?.count ?? 0) + head.count
      guard total <= Limits.points, total * block.layout.bytesPerPoint <= Limits.cloud else {
        throw .overLimit(limit: Limits.points, offset: base)
      }
      layout = block.layout
      if points == nil { points = block.cloud } else { points?.append(block.cloud) }
    default: throw .invalid("a block of an unknown section", offset: base)
    }
  }

  private static func withoutDuplicates(_ cloud: FeatureCloud) -> FeatureCloud {
    if cloud.isSorted { return cloud }
    let order = cloud.indices.sorted { cloud.identifiers[$0] < cloud.identifiers[$1] }
    var kept: [Int] = []
    for index in order where kept.last.map({ cloud.identifiers[$0] != cloud.identifiers[index] }) ?? true {
      kept.append(index)
    }
    return cloud.selecting(kept)
  }
}
