extension WorldMap {
  /// The readable part of a damaged file.
  public struct Salvage: Sendable {
    /// Everything whose checksum fits.
    public var map: WorldMap
    /// The losses in the order of the file; empty when nothing is lost.
    public var faults: [WorldMapError]
    /// The numbers of the blocks of points that were damaged and are whole again, by the parity of the file.
    public var repairedBlocks: [Int] = []
  }

  /// Reads whatever is whole in a damaged or cut file: each block of points or anchors stands for itself.
  ///
  /// In a file with a parity (``EncodingOptions/hasParity``) a run of damage in up to 1/256 of a block of points is
  /// repaired first. Blocks are found by their heads, so that even a file without a readable head gives its blocks. Points
  /// and anchors that occur twice are kept once.
  ///
  /// - Parameter file: The bytes of the file, or of its remains.
  public static func salvage(_ file: [UInt8]) -> Salvage {
    var file = file
    var repaired: [Int] = []
    do throws(WorldMapError) {
      return Salvage(map: try WorldMap(decoding: file), faults: [])
    } catch {
      repaired = ParitySection.repair(&file)
    }
    var salvage: Salvage
    do throws(WorldMapError) {
      salvage = Salvage(map: try WorldMap(decoding: file), faults: [])
    } catch {
      var salvager = Salvager(file: file, faults: [error])
      salvage = salvager.salvage()
    }
    salvage.repairedBlocks = repaired
    return salvage
  }
}

/// Looks for the heads of blocks in a damaged file.
private struct Salvager {
  /// How often the length of the file is read without a find before blocks within blocks are no longer looked for.
  private static let patience = 16

  let file: [UInt8]
  var faults: [WorldMapError]
  private var anchors: [AnchorID: Anchor] = [:]
  private var points: FeatureCloud?
  /// Bytes of what looked like blocks and were none.
  private var wasted = 0
  private var layout: CloudLayout?
  private var views: UInt32?
  private var provider: PeerID?
  private var unknownSections: [WorldMap.UnknownSection] = []
  private var keyframes: [Keyframe] = []
  /// The section of the evidence, which is read once the points are known.
  private var evidence: (entry: SectionEntry, offset: Int)?
  /// Where the unknown sections stand that are kept: what looks like a block there is none of ours.
  private var keptRanges: [Range<Int>] = []

  init(file: [UInt8], faults: [WorldMapError]) {
    self.file = file
    self.faults = faults
  }

  mutating func salvage() -> WorldMap.Salvage {
    takeSections()
    takeBlocks()
    var map = WorldMap(anchors: anchors.values.sorted { $0.id < $1.id }, views: views)
    map.cloud = points.map(Self.withoutDuplicates) ?? FeatureCloud()
    map.provider = provider
    map.unknownSections = unknownSections
    map.keyframes = keyframes
    if let evidence {
      do throws(WorldMapError) {
        map.cloud.channels.evidence = try SurveySections.evidence(
          evidence, for: map.cloud.identifiers, in: file.span.bytes)
      } catch {
        add(error)
      }
    }
    return WorldMap.Salvage(map: map, faults: faults.sorted { ($0.offset ?? 0) < ($1.offset ?? 0) })
  }

  /// Takes what does not stand in blocks, where the table of sections is whole: the views, the
  /// provider, what a device recorded, and the unknown sections.
  private mutating func takeSections() {
    let file = self.file
    let span = file.span.bytes
    guard let container = try? Container(readingCut: span) else { return }
    for section in container.sections {
      guard section.entry.code != .anchors, section.entry.code != .points else { continue }
      do throws(WorldMapError) {
        let end = section.offset + section.entry.storedLength
        guard end <= file.count else { throw .truncated(offset: section.offset) }
        try container.verify(section, in: span)
        if section.entry.code == .meta {
          views = try WorldMapDecoder.views(section, in: span)
        } else if section.entry.code == .provider {
          provider = try ProviderSection.decode(section, in: span)
        } else if section.entry.code == .parity {
          continue
        } else if section.entry.code == .keyframes {
          keyframes = try SurveySections.keyframes(section, in: span)
        } else if section.entry.code == .evidence {
          evidence = section
        } else {
          unknownSections.append(WorldMap.UnknownSection(section, in: span))
          keptRanges.append(section.offset..<end)
        }
      } catch {
        add(error)
      }
    }
  }

  /// Notes a fault, unless it is the one that the file was refused for.
  private mutating func add(_ fault: WorldMapError) {
    if fault.offset != faults.first?.offset { faults.append(fault) }
  }

  /// Takes every whole block of points and anchors.
  private mutating func takeBlocks() {
    let file = self.file
    var offset = 0
    while let start = nextHead(from: offset) {
      if let kept = keptRanges.first(where: { $0.contains(start) }) {
        offset = kept.upperBound
        continue
      }
      offset = start + 1
      let rest = file.span.bytes.extracting(start..<file.count)
      guard let head = BlockHead(reading: rest) else { continue }
      guard head.storedLength >= BlockHead.size, head.storedLength <= rest.byteCount else {
        add(.truncated(offset: start))
        continue
      }
      // A real block may stand inside a false one; but heads that each claim the rest of the file must not cost
      // the square of its length.
      let end = start + head.storedLength
      do throws(WorldMapError) {
        try take(head, rest.extracting(..<head.storedLength), at: start)
        offset = end
      } catch {
        add(error)
        wasted += head.storedLength
        if wasted > Self.patience * file.count { offset = end }
      }
    }
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

  /// Takes a block that begins `start` bytes into the file.
  private mutating func take(_ head: BlockHead, _ block: RawSpan, at start: Int) throws(WorldMapError) {
    let payload = block.extracting(BlockHead.size...)
    let base = start + BlockHead.size
    guard XXH64.hash(payload) == head.checksum else {
      throw .damaged("a block of section \(head.section.name)", offset: start)
    }
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
