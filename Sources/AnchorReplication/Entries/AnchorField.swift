package import WorldModel

/// The registers of an anchor; each has its own stamp, so that a concurrent move and rename both survive.
package enum AnchorField: UInt8, CaseIterable, Sendable {
  /// Where it is.
  case pose = 0
  /// The name for people.
  case name = 1
  /// Data of the app.
  case payload = 2
  /// Bits of the app.
  case flags = 3
  /// The owner, as granted by the host.
  case lock = 4
  /// The thing that stands there, such as a plane that grows.
  case kind = 5
}

/// A set of ``AnchorField``.
package struct AnchorFields: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The set of one field.
  package init(_ field: AnchorField) {
    self.init(rawValue: 1 << field.rawValue)
  }

  /// Where it is.
  package static let pose = AnchorFields(.pose)
  /// The name for people.
  package static let name = AnchorFields(.name)
  /// Data of the app.
  package static let payload = AnchorFields(.payload)
  /// Bits of the app.
  package static let flags = AnchorFields(.flags)
  /// The owner.
  package static let lock = AnchorFields(.lock)
  /// Whether the lock is among them.
  package var hasLock: Bool { rawValue & Self.lock.rawValue != 0 }
  /// Whether anything but the lock is among them.
  package var hasOthers: Bool { rawValue & ~Self.lock.rawValue != 0 }
  /// The kind.
  package static let kind = AnchorFields(.kind)
  /// Every register.
  package static let all: AnchorFields = [.pose, .name, .payload, .flags, .lock, .kind]
}

/// The value of a register.
package enum AnchorFieldValue: Hashable, Sendable {
  /// Where it is.
  case pose(Pose)
  /// The name for people.
  case name(String)
  /// Data of the app, if any.
  case payload(Anchor.Payload?)
  /// Bits of the app.
  case flags(UInt32)
  /// The owner.
  case lock(AnchorLock)
  /// The thing that stands there; never a participant.
  case kind(Anchor.Kind)

  /// Which register it is for.
  package var field: AnchorField {
    switch self {
    case .pose: .pose
    case .name: .name
    case .payload: .payload
    case .flags: .flags
    case .lock: .lock
    case .kind: .kind
    }
  }
}

/// The owner of an anchor by grant of the host.
///
/// Advisory: it binds apps that ask, and refuses no edit.
///
/// Of two grants the one with the higher fencing (epoch, then number) stays, whatever their stamps: after a partition
/// the later host's grant wins.
package struct AnchorLock: Hashable, Sendable {
  /// The holder; nil when free.
  package var owner: PeerID?
  /// The session time at which the grant ends (milliseconds).
  package var leaseUntil: UInt64
  /// The host's epoch at the grant.
  package var epoch: UInt64
  /// The number of the grant in that epoch.
  package var number: UInt64

  /// A grant.
  package init(owner: PeerID?, leaseUntil: UInt64, epoch: UInt64, number: UInt64) {
    self.owner = owner
    self.leaseUntil = leaseUntil
    self.epoch = epoch
    self.number = number
  }

  /// The state of an anchor that never had an owner.
  package static let free = AnchorLock(owner: nil, leaseUntil: 0, epoch: 0, number: 0)

  /// The order of grants: epoch, then number.
  var fencing: (UInt64, UInt64) { (epoch, number) }
}

/// One clock for each register of an anchor.
package struct FieldClocks: Equatable, Sendable {
  private var values: InlineArray<6, UInt64>

  /// The same clock for every register.
  package init(all clock: UInt64) {
    values = InlineArray(repeating: clock)
  }

  /// The clock of `field`.
  package subscript(field: AnchorField) -> UInt64 {
    @inline(__always) get { values[Int(field.rawValue)] }
    @inline(__always) set { values[Int(field.rawValue)] = newValue }
  }

  package static func == (left: Self, right: Self) -> Bool {
    AnchorField.allCases.allSatisfy { left[$0] == right[$0] }
  }

  package func hash(into hasher: inout Hasher) {
    for field in AnchorField.allCases { hasher.combine(self[field]) }
  }
}
