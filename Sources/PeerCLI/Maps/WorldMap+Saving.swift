package import WorldModel

extension WorldMap {
  /// The map as it is saved: with the anchors of a session and, until it is sent, those of its file.
  ///
  /// Anchors that were removed from the session must not come back with a map that came from it. Devices, which no session has
  /// as anchors, stay in any map.
  package func saved(with anchors: [Anchor], isUnsent: Bool) -> WorldMap {
    let known = Set(anchors.map(\.id))
    var map = self
    map.anchors = anchors + self.anchors.filter { (isUnsent || $0.isDevice) && !known.contains($0.id) }
    return map
  }
}

extension Anchor {
  fileprivate var isDevice: Bool { if case .participant = kind { true } else { false } }
}
