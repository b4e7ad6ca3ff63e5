import Basics
import WorldModel

/// The wrong passcodes of strangers: how long a device or an address waits before its next attempt, and when the room
/// admits nobody new any more.
///
/// It holds at most one entry for each wrong passcode, of which ``ProtocolLimits/wrongPasscodes`` are accepted.
struct GuessBook: Sendable {
  /// Whether a device may try a passcode now.
  enum Verdict: Sendable, Hashable {
    case free
    /// It, or its address, has failed too recently.
    case waits
    /// The room has accepted as many wrong passcodes as it does.
    case locked
  }

  private struct Penalty: Sendable {
    var failures = 0
    var until = Instant.zero

    /// Waits twice as long as the last time.
    mutating func fail(at now: Instant) {
      let doubled = failures < 20 ? ProtocolTimes.passcodePause * (1 << failures) : ProtocolTimes.passcodePauseMost
      failures += 1
      until = now + min(doubled, ProtocolTimes.passcodePauseMost)
    }
  }

  private var peers: [PeerID: Penalty] = [:]
  private var hosts: [SocketAddress.Host: Penalty] = [:]
  /// Wrong passcodes, and those that are being tried: each is a guess that was spent until it proves to be right.
  private var spent = 0

  /// Whether the room is locked.
  var isLocked: Bool { spent >= ProtocolLimits.wrongPasscodes }

  /// Whether a device may try a passcode from an address now.
  func verdict(_ peer: PeerID, at host: SocketAddress.Host, now: Instant) -> Verdict {
    if isLocked { return .locked }
    let until = max(peers[peer]?.until ?? .zero, hosts[host]?.until ?? .zero)
    return now < until ? .waits : .free
  }

  /// Counts a guess that a device is given the means to test.
  mutating func open() { spent += 1 }

  /// A device has proven the passcode; `isCounted` says that its guess was counted.
  mutating func succeed(_ peer: PeerID, at host: SocketAddress.Host, isCounted: Bool) {
    if isCounted { spent -= 1 }
    peers[peer] = nil
    hosts[host] = nil
  }

  /// A device had a wrong passcode, or ended the connection rather than show its own.
  mutating func fail(_ peer: PeerID, at host: SocketAddress.Host, isCounted: Bool, now: Instant) {
    if !isCounted { spent += 1 }
    peers[peer, default: Penalty()].fail(at: now)
    hosts[host, default: Penalty()].fail(at: now)
  }

  /// Forgets every wrong passcode.
  mutating func reset() { self = GuessBook() }
}
