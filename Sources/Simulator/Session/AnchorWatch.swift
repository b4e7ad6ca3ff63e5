package import AnchorReplication
import Basics
import PeerProtocol
import WorldModel

/// Checks the anchors of whole sessions as they change, and keeps every operation that was ever written.
///
/// C1: equal vectors, equal digests. C4: a removed key never reappears. C5: stamps of a register never go back. At the
/// asking of the scenario, C2: the state is what the operations mean. C3 and C7 are about rest; the world checks those.
package struct AnchorWatch {
  /// The anchors that one node showed.
  private struct Memory {
    var marks: [Dot: [AnchorField: Mark]] = [:]
    var removed: Set<Dot> = []
  }

  /// How late a register was written: locks go by their fencing before their stamp.
  private struct Mark {
    var epoch: UInt64 = 0
    var number: UInt64 = 0
    var stamp: Stamp

    static func < (left: Mark, right: Mark) -> Bool {
      (left.epoch, left.number, left.stamp) < (right.epoch, right.number, right.stamp)
    }
  }

  private var memories: [Memory]
  private var digests: [VersionVector: SHA256Digest] = [:]
  /// Every operation that was ever written.
  package private(set) var operations = OperationStore()

  init(count: Int) {
    memories = Array(repeating: Memory(), count: count)
  }

  mutating func started(_ index: Int) {
    memories[index] = Memory()
  }

  /// Looks at a node's anchors after a step; what is wrong, or nil.
  mutating func stepped(_ set: AnchorSet, of index: Int, events: [NodeEvent]) -> String? {
    var problem = collect(from: set, by: set.actor)
    for case .anchors(let changes) in events {
      for change in changes {
        if let author = change.author, change.origin == .map { problem = problem ?? collect(from: set, by: author) }
        problem = problem ?? check(change, in: set, of: index)
      }
      problem = problem ?? checkDigest(of: set)
    }
    return problem
  }

  /// Takes over what an actor wrote since the last time.
  private mutating func collect(from set: AnchorSet, by actor: ActorID) -> String? {
    let known = UInt64(operations.count(of: actor))
    guard set.covers(Dot(actor: actor, sequence: known + 1)) else { return nil }
    let lacking = VersionVector(
      covering: set.vector.entries.map { $0.actor == actor ? Dot(actor: actor, sequence: known) : $0 })
    guard case .log(var cursor) = set.cursorForPeer(with: lacking) else {
      return "the log of \(actor) is gone too soon"
    }
    var assembly = OperationAssembly()
    while true {
      var writer = ByteWriter()
      guard set.readLog(&cursor, limit: 1 << 20, into: &writer) == .batch else { return nil }
      let batch = writer.bytes
      guard let delta = try? unsafe AnchorDelta(decoding: batch.span.bytes, assembly: &assembly) else {
        return "the log of \(actor) cannot be read"
      }
      for operation in delta.operations { if let text = operations.add(operation) { return text } }
    }
  }

  private mutating func check(_ change: SetChange, in set: AnchorSet, of index: Int) -> String? {
    switch change.kind {
    case .added, .updated: break
    case .removed:
      memories[index].removed.insert(change.key)
      memories[index].marks[change.key] = nil
      return nil
    case .editSupersededByRemoval, .fieldOverwritten: return nil
    }
    if memories[index].removed.contains(change.key) { return "C4 a removed anchor came back" }
    // Of several changes in one step only the last state can be seen.
    guard set.key(of: change.id) == change.key else { return nil }
    for field in AnchorField.allCases {
      guard let stamp = set.stamp(of: field, of: change.id) else { continue }
      var mark = Mark(stamp: stamp)
      if case .lock(let lock)? = set.value(of: field, of: change.id) {
        (mark.epoch, mark.number) = (lock.epoch, lock.number)
      }
      if let last = memories[index].marks[change.key]?[field], mark < last { return "C5 a stamp of \(field) went back" }
      memories[index].marks[change.key, default: [:]][field] = mark
    }
    return nil
  }

  private mutating func checkDigest(of set: AnchorSet) -> String? {
    var set = set
    let (vector, digest) = (set.vector, set.digest)
    if let known = digests[vector], known != digest { return "C1 equal vectors, unequal digests" }
    digests[vector] = digest
    return nil
  }

  /// C2: what differs between a set and what the operations it has applied mean; nil when nothing does.
  package func difference(to set: AnchorSet) -> String? {
    var set = set
    guard let applied = operations.covered(by: set.vector) else { return "operations were applied that nobody wrote" }
    return NaiveModel(applied).difference(to: &set)
  }
}
