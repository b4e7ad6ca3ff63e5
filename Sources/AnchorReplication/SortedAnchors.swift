import WorldModel

/// The anchors in the order of their ids, as they were last asked for, and which have changed since.
///
/// Nothing is kept for a set whose anchors are never asked for.
struct SortedAnchors: Sendable {
  private(set) var anchors: [Anchor] = []
  /// Whether the anchors are kept up to date.
  private(set) var isInUse = false
  private var changed: [AnchorID] = []

  /// Notes that an anchor came, changed or went.
  mutating func note(_ id: AnchorID) {
    guard isInUse else { return }
    changed.append(id)
    // From here on a full sort is cheaper, and the list must not grow without bound.
    guard changed.count > 1_024 + anchors.count / 2 else { return }
    (anchors, changed, isInUse) = ([], [], false)
  }

  /// The recorded ids, each once, in order; they count as seen from now on.
  mutating func takeChanged() -> [AnchorID] {
    guard !changed.isEmpty else { return [] }
    defer { changed.removeAll(keepingCapacity: true) }
    var result: [AnchorID] = []
    for id in changed.sorted() where result.last != id { result.append(id) }
    return result
  }

  /// Begins with all anchors, sorted.
  mutating func begin(with anchors: [Anchor]) {
    self.anchors = anchors
    isInUse = true
  }

  /// Updates the anchors with these ids to their present state, in order; nil for a removed one.
  mutating func update(_ changes: [(id: AnchorID, anchor: Anchor?)]) {
    var replacements: [(index: Int, anchor: Anchor)] = []
    for change in changes {
      let index = lowerBound(change.id)
      let isPresent = index < anchors.count && anchors[index].id == change.id
      guard isPresent, let anchor = change.anchor else {
        if !isPresent, change.anchor == nil { continue }
        return rebuild(changes)
      }
      replacements.append((index, anchor))
    }
    for replacement in replacements { anchors[replacement.index] = replacement.anchor }
  }

  /// Merges the changes into a new array.
  private mutating func rebuild(_ changes: [(id: AnchorID, anchor: Anchor?)]) {
    var result: [Anchor] = []
    result.reserveCapacity(anchors.count + changes.count)
    var next = 0
    for change in changes {
      let index = lowerBound(change.id)
      result.append(contentsOf: anchors[next..<index])
      next = index < anchors.count && anchors[index].id == change.id ? index + 1 : index
      if let anchor = change.anchor { result.append(anchor) }
    }
    result.append(contentsOf: anchors[next...])
    anchors = result
  }

  private func lowerBound(_ id: AnchorID) -> Int {
    var (low, high) = (0, anchors.count)
    while low < high {
      let middle = (low + high) / 2
      if anchors[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
