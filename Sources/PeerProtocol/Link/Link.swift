package import Basics
package import WorldModel

/// One TLS connection as the node sees it: who is at the other end, how far the greeting has come, what waits to leave.
package struct Link: Sendable {
  /// How far the two sides have come.
  package enum Phase: Sendable {
    /// TLS is up, the other side's hello has not come.
    case greeting
    /// Both said hello; the other side is not, or not yet, a member.
    case stranger
    /// Both sides hold each other as members.
    case member
    /// A second connection to a member, for pieces of maps alone.
    case bulk

    /// The largest body the other side may send (bytes).
    var frameLimit: Int {
      switch self {
      case .greeting, .stranger: ProtocolLimits.strangerFrame
      case .member: ProtocolLimits.memberFrame
      case .bulk: ProtocolLimits.bulkFrame
      }
    }
  }

  /// What a link has to send.
  struct Sending {
    let phase: Phase
    /// Bytes of control frames.
    let control: Int
    let isSendingSnapshot: Bool
    let hasPoses: Bool
    let hasUploads: Bool
  }

  package let id: LinkID
  /// Read from the TLS certificate.
  package let peer: PeerID
  /// The dial that became this link; nil when the other side dialled.
  package let dial: DialID?
  package let remote: SocketAddress
  package var phase = Phase.greeting
  /// When a link that is not a member's is given up.
  package var deadline: Instant?
  package var hello: Hello?
  /// Whether this side has said that it holds the other as a member.
  package var weAdmit = false
  /// Whether the other side has said so.
  package var theyAdmit = false
  /// When it became a member's link.
  package var memberSince: Instant?

  /// What the other side said this connection is for, while its offer has not come.
  package var attachToken: BulkOffer.Token?

  /// The start of an incomplete frame.
  package var inbound: [UInt8] = []
  /// Whole control frames that wait to leave.
  package var control = ByteWriter()
  /// Whether the link stands among those whose bytes leave after this turn.
  package var isFlushPending = false
  /// Bytes handed to the driver since it last reported the link writable.
  package private(set) var inFlight = 0
  /// Whether something may have been left behind for want of room.
  private var wantsRoom = false
  package var lastHeard: Instant
  package var lastSent: Instant
  package var roundTrip: Duration?
  package var bytesReceived: UInt64 = 0
  package var bytesSent: UInt64 = 0

  package var replication = LinkReplication()
  /// When the present second of ephemeral updates began, and how many came in it.
  private var ephemeralSecond: Instant
  private var ephemeralCount = 0
  /// The poses that left on this link and have not ended, while anybody wants less than all.
  var shownPoses = ShownPoses()
  /// Poses that wait to leave, the latest of each subject.
  private var ephemeral: [EphemeralUpdate] = []
  /// What the other side asked for of maps.
  package var uploads = Uploads()

  package init(id: LinkID, peer: PeerID, dial: DialID?, remote: SocketAddress, at now: Instant) {
    self.id = id
    self.peer = peer
    self.dial = dial
    self.remote = remote
    deadline = now + ProtocolLimits.helloTime
    ephemeralSecond = now
    lastHeard = now
    lastSent = now
  }

  /// Books bytes that arrived, and moves the start of an incomplete frame out, so that it is appended to without being
  /// copied.
  mutating func beginReceiving(_ count: Int, at now: Instant) -> [UInt8] {
    lastHeard = now
    bytesReceived += UInt64(count)
    return exchange(&inbound, with: [])
  }

  /// Whether one more ephemeral update may be taken in the present second.
  mutating func admitsEphemeral(at now: Instant) -> Bool {
    if now - ephemeralSecond >= .seconds(1) { (ephemeralSecond, ephemeralCount) = (now, 0) }
    ephemeralCount += 1
    return ephemeralCount <= ProtocolLimits.ephemeralRate
  }

  /// Puts an ephemeral update in the place of an older one.
  mutating func queue(_ update: EphemeralUpdate) {
    if let index = ephemeral.firstIndex(where: update.hasSameSlot) {
      ephemeral[index] = update
    } else {
      ephemeral.append(update)
    }
  }

  /// Moves the poses out that wait to leave.
  mutating func takeEphemeral() -> [EphemeralUpdate] { exchange(&ephemeral, with: []) }

  /// Drops what is late before it can leave: a newer pose of a drag follows, but a device may stand still from now on.
  mutating func dropDrags() { ephemeral.removeAll { $0.subject != .participant } }

  /// Moves the control frames that wait to the end of `writer`.
  mutating func moveControl(to writer: inout ByteWriter) {
    guard control.count > 0 else { return }
    writer.write(bytes: control.bytes)
    control.removeAll()
  }

  /// What there is to send; nil while the link has taken its fill, when poses that would be late go.
  ///
  /// More control frames than may wait are told all the same: whoever does not read never makes the link writable again.
  mutating func beginSending() -> Sending? {
    isFlushPending = false
    guard isWritable || control.count > ProtocolLimits.controlQueue else {
      wantsRoom = true
      dropDrags()
      return nil
    }
    return Sending(
      phase: phase, control: control.count, isSendingSnapshot: replication.isSendingSnapshot,
      hasPoses: !ephemeral.isEmpty, hasUploads: uploads.count > 0)
  }

  /// Books bytes that are handed to the driver.
  mutating func noteSent(_ count: Int, at now: Instant) {
    inFlight += count
    bytesSent += UInt64(count)
    lastSent = now
    // No lane stops before this for want of room.
    wantsRoom = count >= ProtocolLimits.transmitWindow / 2
  }

  /// All that was handed over has left; whether more may be waiting for that.
  mutating func regainRoom() -> Bool {
    inFlight = 0
    return exchange(&wantsRoom, with: false)
  }

  /// Appends frames of roster entries to what waits to leave.
  package mutating func queue(_ entries: [RosterEntry]) {
    Roster.writeFrames(entries, to: &control)
  }

  /// The start of the process at the other end, once it said hello.
  package var node: NodeID? { hello.map { NodeID(peer: peer, incarnation: $0.incarnation) } }

  /// When a bulk link counts as idle.
  var idleAt: Instant { max(lastHeard, lastSent) + ProtocolTimes.bulkIdle }

  /// Whether more may be handed to the driver.
  package var isWritable: Bool { inFlight < ProtocolLimits.transmitWindow }
}
