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
    let span = file.span.bytes
    // Nothing of the parity is needed here, but a sound file is sound throughout.
    _ = try container.section(.parity, in: span)
    map.provider = try ProviderSection.decode(try container.section(.provider, in: span), in: span)
    if let keyframes = try container.section(.keyframes, in: span) {
      map.keyframes = try SurveySections.keyframes(keyframes, in: span)
    }
    if let evidence = try container.section(.evidence, in: span) {
      map.cloud.channels.evidence = try SurveySections.evidence(evidence, for: map.cloud.identifiers, in: span)
    }
  }
}
