import Basics
import WorldModel

/// The wrong passcodes of strangers: how long a device or an address waits before its next attempt, and when the room
/// admits nobody new any more.
struct GuessBook: Sendable {
  /// Whether a device may try a passcode now.
  enum Verdict: Sendable, Equatable {
    case free
    /// It, or its address, has failed too recently.
    case waits
    /// The room has accepted as many wrong passcodes as it does.
    case locked
  }

  private var penalties = Penalties(first: ProtocolTimes.passcodePause, most: ProtocolTimes.passcodePauseMost)
  /// Wrong passcodes, and those that are being tried: each is a guess that was spent until it proves to be right.
  private var spent = 0

  /// Whether the room is locked.
  var isLocked: Bool { spent >= ProtocolLimits.wrongPasscodes }

  /// Whether a device may try a passcode from an address now.
  func verdict(_ peer: PeerID, at host: SocketAddress.Host, now: Instant) -> Verdict {
    if isLocked { return .locked }
    return penalties.isFree(peer, at: host, now: now) ? .free : .waits
  }

  /// Counts a guess that a device is given the means to test.
  mutating func open() { spent += 1 }

  /// A device has proven the passcode; `isCounted` says that its guess was counted.
  mutating func succeed(_ peer: PeerID, at host: SocketAddress.Host, isCounted: Bool) {
    if isCounted { spent -= 1 }
    penalties.clear(peer, at: host)
  }

  /// A device had a wrong passcode, or ended the connection rather than show its own.
  mutating func fail(_ peer: PeerID, at host: SocketAddress.Host, isCounted: Bool, now: Instant) {
    if !isCounted { spent += 1 }
    penalties.fail(peer, at: host, now: now)
  }

  /// Forgets every wrong passcode.
  mutating func reset() { self = GuessBook() }
}
