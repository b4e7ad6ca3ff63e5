import WorldModel

/// The dot of the operation that added an anchor, in 8 bytes: 16 bits of actor index, 48 bits of sequence number.
struct PackedKey: Hashable, Sendable {
  private let bits: UInt64

  @inline(__always)
  init(actor: ActorIndex, sequence: UInt64) {
    bits = UInt64(actor) << 48 | sequence
  }

  /// Whose operation it was.
  @inline(__always) var actor: ActorIndex { ActorIndex(truncatingIfNeeded: bits >> 48) }
  /// Its number.
  @inline(__always) var sequence: UInt64 { bits & Dot.maximumSequence }
}

/// One anchor with its registers, in 192 bytes and a short name inline.
///
/// The fields that a move reads and writes come first, so that it touches few cache lines, and in an order without gaps.
struct Entry: Sendable {
  /// The operation that added it.
  let key: PackedKey
  /// The number of the local actor's last operation on it; 0 for none.
  var lastLocalEdit: UInt64 = 0
  /// The author of each register.
  private var writers: InlineArray<6, ActorIndex>
  /// Where in the change feed the latest change of it may stand.
  var change: UInt32 = 0
  /// Where it is.
  var pose: Pose
  /// When each register was written.
  var clocks: FieldClocks
  /// The app's name of it.
  let id: AnchorID
  /// The consumers that have not seen its latest change.
  var marks: Marks = []
  /// The place of its creator among the set's creators, plus one; 0 for none.
  let creator: UInt16
  /// Bits of the app.
  var flags: UInt32
  /// The clock of the operation that added it; its actor and this are the first stamp of every register.
  let createdClock: UInt64
  /// The name for people.
  var name: String
  /// Registers that few anchors have; nil for none of them.
  var extras: Extras?

  /// The consumers that have not seen an entry's latest change.
  struct Marks: OptionSet, Sendable {
    let rawValue: UInt8
    /// The digest does not yet cover the present state.
    static let stale = Marks(rawValue: 1)
    /// The sorted anchors do not yet show the present state, and know it.
    static let listed = Marks(rawValue: 2)
  }

  init(key: PackedKey, clock: UInt64, anchor: NewAnchor, creator: UInt16) {
    self.key = key
    self.creator = creator
    createdClock = clock
    clocks = FieldClocks(all: clock)
    writers = InlineArray(repeating: key.actor)
    id = anchor.id
    pose = anchor.pose
    name = anchor.name
    flags = anchor.flags
    extras = Extras.orNil(
      kind: anchor.kind, payload: anchor.payload, lock: .free, restoredFrom: anchor.restoredFrom)
  }

  /// The author of `field`.
  @inline(__always)
  func writer(of field: AnchorField) -> ActorIndex { writers[Int(field.rawValue)] }

  /// Records the author and stamp of `field`.
  @inline(__always)
  mutating func stamp(_ field: AnchorField, clock: UInt64, writer: ActorIndex) {
    clocks[field] = clock
    writers[Int(field.rawValue)] = writer
  }

  /// Whether `field` was written after the anchor was added.
  func isChanged(_ field: AnchorField) -> Bool {
    clocks[field] != createdClock || writer(of: field) != key.actor
  }

  /// The latest clock of the registers of the app; those of the lock can go back.
  var writtenAt: UInt64 { max(max(clocks[.pose], clocks[.name], clocks[.payload]), clocks[.flags], clocks[.kind]) }

  /// The kind of the anchor.
  var kind: Anchor.Kind { extras?.kind ?? .plain }
  /// Data of the app.
  var payload: Anchor.Payload? { extras?.payload }
  /// The owner.
  var lock: AnchorLock { extras?.lock ?? .free }
  /// The removed anchor that this one brings back.
  var restoredFrom: AnchorID? { extras?.restoredFrom }

  /// The value of `field`.
  func value(of field: AnchorField) -> AnchorFieldValue {
    switch field {
    case .pose: .pose(pose)
    case .name: .name(name)
    case .payload: .payload(payload)
    case .flags: .flags(flags)
    case .lock: .lock(lock)
    case .kind: .kind(kind)
    }
  }

  /// Stores `value` in its register.
  mutating func store(_ value: AnchorFieldValue) {
    switch value {
    case .pose(let pose): self.pose = pose
    case .name(let name): self.name = name
    case .flags(let flags): self.flags = flags
    case .payload(let payload):
      extras = Extras.orNil(kind: kind, payload: payload, lock: lock, restoredFrom: restoredFrom)
    case .lock(let lock):
      extras = Extras.orNil(kind: kind, payload: payload, lock: lock, restoredFrom: restoredFrom)
    case .kind(let kind):
      extras = Extras.orNil(kind: kind, payload: payload, lock: lock, restoredFrom: restoredFrom)
    }
  }
}

/// Registers that few anchors have, stored outside the entry so that the others stay small.
final class Extras: Sendable {
  let kind: Anchor.Kind
  let payload: Anchor.Payload?
  let lock: AnchorLock
  let restoredFrom: AnchorID?

  private init(kind: Anchor.Kind, payload: Anchor.Payload?, lock: AnchorLock, restoredFrom: AnchorID?) {
    self.kind = kind
    self.payload = payload
    self.lock = lock
    self.restoredFrom = restoredFrom
  }

  /// The extras of an anchor; nil when all are at their defaults.
  static func orNil(
    kind: Anchor.Kind, payload: Anchor.Payload?, lock: AnchorLock, restoredFrom: AnchorID?
  ) -> Extras? {
    guard kind != .plain || payload != nil || lock != .free || restoredFrom != nil else { return nil }
    return Extras(kind: kind, payload: payload, lock: lock, restoredFrom: restoredFrom)
  }
}
