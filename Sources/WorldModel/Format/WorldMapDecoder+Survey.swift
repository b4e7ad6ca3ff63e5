extension WorldMapDecoder {
  /// The memory of keyframes and evidence once decoded (bytes).
  var surveySize: Int {
    let sections = container.sections.filter { [.keyframes, .evidence].contains($0.entry.code) }
    let rows = sections.contains { $0.entry.code == .evidence } ? pointCount : 0
    // A keyframe takes half as much again in memory as in the file.
    return rows * MemoryLayout<FeatureEvidence>.stride + sections.reduce(0) { $0 + 2 * $1.entry.storedLength }
  }

  /// Adds the provider, keyframes and evidence to a map whose points are whole and in the order of their identifiers.
  func addSurvey(to map: inout WorldMap) throws(WorldMapError) {
    let survey = try survey()
    (map.provider, map.keyframes) = (survey.provider, survey.keyframes)
    if let evidence = survey.evidence {
      map.cloud.channels.evidence = try SurveySections.evidence(
        evidence, for: map.cloud.identifiers, in: file.span.bytes)
    }
  }

  /// The sections beside points and anchors: all but the rows of the evidence, which are read with the points.
  func survey() throws(WorldMapError) -> Survey {
    let span = file.span.bytes
    // Nothing of the parity is needed here, but a sound file is sound throughout.
    _ = try container.section(.parity, in: span)
    let provider = try ProviderSection.decode(try container.section(.provider, in: span), in: span)
    var keyframes: [Keyframe] = []
    if let section = try container.section(.keyframes, in: span) {
      keyframes = try SurveySections.keyframes(section, in: span)
    }
    return Survey(provider: provider, keyframes: keyframes, evidence: try container.section(.evidence, in: span))
  }

  /// The provider of a map and what its device recorded.
  struct Survey {
    var provider: PeerID?
    var keyframes: [Keyframe]
    /// The section of the evidence, whose checksum fits.
    var evidence: (entry: SectionEntry, offset: Int)?
  }
}
