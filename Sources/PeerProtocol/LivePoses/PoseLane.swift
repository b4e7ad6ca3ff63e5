import AnchorReplication
import Basics

/// The latest pose of everything that moves: one slot for each sender and subject, where a newer update replaces the
/// older.
///
/// It decides what is new, what is due to be sent and what has run out; who gets it is the node's business.
struct PoseLane: Sendable {
  private struct Slot: Sendable {
    var update: EphemeralUpdate
    /// When it came here, or was made.
    var since: Instant
  }

  /// The latest poses of one sender.
  private struct Sender: Sendable {
    let node: NodeID
    var slots: [Slot] = []
    /// Updates of drags up to this sequence are older than one that was given up; a device's slot stays.
    var floor: UInt64 = 0
  }

  /// A slot of this node and when it may be sent again.
  private struct Outgoing: Sendable {
    var update: EphemeralUpdate
    var sentAt: Instant
    var isSent: Bool
  }

  private let me: NodeID
  private var senders: [Sender] = []
  private var outgoing: [Outgoing] = []
  /// The sequence of the next update of this node.
  private(set) var nextSequence: UInt64 = 1

  init(me: NodeID) {
    self.me = me
  }

  /// When ``takeDue(at:)`` or ``expire(at:)`` has something; nil for never.
  var deadline: Instant? {
    var next: Instant?
    for slot in outgoing where !slot.isSent {
      let due = slot.sentAt + ProtocolTimes.ephemeralPace
      next = min(next ?? due, due)
    }
    for sender in senders {
      for slot in sender.slots {
        guard let end = Self.end(of: slot) else { continue }
        next = min(next ?? end, end)
      }
    }
    return next
  }

  /// The others' poses, in the order in which senders were first heard.
  var known: [EphemeralUpdate] {
    senders.flatMap { $0.slots.map(\.update) }.filter { $0.pose != nil }
  }

  /// Where the others' devices are, or that they tell it no more.
  var devices: [EphemeralUpdate] {
    senders.flatMap { $0.slots.map(\.update) }.filter { $0.subject == .participant }
  }

  /// The pose that this node tells of itself, or the news that it tells none any more.
  var own: [EphemeralUpdate] { outgoing.map(\.update) }

  /// Gives this node's poses new sequences, so that they are news wherever they are told again, or their end.
  mutating func renew() -> [EphemeralUpdate] {
    for index in outgoing.indices {
      outgoing[index].update.sequence = nextSequence
      nextSequence += 1
    }
    return own
  }

  /// Takes a new pose of this node's, or the end of one; gives what is to be sent now, nil when it has to wait.
  mutating func publish(
    _ subject: EphemeralSubject, _ pose: Pose?, sessionTime: UInt64, at now: Instant
  ) -> EphemeralUpdate? {
    let update = EphemeralUpdate(
      origin: me, subject: subject, sequence: nextSequence, sessionTime: sessionTime, pose: pose)
    nextSequence += 1
    guard let index = outgoing.firstIndex(where: { $0.update.subject == subject }) else {
      if pose != nil { outgoing.append(Outgoing(update: update, sentAt: now, isSent: true)) }
      return update
    }
    if pose == nil, subject != .participant {
      outgoing.remove(at: index)
      return update
    }
    outgoing[index].update = update
    guard pose == nil || now - outgoing[index].sentAt >= ProtocolTimes.ephemeralPace else {
      outgoing[index].isSent = false
      return nil
    }
    outgoing[index].sentAt = now
    outgoing[index].isSent = true
    return update
  }

  /// This node's poses that had to wait and are due.
  mutating func takeDue(at now: Instant) -> [EphemeralUpdate] {
    var due: [EphemeralUpdate] = []
    for index in outgoing.indices where !outgoing[index].isSent {
      guard now - outgoing[index].sentAt >= ProtocolTimes.ephemeralPace else { continue }
      outgoing[index].sentAt = now
      outgoing[index].isSent = true
      due.append(outgoing[index].update)
    }
    return due
  }

  /// Forgets numbers that others made up in a node's name: more than 2³² above the one that it comes with itself.
  mutating func hear(_ node: NodeID, at sequence: UInt64) {
    let isMadeUp = { (known: UInt64) in known > sequence && known - sequence > 1 << 32 }
    let sender = index(of: node)
    if isMadeUp(senders[sender].floor) { senders[sender].floor = 0 }
    for index in senders[sender].slots.indices where isMadeUp(senders[sender].slots[index].update.sequence) {
      senders[sender].slots[index].update.sequence = 1
    }
  }

  /// Whether a received update is newer than what is known of its subject; then it takes the slot.
  ///
  /// An update for which its sender has no slot left counts as old.
  mutating func receive(_ update: EphemeralUpdate, at now: Instant) -> Bool {
    guard update.origin != me else { return false }
    let sender = index(of: update.origin)
    guard update.sequence > senders[sender].floor || update.subject == .participant else { return false }
    let slot = Slot(update: update, since: now)
    if let index = senders[sender].slots.firstIndex(where: { $0.update.subject == update.subject }) {
      guard update.sequence > senders[sender].slots[index].update.sequence else { return false }
      senders[sender].slots[index] = slot
      return true
    }
    guard senders[sender].slots.count < ProtocolLimits.ephemeralSlots else { return false }
    senders[sender].slots.append(slot)
    return true
  }

  /// Gives up drags that were not heard of for too long; returns those that had not ended.
  mutating func expire(at now: Instant) -> [EphemeralUpdate] {
    let isOver = { (slot: Slot) in Self.end(of: slot).map { $0 <= now } ?? false }
    var ended: [EphemeralUpdate] = []
    for index in senders.indices {
      for slot in senders[index].slots where isOver(slot) {
        senders[index].floor = max(senders[index].floor, slot.update.sequence)
        var update = slot.update
        guard update.pose != nil else { continue }
        update.pose = nil
        ended.append(update)
      }
      senders[index].slots.removeAll(where: isOver)
    }
    return ended
  }

  /// Forgets senders that cannot be reached.
  mutating func keep(_ isReachable: (NodeID) -> Bool) {
    senders.removeAll { !isReachable($0.node) }
  }

  private mutating func index(of node: NodeID) -> Int {
    if let index = senders.firstIndex(where: { $0.node == node }) { return index }
    senders.append(Sender(node: node))
    return senders.count - 1
  }

  /// When a slot runs out; nil for that of a device, which lives as long as its peer.
  ///
  /// The end of a device's pose stays too: who is told of it later may have seen the pose by another way.
  private static func end(of slot: Slot) -> Instant? {
    if slot.update.subject == .participant { return nil }
    return slot.since + ProtocolTimes.ephemeralExpiry
  }
}
