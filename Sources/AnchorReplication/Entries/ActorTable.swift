/// A short number for an actor, valid in one ``AnchorSet`` only: its place in the ``ActorTable``.
typealias ActorIndex = UInt16

/// The actors a peer knows of, and how much of each it has applied: the version vector in the form the set works with.
struct ActorTable: Sendable {
  /// The actors in the order they became known; the local one is the first.
  private(set) var ids: [ActorID]
  /// The number of operations applied of each.
  private(set) var seen: [UInt64] = [0]
  private var indices: [ActorID: ActorIndex]
  private var sorted: [ActorIndex] = [0]

  /// The index of the local actor.
  static let local: ActorIndex = 0

  init(local: ActorID) {
    ids = [local]
    indices = [local: Self.local]
  }

  /// The number of actors.
  var count: Int { ids.count }

  /// The indices in the order of their actors.
  var inOrder: [ActorIndex] { sorted }

  /// The index of `actor`, if it is known.
  func index(of actor: ActorID) -> ActorIndex? { indices[actor] }

  /// The number of operations applied of `actor`.
  func seen(of actor: ActorID) -> UInt64 {
    indices[actor].map { seen[Int($0)] } ?? 0
  }

  /// The index of `actor`, which becomes known; nil when there are `limit` others already.
  mutating func intern(_ actor: ActorID, limit: Int) -> ActorIndex? {
    if let index = indices[actor] { return index }
    guard ids.count < limit else { return nil }
    let index = ActorIndex(ids.count)
    ids.append(actor)
    seen.append(0)
    indices[actor] = index
    sorted.insert(index, at: place(of: actor))
    return index
  }

  /// Marks everything up to `sequence` as applied.
  mutating func advance(_ index: ActorIndex, to sequence: UInt64) {
    seen[Int(index)] = sequence
  }

  /// The vector, with the actors that wrote nothing left out.
  var vector: VersionVector {
    VersionVector(
      sorted: sorted.compactMap { index in
        let sequence = seen[Int(index)]
        return sequence == 0 ? nil : Dot(actor: ids[Int(index)], sequence: sequence)
      })
  }

  /// Where `actor` belongs among the sorted indices.
  private func place(of actor: ActorID) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if ids[Int(sorted[middle])] < actor { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
