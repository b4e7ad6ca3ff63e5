package import AnchorReplication
package import WorldModel

/// The reference: what a set of operations means, whatever their order, without vectors, gates or merges.
package struct NaiveModel {
  /// An anchor with the latest write of each register.
  package struct Entry: Equatable {
    var id: AnchorID
    /// By the number of the register.
    private var values: [AnchorFieldValue?] = Array(repeating: nil, count: AnchorField.allCases.count)
    private var stamps: [Stamp?] = Array(repeating: nil, count: AnchorField.allCases.count)

    init(id: AnchorID) {
      self.id = id
    }

    func value(of field: AnchorField) -> AnchorFieldValue? { values[Int(field.rawValue)] }
    func stamp(of field: AnchorField) -> Stamp? { stamps[Int(field.rawValue)] }

    /// The latest clock of the registers of the app.
    var writtenAt: UInt64 {
      AnchorField.allCases.filter { $0 != .lock }.compactMap { stamp(of: $0)?.clock }.max() ?? 0
    }

    mutating func write(_ value: AnchorFieldValue, _ stamp: Stamp) {
      let index = Int(value.field.rawValue)
      guard let present = values[index], let last = stamps[index] else {
        values[index] = value
        stamps[index] = stamp
        return
      }
      var wins = last < stamp
      if case .lock(let new) = value, case .lock(let old) = present, (new.epoch, new.number) != (old.epoch, old.number)
      {
        wins = (new.epoch, new.number) > (old.epoch, old.number)
      }
      guard wins else { return }
      values[index] = value
      stamps[index] = stamp
    }
  }

  package private(set) var entries: [Dot: Entry] = [:]
  package private(set) var removed: Set<Dot> = []

  /// The meaning of `operations`, which may be in any order.
  package init(_ operations: some Sequence<AnchorOperation>) {
    var writes: [AnchorOperation] = []
    for operation in operations {
      switch operation.action {
      case .add(let anchor): entries[operation.dot] = Self.entry(anchor, operation.stamp)
      case .remove(let key, _): removed.insert(key)
      case .set: writes.append(operation)
      }
    }
    for operation in writes {
      if case .set(let key, _, let value) = operation.action { entries[key]?.write(value, operation.stamp) }
    }
    for key in removed { entries[key] = nil }
  }

  private static func entry(_ anchor: NewAnchor, _ stamp: Stamp) -> Entry {
    var entry = Entry(id: anchor.id)
    entry.write(.pose(anchor.pose), stamp)
    entry.write(.name(anchor.name), stamp)
    entry.write(.payload(anchor.payload), stamp)
    entry.write(.flags(anchor.flags), stamp)
    entry.write(.lock(.free), stamp)
    entry.write(.kind(anchor.kind), stamp)
    return entry
  }

  /// The entries an app sees: for each id the one written last, or of those never edited the one with the smallest key.
  package var visible: [AnchorID: (key: Dot, entry: Entry)] {
    var result: [AnchorID: (key: Dot, entry: Entry)] = [:]
    for (key, entry) in entries {
      guard let present = result[entry.id] else {
        result[entry.id] = (key, entry)
        continue
      }
      let (left, right) = (entry.writtenAt, present.entry.writtenAt)
      if left > right || (left == right && key < present.key) { result[entry.id] = (key, entry) }
    }
    return result
  }

  /// The difference between this and what `set` shows; nil when there is none.
  package func difference(to set: inout AnchorSet) -> String? {
    let visible = visible
    let anchors = set.anchors
    guard anchors.count == visible.count, set.count == visible.count else {
      return "\(anchors.count) anchors show, the model has \(visible.count)"
    }
    guard zip(anchors, anchors.dropFirst()).allSatisfy({ $0.id < $1.id }) else { return "anchors are not in order" }
    for anchor in anchors {
      guard let expected = visible[anchor.id] else { return "\(anchor.id) should not show" }
      guard set.key(of: anchor.id) == expected.key else { return "\(anchor.id) shows under another key" }
      for field in AnchorField.allCases {
        guard set.value(of: field, of: anchor.id) == expected.entry.value(of: field),
          set.stamp(of: field, of: anchor.id) == expected.entry.stamp(of: field)
        else { return "\(field) of \(anchor.id) differs" }
      }
      guard case .pose(let pose) = expected.entry.value(of: .pose), pose.transform == anchor.transform,
        expected.entry.value(of: .name) == .name(anchor.name)
      else { return "the snapshot of \(anchor.id) is out of date" }
    }
    return nil
  }
}
