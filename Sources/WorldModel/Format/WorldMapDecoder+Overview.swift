import Basics

extension WorldMapDecoder {
  /// Refuses what ``map()`` refuses beyond single blocks and the anchors: an identifier in two blocks, and other sections.
  ///
  /// It takes the memory of a block and of a ``KeyTally``, whatever the points would fill.
  ///
  /// - Parameter room: The most identifiers of interleaving blocks that are held at once; nil for ``KeyTally/room``.
  package func checkWhole(room: Int? = nil) throws(WorldMapError) {
    if !isInOrder(0..<blockCount) { try visitIdentifiers(room: room ?? KeyTally.room) { _ in } }
    if let evidence = try survey().evidence {
      try SurveySections.visitEvidence(evidence, in: file.span.bytes) { _, _ in }
    }
    try visitUnknownSections { _ in }
  }

  /// An overview of the map of the file, which is decoded block by block.
  ///
  /// It takes the memory of a block, of two ``KeyTally``, and of the records of the device, which are as long in the file.
  ///
  /// - Parameters:
  ///   - room: The most identifiers, and the most cells, that are held at once; nil for ``KeyTally/room``.
  ///   - body: Is called with the anchors of each block, in the order of their ids.
  /// - Throws: The error of ``map()``.
  package func overview(
    room: Int? = nil, anchors body: ([Anchor]) -> Void = { _ in }
  ) throws(WorldMapError) -> MapOverview {
    let room = room ?? KeyTally.room
    var overview = MapOverview(points: pointCount, channels: layout.emptyChannels)
    var sample = OutlierSample(count: pointCount)
    // The order of the points decides which are looked at. A fault in it counts after those of all blocks, as in `map()`.
    let order = Result { () throws(WorldMapError) in try visitIdentifiers(room: room) { sample.choose($0) } }
    var cells = CoveredCells(room: room)
    var block = FeatureCloud()
    while cells.beginTurn() {
      for index in 0..<blockCount {
        try read(index..<(index + 1), into: &block)
        cells.add(block.positions)
        sample.take(block)
        overview.extendBounds(to: block.positions)
      }
    }
    try order.get()
    overview.boundsWithoutOutliers = sample.bounds
    overview.mapping = MappingEvidence(
      points: pointCount, cells, views: views, hasDescriptors: overview.channels.descriptors != nil)
    try visitAnchors(body)
    overview.anchors = anchorCount
    let survey = try survey()
    (overview.provider, overview.keyframes) = (survey.provider, survey.keyframes)
    if let evidence = survey.evidence {
      overview.channels.evidence = []
      overview.evidence = try summary(of: evidence, room: room)
    }
    try visitUnknownSections { _ in }
    return overview
  }

  /// Sums up the evidence of the points that are there.
  private func summary(
    of section: (entry: SectionEntry, offset: Int), room: Int
  ) throws(WorldMapError) -> EvidenceSummary {
    var rows: [UInt64] = []
    try SurveySections.visitEvidence(section, in: file.span.bytes) { identifier, _ in rows.append(identifier) }
    var isThere = [Bool](repeating: false, count: rows.count)
    var row = 0
    try visitIdentifiers(room: room) { identifier in
      while row < rows.count, rows[row] < identifier { row += 1 }
      if row < rows.count, rows[row] == identifier { isThere[row] = true }
    }
    var summary = EvidenceSummary()
    row = 0
    try SurveySections.visitEvidence(section, in: file.span.bytes) { _, evidence in
      if isThere[row] { summary.add(evidence) }
      row += 1
    }
    summary.sort()
    return summary
  }
}

extension WorldMapDecoder {
  /// Whether blocks follow each other in the order of their identifiers; those of a cloud that was cut in space interleave.
  func isInOrder(_ blocks: Range<Int>) -> Bool {
    let rows = pointBlocks.rows[blocks]
    return !zip(rows, rows.dropFirst()).contains { $0.keys.upperBound >= $1.keys.lowerBound }
  }

  /// The failure of points that cannot be put in order, as one of the file.
  func failure(_ error: ModelError, of blocks: Range<Int>) -> WorldMapError {
    .invalid(error.description, offset: pointBlocks.rows[blocks].first?.offset ?? 0)
  }

  /// Visits the identifiers of all points in their order, in the memory of a block and of a ``KeyTally``.
  ///
  /// - Parameter room: The most identifiers of interleaving blocks that are held at once.
  /// - Throws: The error of ``map()``: of blocks that are damaged, and of an identifier that occurs twice.
  func visitIdentifiers(room: Int = KeyTally.room, _ body: (UInt64) -> Void) throws(WorldMapError) {
    var decoder = PointBlockDecoder(layout: layout)
    var identifiers: [UInt64] = []
    let rows = pointBlocks.rows
    if isInOrder(rows.indices) {
      for index in rows.indices {
        try readIdentifiers(of: index, with: &decoder, into: &identifiers)
        identifiers.forEach(body)
      }
      return
    }
    var tally = KeyTally(room: room)
    while tally.beginStretch() {
      for (index, row) in rows.enumerated() where tally.meets(row.keys) {
        try readIdentifiers(of: index, with: &decoder, into: &identifiers)
        tally.add(identifiers.lazy.map { UInt128($0) })
      }
      for (key, count) in tally.finishStretch() {
        let identifier = UInt64(key)
        guard count == 1 else { throw failure(.duplicatePoint(identifier), of: rows.indices) }
        body(identifier)
      }
    }
  }

  /// Replaces `identifiers` by those of a block.
  private func readIdentifiers(
    of index: Int, with decoder: inout PointBlockDecoder, into identifiers: inout [UInt64]
  ) throws(WorldMapError) {
    let count = pointBlocks.rows[index].count
    identifiers.removeAll(keepingCapacity: true)
    identifiers.append(contentsOf: repeatElement(0, count: count))
    try readPayload(of: index) { payload, row throws(DecodingFailure) in
      try identifiers.withUnsafeMutableBufferPointer { identifiers throws(DecodingFailure) in
        guard let identifiers = identifiers.baseAddress else { return }
        try decoder.decodeIdentifiers(
          payload, count: count, lowest: row.keys.lowerBound, highest: row.keys.upperBound, to: identifiers)
      }
    }
  }
}

extension KeyTally {
  /// Whether some of these keys may have their turn.
  fileprivate func meets(_ keys: ClosedRange<UInt64>) -> Bool {
    UInt128(keys.upperBound) >= stretch.lowerBound && UInt128(keys.lowerBound) < stretch.upperBound
  }
}
