import Basics

/// The sections of a device's record of its mapping: keyframes, and the evidence of each point.
enum SurveySections {
  /// Bytes of a keyframe.
  private static let keyframeSize = 145
  /// Bytes of a point's evidence.
  private static let evidenceSize = 36
  /// The stand-in for a number that is not known: no valid one is negative.
  private static let unknown: Float = -1

  /// The section of `keyframes`, which are valid.
  static func encode(_ keyframes: [Keyframe]) -> SectionBody {
    var writer = ByteWriter(capacity: 4 + keyframes.count * keyframeSize)
    writer.write(UInt32(keyframes.count))
    for keyframe in keyframes {
      for number in [keyframe.session, keyframe.number, keyframe.camera] { writer.write(number) }
      writer.write(keyframe.time.bitPattern)
      keyframe.pose.write(to: &writer)
      writer.write(keyframe.lens.model.rawValue)
      let lens = keyframe.lens
      for pair in [lens.focalLength, lens.center, lens.distortion.lowHalf, lens.distortion.highHalf] {
        writer.write(pair.x.bitPattern)
        writer.write(pair.y.bitPattern)
      }
    }
    return plain(.keyframes, writer.bytes)
  }

  /// The section of the evidence of `cloud`, which is valid, in the order of its identifiers; nil without any.
  ///
  /// - Throws: ``ModelError/duplicatePoint(_:)`` when two points share an identifier.
  static func encodeEvidence(of cloud: FeatureCloud) throws(ModelError) -> SectionBody? {
    guard let evidence = cloud.channels.evidence else { return nil }
    let order = try cloud.identifierOrder()
    // Other programs may have added points that no device vouches for: they take no room.
    let known = cloud.indices.map { order.map { order in { Int(order[$0]) } }?($0) ?? $0 }
      .filter { evidence[$0] != FeatureEvidence() }
    var writer = ByteWriter(capacity: 4 + known.count * evidenceSize)
    writer.write(UInt32(known.count))
    for index in known {
      let row = evidence[index]
      for number in [cloud.identifiers[index], row.session, row.number] { writer.write(number) }
      writer.write(row.sightings)
      writer.write(row.residual ?? unknown)
      writer.write(row.depthDeviation ?? unknown)
    }
    return plain(.evidence, writer.bytes)
  }

  private static func plain(_ code: SectionCode, _ bytes: [UInt8]) -> SectionBody {
    SectionBody(code: code, codec: SectionCodec.plain, rawLength: UInt64(bytes.count), covered: bytes)
  }

  /// Reads the keyframes of a section whose checksum fits.
  static func keyframes(
    _ section: (entry: SectionEntry, offset: Int), in file: RawSpan
  ) throws(WorldMapError) -> [Keyframe] {
    let (span, count) = try content(section, in: file, rowSize: keyframeSize, limit: Limits.keyframes)
    do throws(DecodingFailure) {
      var reader = ByteReader(span)
      var keyframes: [Keyframe] = []
      keyframes.reserveCapacity(count)
      for _ in 0..<count { keyframes.append(try Keyframe(reading: &reader)) }
      return keyframes
    } catch {
      throw WorldMapError(error, base: section.offset + 4)
    }
  }

  /// Reads the evidence of a section whose checksum fits, for each of `identifiers`, which rise.
  ///
  /// A program that does not know the section leaves rows of points that are gone; they are passed over.
  static func evidence(
    _ section: (entry: SectionEntry, offset: Int), for identifiers: [UInt64], in file: RawSpan
  ) throws(WorldMapError) -> [FeatureEvidence] {
    var evidence = [FeatureEvidence](repeating: FeatureEvidence(), count: identifiers.count)
    var place = 0
    try visitEvidence(section, in: file) { identifier, row in
      while place < identifiers.count, identifiers[place] < identifier { place += 1 }
      if place < identifiers.count, identifiers[place] == identifier { evidence[place] = row }
    }
    return evidence
  }

  /// Visits the rows of a section of evidence whose checksum fits, in the order of the identifiers.
  static func visitEvidence(
    _ section: (entry: SectionEntry, offset: Int), in file: RawSpan, _ body: (UInt64, FeatureEvidence) -> Void
  ) throws(WorldMapError) {
    let (span, count) = try content(section, in: file, rowSize: evidenceSize, limit: Limits.points)
    do throws(DecodingFailure) {
      var reader = ByteReader(span)
      var last: UInt64?
      for _ in 0..<count {
        let start = reader.offset
        let identifier = try reader.read(UInt64.self)
        if let last, last >= identifier { throw DecodingFailure.invalid("evidence out of order", offset: start) }
        last = identifier
        body(identifier, try FeatureEvidence(reading: &reader, unknown: unknown))
      }
    } catch {
      throw WorldMapError(error, base: section.offset + 4)
    }
  }

  /// The rows of a plain section that holds a count and that many rows of `rowSize` bytes.
  @_lifetime(copy file)
  private static func content(
    _ section: (entry: SectionEntry, offset: Int), in file: RawSpan, rowSize: Int, limit: Int
  ) throws(WorldMapError) -> (rows: RawSpan, count: Int) {
    let (entry, offset) = section
    guard entry.codec == SectionCodec.plain, entry.coveredLength == entry.storedLength, entry.storedLength >= 4 else {
      throw .invalid("a \(entry.code.name) section is plain", offset: offset)
    }
    let count = Int(file.integer(UInt32.self, at: offset))
    guard count <= limit else { throw .overLimit(limit: limit, offset: offset) }
    guard entry.storedLength == 4 + count * rowSize else {
      throw .invalid("the length of the \(entry.code.name) section does not fit its count", offset: offset)
    }
    return (file.extracting((offset + 4)..<(offset + entry.storedLength)), count)
  }
}

extension Keyframe {
  @_lifetime(reader: copy reader)
  fileprivate init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    session = try reader.read(UInt64.self)
    number = try reader.read(UInt64.self)
    camera = try reader.read(UInt64.self)
    time = Double(bitPattern: try reader.read(UInt64.self))
    pose = try Transform(reading: &reader)
    guard let model = Lens.Model(rawValue: try reader.readByte()) else {
      throw .invalid("unknown lens", offset: reader.offset - 1)
    }
    var numbers: [Double] = []
    for _ in 0..<8 { numbers.append(Double(bitPattern: try reader.read(UInt64.self))) }
    lens = Lens(
      model: model, focalLength: [numbers[0], numbers[1]], center: [numbers[2], numbers[3]],
      distortion: SIMD4(numbers[4...]))
    try checked(at: start, validate)
  }
}

extension FeatureEvidence {
  @_lifetime(reader: copy reader)
  fileprivate init(reading reader: inout ByteReader, unknown: Float) throws(DecodingFailure) {
    let start = reader.offset
    session = try reader.read(UInt64.self)
    number = try reader.read(UInt64.self)
    sightings = try reader.read(UInt32.self)
    let residual = try reader.readFloat()
    self.residual = residual == unknown ? nil : residual
    let deviation = try reader.readFloat()
    depthDeviation = deviation == unknown ? nil : deviation
    try checked(at: start, validate)
  }
}
