package import AnchorReplication
package import Basics

/// The declarations and measurements that are known: registers that join by their numbers, so all peers end with the same.
///
/// Of each author only the latest ones stay, by its own count. So the bound of an author does not depend on the order of arrival.
package struct FrameBook: Sendable, Equatable {
  /// By author, each list in the order of the numbers.
  private(set) var declared: Table<ActorID, [FrameDeclaration]> = [:]
  /// Authors whose declarations found no room, as far as they are remembered: where they write is not known.
  private var refused: KeySet<ActorID> = []
  /// By observer.
  private var measured: Table<ActorID, [Held]> = [:]
  private var measurementCount = 0
  private var arrivals = 0

  /// A measurement, and how many came before it.
  private struct Held: Equatable {
    let measurement: FrameMeasurement
    let arrival: Int
  }

  init() {}

  /// Whether nothing was ever declared or measured.
  package var isEmpty: Bool { declared.isEmpty && measured.isEmpty }

  /// All declarations, by author and number.
  package var declarations: [FrameDeclaration] {
    declared.values.joined().inOrder { ($0.node, $0.number) < ($1.node, $1.number) }
  }

  /// The registers of all measurements, in their order.
  package var registers: [FrameMeasurement.Key] { measurements(.all).map(\.key) }

  /// All measurements, by register; in the order of arrival where `rules` are broken.
  func measurements(_ rules: ProtocolRules) -> [FrameMeasurement] {
    guard rules.contains(.measurementOrder) else {
      return measured.values.joined().inOrder { $0.arrival < $1.arrival }.map(\.measurement)
    }
    return measured.values.joined().map(\.measurement).inOrder { $0.key < $1.key }
  }

  /// A hash that is equal where the same is known.
  package var digest: SHA256Digest {
    var writer = ByteWriter()
    for declaration in declarations { declaration.write(to: &writer) }
    for measurement in measurements(.all) { measurement.write(to: &writer) }
    return SHA256Digest(hashing: writer.bytes)
  }

  // MARK: Merging

  /// Whether a further author finds no room unless it is preferred to another one.
  var isFull: Bool { declared.count >= ProtocolLimits.frameAuthors }

  /// Adds a declaration; whether it is news.
  ///
  /// - Parameters:
  ///   - isOwnWord: Whether its author itself sent it: then it replaces what others have said in its name.
  ///   - isKnown: Whether a process is a member or has written anything. Where there is no room such a one takes the place of one
  ///     that is neither, which somebody has made up.
  mutating func merge(
    _ new: FrameDeclaration, isOwnWord: Bool, isKnown: (NodeID) -> Bool = { _ in true }
  ) -> Bool {
    let author = new.node.actor
    guard var list = declared[author] else {
      guard !isFull || isKnown(new.node) && evict(where: { !isKnown($0) }) else {
        // Those that are known are few.
        if isKnown(new.node) || refused.count < ProtocolLimits.frameAuthors { refused.insert(author) }
        return false
      }
      declared[author] = [new]
      refused.remove(author)
      return true
    }
    if let index = list.firstIndex(where: { $0.number == new.number }) {
      guard isOwnWord ? list[index] != new : list[index].isOlder(than: new) else { return false }
      list[index] = new
    } else {
      list.insert(new, at: list.firstIndex { $0.number > new.number } ?? list.endIndex)
      if list.count > ProtocolLimits.framesOfAuthor, list.removeFirst() == new { return false }
    }
    declared[author] = list
    return true
  }

  /// Forgets one author, the last one in the order of the ids; whether there was such a one.
  private mutating func evict(where isUnwanted: (NodeID) -> Bool) -> Bool {
    let nodes = declared.values.compactMap(\.last?.node).sorted()
    guard let last = nodes.last(where: isUnwanted) else { return false }
    declared[last.actor] = nil
    if refused.count < ProtocolLimits.frameAuthors { refused.insert(last.actor) }
    return true
  }

  /// Adds a measurement; whether it is news.
  ///
  /// - Parameter isOwnWord: Whether its observer itself sent it: then it replaces what others have said in its name.
  mutating func merge(_ new: FrameMeasurement, isOwnWord: Bool) -> Bool {
    var list = measured[new.key.observer] ?? []
    if let index = list.firstIndex(where: { $0.measurement.key == new.key }) {
      let known = list[index].measurement
      guard isOwnWord ? known != new : known.version < new.version else { return false }
      list.remove(at: index)
    } else if list.count >= ProtocolLimits.measurementsOfObserver {
      let rank = { (held: FrameMeasurement) in (held.version, held.key) }
      guard let oldest = list.map(\.measurement).min(by: { rank($0) < rank($1) }), rank(oldest) < rank(new) else {
        return false
      }
      list.removeAll { $0.measurement.key == oldest.key }
    } else {
      guard measurementCount < ProtocolLimits.measurements else { return false }
      measurementCount += 1
    }
    arrivals += 1
    measured[new.key.observer] = list + [Held(measurement: new, arrival: arrivals)]
    return true
  }

  // MARK: Reading

  /// The frames that an author has declared, but the shared one.
  func frames(of author: ActorID) -> [WorldFrame] { (declared[author] ?? []).map(\.frame).filter { $0 != .shared } }

  /// The last frame that an author declared, or the shared one.
  func current(of author: ActorID) -> WorldFrame { declared[author]?.last?.frame ?? .shared }

  /// The frame of an anchor's pose; nil when its declaration is not held any more.
  package func frame(of author: ActorID, clock: UInt64) -> WorldFrame? { frame(of: author) { $0.clock < clock } }

  /// The frame of a live pose; nil when its declaration is not held any more.
  package func frame(of author: ActorID, sequence: UInt64) -> WorldFrame? {
    frame(of: author) { $0.sequence <= sequence }
  }

  private func frame(of author: ActorID, _ precedes: (FrameDeclaration) -> Bool) -> WorldFrame? {
    guard let list = declared[author] else { return refused.contains(author) ? nil : .shared }
    if let last = list.last(where: precedes) { return last.frame }
    return list.first?.number == 1 ? .shared : nil
  }
}

extension FrameDeclaration {
  /// Decides between two declarations under one number, of which the author made one at most.
  fileprivate func isOlder(than other: Self) -> Bool {
    (clock, sequence, sessionTime, isShared ? 1 : 0)
      < (other.clock, other.sequence, other.sessionTime, other.isShared ? 1 : 0)
  }
}
