package import AnchorReplication
import Basics

/// The declarations and measurements that are known: what the words of ``WordTopic/declarations`` and
/// ``WordTopic/measurements`` say.
package struct FrameBook: Sendable {
  /// By author, each list in the order of the numbers.
  private(set) var declared: Table<ActorID, (node: NodeID, list: [FrameDeclaration])> = [:]
  /// Authors whose declarations found no room, as far as they are remembered: where they write is not known.
  private var unknown: KeySet<ActorID> = []
  private var measured: Table<FrameMeasurement.Key, (measurement: FrameMeasurement, arrival: Int)> = [:]
  private var arrivals = 0

  init() {}

  /// Whether nothing was ever declared.
  var isTrivial: Bool { declared.isEmpty && unknown.isEmpty }

  /// All declarations with their frames.
  var declarations: [(frame: WorldFrame, declaration: FrameDeclaration)] {
    declared.flatMap { author, known in known.list.map { ($0.frame(of: author), $0) } }
  }

  /// The registers of all measurements, in their order.
  package var registers: [FrameMeasurement.Key] { measurements(.all).map(\.key) }

  /// All measurements, by register; in the order of arrival where `rules` are broken.
  func measurements(_ rules: ProtocolRules) -> [FrameMeasurement] {
    guard rules.contains(.measurementOrder) else {
      return measured.values.inOrder { $0.arrival < $1.arrival }.map(\.measurement)
    }
    return measured.inOrder { $0.key < $1.key }.map(\.value.measurement)
  }

  // MARK: Changing

  /// Takes the declarations of an author; nil for none, and for some that are not known because there was no room for them.
  mutating func set(_ declarations: DeclarationList?, of author: NodeID, isKnown: Bool = true) {
    declared[author.actor] = declarations.map { (author, $0.declarations) }
    if isKnown {
      unknown.remove(author.actor)
    } else if unknown.count < ProtocolLimits.frameAuthors {
      unknown.insert(author.actor)
    }
  }

  /// Takes a measurement in the place of the one that its register has.
  mutating func set(_ measurement: FrameMeasurement) {
    arrivals += 1
    measured[measurement.key] = (measurement, arrivals)
  }

  /// Forgets a measurement.
  mutating func forget(_ key: FrameMeasurement.Key) { measured[key] = nil }

  // MARK: Reading

  /// The frames that an author has declared, but the shared one.
  func frames(of author: ActorID) -> [WorldFrame] {
    (declared[author]?.list ?? []).map { $0.frame(of: author) }.filter { $0 != .shared }
  }

  /// The last frame that an author declared, or the shared one.
  func current(of author: ActorID) -> WorldFrame { declared[author]?.list.last?.frame(of: author) ?? .shared }

  /// The frame of an anchor's pose; nil when its declaration is not held any more.
  package func frame(of author: ActorID, clock: UInt64) -> WorldFrame? { frame(of: author) { $0.clock < clock } }

  /// The frame of a live pose; nil when its declaration is not held any more.
  package func frame(of author: ActorID, sequence: UInt64) -> WorldFrame? {
    frame(of: author) { $0.sequence <= sequence }
  }

  private func frame(of author: ActorID, _ precedes: (FrameDeclaration) -> Bool) -> WorldFrame? {
    guard let list = declared[author]?.list else { return unknown.contains(author) ? nil : .shared }
    if let last = list.last(where: precedes) { return last.frame(of: author) }
    return list.first?.number == 1 ? .shared : nil
  }
}
