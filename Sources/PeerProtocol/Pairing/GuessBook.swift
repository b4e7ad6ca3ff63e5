import Basics
import WorldModel

/// The wrong passcodes of strangers: how long a device or an address waits before its next attempt, and when the room
/// admits nobody new any more.
struct GuessBook: Sendable {
  /// Whether a device may try a passcode now.
  enum Verdict: Sendable, Equatable {
    case free
    /// It, or its address, has failed too recently, and may try from then on.
    case waits(until: Instant)
    /// The room has accepted as many wrong passcodes as it does.
    case locked
  }

  private var penalties = Penalties(first: ProtocolTimes.passcodePause, most: ProtocolTimes.passcodePauseMost)
  /// Wrong passcodes, and those that are being tried: each is a guess that was spent until it proves to be right.
  private var spent = 0
  /// When this side was wrong at peers that it dialled: each of them could test one passcode.
  private var own: [Instant] = []

  /// Whether the room is locked.
  var isLocked: Bool { spent >= ProtocolLimits.wrongPasscodes }

  /// How many wrong passcodes are left before the room locks.
  var left: Int { max(0, ProtocolLimits.wrongPasscodes - spent) }

  /// Whether a device may try a passcode from an address now.
  func verdict(_ peer: PeerID, at host: SocketAddress.Host, now: Instant) -> Verdict {
    if isLocked { return .locked }
    let end = penalties.end(peer, at: host)
    return now >= end ? .free : .waits(until: end)
  }

  /// Counts a guess that a device is given the means to test.
  mutating func open() {
    assert(!isLocked, "a locked room answers nobody")
    spent += 1
  }

  /// A device has proven the passcode; `isCounted` says that its guess was counted.
  mutating func succeed(_ peer: PeerID, at host: SocketAddress.Host, isCounted: Bool) {
    // The app may have unlocked the room while the guess was tested, and so have forgotten it.
    if isCounted, spent > 0 { spent -= 1 }
    penalties.clear(peer, at: host)
  }

  /// A device had a wrong passcode, or ended the connection rather than show its own.
  mutating func fail(_ peer: PeerID, at host: SocketAddress.Host, now: Instant) {
    penalties.fail(peer, at: host, now: now)
  }

  /// Whether this side may show a peer that it has dialled what tests a passcode.
  ///
  /// Rooms of others that it does not know by their records cost it one each, and an impostor of a thousand services gets no more.
  mutating func mayShow(at now: Instant) -> Bool {
    own.removeAll { now - $0 >= ProtocolTimes.ownPasscodes }
    return own.count < ProtocolLimits.wrongPasscodes
  }

  /// A peer that this side has dialled has another passcode, which is no guess of a stranger and locks nobody out.
  mutating func failOwn(at now: Instant) { own.append(now) }

  /// Forgets every wrong passcode.
  mutating func reset() { self = GuessBook() }
}
