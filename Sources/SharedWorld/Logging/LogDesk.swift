import PeerTransport
import Synchronization

/// The way to the app's log, with the pace of each kind of messages, so that few enough arrive.
///
/// Without a log a message costs one comparison: its text is never made.
final class LogDesk: Sendable {
  /// A kind of messages; each has a rate of its own.
  struct Kind: Hashable, Sendable {
    let level: LogMessage.Level
    let subsystem: LogMessage.Subsystem
    let word: String

    static let fileFailed = Kind(level: .warning, subsystem: .storage, word: "file-failed")
    static let fileRecovered = Kind(level: .info, subsystem: .storage, word: "file-recovered")
    static let dialFailed = Kind(level: .debug, subsystem: .transport, word: "dial-failed")
    static let listener = Kind(level: .info, subsystem: .transport, word: "listener")
    static let strangerFailed = Kind(level: .debug, subsystem: .admission, word: "stranger-failed")
    static let strangerRefused = Kind(level: .debug, subsystem: .admission, word: "stranger-refused")
    static let declined = Kind(level: .info, subsystem: .admission, word: "declined")
    static let invitationFailed = Kind(level: .info, subsystem: .admission, word: "invitation-failed")
    static let discovery = Kind(level: .warning, subsystem: .discovery, word: "discovery")
    static let slowApp = Kind(level: .warning, subsystem: .app, word: "slow-app")
    static let released = Kind(level: .warning, subsystem: .app, word: "released")

    /// Problems with one code.
    static func problem(_ code: SessionError.Code) -> Kind {
      let files: Set<SessionError.Code> = [.io, .diskFull, .corruptData, .insecureFile]
      return Kind(level: .warning, subsystem: files.contains(code) ? .storage : .session, word: code.description)
    }
  }

  private let receive: (@Sendable (LogMessage) -> Void)?
  private let pace = Mutex(LogPace())

  /// A desk that gives messages to `receive`; nil for an app without a log.
  init(_ receive: (@Sendable (LogMessage) -> Void)?) { self.receive = receive }

  /// Writes a message, unless too many of its kind came of late.
  func write(_ kind: Kind, _ text: @autoclosure () -> String) {
    guard let receive, let suppressed = pace.withLock({ $0.admit(kind, at: .now) }) else { return }
    // The lock is free: the app may call what it likes.
    receive(LogMessage(level: kind.level, subsystem: kind.subsystem, text: text(), suppressed: suppressed))
  }

  /// Writes those of the app's events that a log should have.
  func write(_ events: [Session.Event]) {
    guard receive != nil else { return }
    for event in events {
      // Events of a reader that is too slow are written where they are dropped.
      if case .problem(let error) = event, error.code != .consumerTooSlow {
        write(.problem(error.code), error.description)
      }
      if case .mapFailed(let error) = event { write(.problem(error.code), "a map cannot be used: \(error)") }
      if case .discoveryUnavailable(let reason) = event { write(.discovery, "discovery does not work: \(reason)") }
      if case .invitationFailed(let target, let error, let isRetried) = event {
        write(.invitationFailed, "the invitation of \(target) failed\(isRetried ? " and is repeated" : ""): \(error)")
      }
    }
  }
}

/// How many messages of each kind were let through of late.
struct LogPace {
  /// Messages of a kind that come through within ``period``; further ones are counted.
  static let most = 5
  static let period: Duration = .seconds(10)

  private struct Account {
    var since: ContinuousClock.Instant
    var admitted = 0
    var suppressed = 0
  }

  /// The kinds are those of this library: a peer cannot add one.
  private var accounts: [LogDesk.Kind: Account] = [:]

  /// Lets a message through; returns how many were left out before it, or nil if this one is.
  mutating func admit(_ kind: LogDesk.Kind, at now: ContinuousClock.Instant) -> Int? {
    var account = accounts[kind] ?? Account(since: now)
    defer { accounts[kind] = account }
    if now - account.since >= Self.period { (account.since, account.admitted) = (now, 0) }
    guard account.admitted < Self.most else {
      account.suppressed += 1
      return nil
    }
    account.admitted += 1
    defer { account.suppressed = 0 }
    return account.suppressed
  }
}

extension EventHub {
  /// Writes what goes wrong beside the links into the log, and tells the app what it must act on.
  func report(_ trouble: LinkTrouble) {
    switch trouble {
    case .listenerPaused(let failure):
      publish([.problem(SessionError(.io, "no connection can be taken: \(failure)", cause: failure))])
    case .listenerResumed: log.write(.listener, "connections are taken again")
    case .dialFailed(let address, let failure): log.write(.dialFailed, "\(address) cannot be dialled: \(failure)")
    case .strangerFailed(let address, let failure):
      log.write(.strangerFailed, "a connection from \(address) failed before its peer was proven: \(failure)")
    case .strangerRefused(let address, let refusal):
      log.write(.strangerRefused, "a connection from \(address) was refused: \(refusal)")
    }
  }
}
