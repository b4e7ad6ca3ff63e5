import Basics
package import WorldModel

/// One TLS connection as `Links` sees it: who is at the other end, how far the greeting has come, and how much is on its way.
struct Link: Sendable {
  /// How far the two sides have come.
  enum Phase: Sendable {
    /// TLS is up, the other side's hello has not come.
    case greeting(Greeting)
    /// Both said hello; the other side is not, or not yet, a member. The link carries the peer's traffic.
    case stranger(Stranger)
    /// Both sides hold each other as members. The link carries the peer's traffic.
    case member
    /// A second connection to a member, for pieces of maps alone.
    case bulk
  }

  struct Greeting: Sendable {
    /// When the link is given up.
    var deadline: Instant
    /// The purpose of this second connection as one side has named it, while the other has not agreed.
    var token: BulkOffer.Token?
  }

  struct Stranger: Sendable {
    /// When the link is given up.
    var deadline: Instant
    /// How many frames the other side may still send.
    var frames = ProtocolLimits.strangerFrames
  }

  /// Read from the TLS certificate.
  let peer: PeerID
  /// Where the other end is.
  let remote: SocketAddress
  /// Whether this side dialled.
  let isDialled: Bool
  /// Whether the process at the other end is this one, of which neither end can die alone: it needs no pings.
  let isInProcess: Bool
  var phase: Phase

  /// The start of an incomplete frame.
  private var inbound: [UInt8] = []
  /// Bytes handed to the driver since it last reported the link writable.
  private var inFlight = 0
  /// Whether something may have been left behind for want of room.
  private var wantsRoom = false
  private(set) var lastHeard: Instant
  private(set) var lastSent: Instant
  /// When a ping goes out at the latest.
  private(set) var nextPing: Instant
  /// The last one measured.
  var roundTrip: Duration?
  private(set) var bytesReceived: UInt64 = 0
  private(set) var bytesSent: UInt64 = 0

  init(peer: PeerID, remote: SocketAddress, isDialled: Bool, isInProcess: Bool, at now: Instant) {
    self.peer = peer
    self.remote = remote
    self.isDialled = isDialled
    self.isInProcess = isInProcess
    phase = .greeting(Greeting(deadline: now + ProtocolLimits.helloTime))
    lastHeard = now
    lastSent = now
    nextPing = now + ProtocolTimes.ping
  }

  /// When a link that is not a member's is given up, or a bulk link counts as idle; nil for a member's.
  var deadline: Instant? {
    switch phase {
    case .greeting(let greeting): greeting.deadline
    case .stranger(let stranger): stranger.deadline
    case .member: nil
    case .bulk: max(lastHeard, lastSent) + ProtocolTimes.bulkIdle
    }
  }

  /// When a link on which both sides said hello needs a ping or is dead; nil for others.
  ///
  /// A stranger may wait for the answer to an invitation for a minute: a peer that died meanwhile must be noticed before.
  var keepAlive: Instant? {
    switch phase {
    case .stranger where isInProcess, .member where isInProcess, .greeting, .bulk: nil
    case .stranger, .member: min(lastHeard + ProtocolTimes.silence, lastSent + ProtocolTimes.ping, nextPing)
    }
  }

  /// Bytes of control frames that may wait for the other side to read (bytes).
  var controlLimit: Int {
    switch phase {
    case .greeting, .stranger: ProtocolLimits.strangerControlQueue
    case .member, .bulk: ProtocolLimits.controlQueue
    }
  }

  /// Which frames the other side may send, and how large.
  var kind: LinkKind {
    switch phase {
    case .greeting: .greeting
    case .stranger: .stranger
    case .member: .member
    case .bulk: .bulk
    }
  }

  // MARK: Receiving

  /// Moves the start of an incomplete frame out, so that it is appended to without being copied.
  mutating func beginReceiving(at now: Instant) -> [UInt8] {
    lastHeard = now
    return exchange(&inbound, with: [])
  }

  /// Counts a frame; whether the other side may send so many.
  mutating func countFrame() -> Bool {
    guard case .stranger(var stranger) = phase else { return true }
    stranger.frames -= 1
    phase = .stranger(stranger)
    return stranger.frames >= 0
  }

  /// Lets a stranger send as many frames as at first.
  mutating func renewFrames() {
    guard case .stranger(var stranger) = phase else { return }
    stranger.frames = ProtocolLimits.strangerFrames
    phase = .stranger(stranger)
  }

  /// Books bytes that were received, and keeps the start of an incomplete frame.
  mutating func endReceiving(_ rest: consuming [UInt8], after count: Int) {
    bytesReceived += UInt64(count)
    inbound = rest
  }

  // MARK: Sending

  /// Whether more may be handed to the driver; if not, it is asked again when there is room.
  ///
  /// An over-full control queue is sent even while there is no room: a peer that never reads never makes any.
  mutating func beginSending(control: Int) -> Bool {
    if inFlight < ProtocolLimits.transmitWindow || control > controlLimit { return true }
    wantsRoom = true
    return false
  }

  /// Books bytes that are handed to the driver.
  mutating func noteSent(_ count: Int, at now: Instant) {
    inFlight += count
    bytesSent += UInt64(count)
    lastSent = now
    // No lane stops before this for want of room.
    wantsRoom = count >= ProtocolLimits.transmitWindow / 2
  }

  /// Books a ping.
  mutating func hasPinged(at now: Instant) {
    (lastSent, nextPing) = (now, now + ProtocolTimes.measurement)
  }

  /// All that was handed over has left; whether more may be waiting for that.
  mutating func regainRoom() -> Bool {
    inFlight = 0
    return exchange(&wantsRoom, with: false)
  }

  // MARK: Time

  /// Grants the other side the time in which this node was not running.
  ///
  /// Nobody is thought to have been heard later than now: the monotonic clock may have stood still in that time, and a
  /// dead link must not be believed for as long again.
  mutating func excuse(_ gap: Duration, at now: Instant) { lastHeard = min(lastHeard + gap, now) }

  /// Moves the deadline of a greeting or a stranger.
  mutating func postpone(by gap: Duration) {
    switch phase {
    case .greeting(var greeting):
      greeting.deadline += gap
      phase = .greeting(greeting)
    case .stranger(var stranger):
      stranger.deadline += gap
      phase = .stranger(stranger)
    case .member, .bulk: break
    }
  }
}

/// The phases of a link without what belongs to them: what the table of frames speaks of.
enum LinkKind: UInt8, Sendable, CaseIterable {
  case greeting, stranger, member, bulk
}

/// A link that has ended, as the organs hear of it.
package struct ClosedLink: Sendable {
  /// Why it has ended.
  package enum Cause: Sendable {
    /// This side said goodbye.
    case ended(EndReason)
    /// The other side said goodbye.
    case goodbye(EndReason)
    /// This side closed it without a word.
    case dropped
    /// The driver says that the connection is gone.
    case lost
  }

  package let link: LinkRef
  package let peer: PeerID
  let remote: SocketAddress
  /// Whether this side dialled.
  let isDialled: Bool
  /// The start of the process at the other end, if it had said hello.
  package let node: NodeID?
  let kind: LinkKind
  /// Whether it carried its peer's traffic.
  let isCarrier: Bool
  /// Whether no other link carries that now.
  package let isLast: Bool
  package let cause: Cause

  /// Whether it was a member's.
  var wasMember: Bool { kind == .member }
}
