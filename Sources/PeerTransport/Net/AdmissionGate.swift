package import Basics

/// Bounds what strangers can cost: how many connections wait for admission and how fast each address may try.
///
/// A pure value: time comes in as nanoseconds that never run backwards.
package struct AdmissionGate: Sendable {
  /// The limits of a gate.
  package struct Limits: Sendable {
    /// Connections that are not admitted yet, in all.
    package var total = 32
    /// Connections that are not admitted yet, from one address.
    package var perAddress = 4
    /// Handshakes a second from one address, sustained.
    package var rate = 20
    /// Handshakes from one address at once, after a pause.
    package var burst = 5
    /// Addresses remembered at a time.
    package var addresses = 4096

    /// The limits of Documentation/Protocol/connection.md.
    package init() {}
  }

  /// Why a connection is turned away.
  package enum Refusal: Error, Hashable, Sendable {
    /// Too many connections wait for admission.
    case total
    /// Too many connections of this address wait for admission.
    case perAddress
    /// This address tries too often.
    case rate
    /// Too many different addresses tried within a moment.
    case crowded
  }

  /// The leaky bucket of one address: full at `emptyAt − now = burst / rate` (GCRA, ITU-T I.371).
  private struct Account {
    var waiting = 0
    var emptyAt: UInt64 = 0
  }

  /// How many connections wait for admission.
  package private(set) var waiting = 0

  private let limits: Limits
  private var accounts: [SocketAddress.Host: Account] = [:]

  /// An empty gate.
  package init(limits: Limits = Limits()) {
    self.limits = limits
  }

  /// Reserves a place for a connection, or returns why not; every success needs one ``release(_:)``.
  package mutating func enter(_ host: SocketAddress.Host, at now: UInt64) throws(Refusal) {
    guard waiting < limits.total else { throw .total }
    var account = accounts[host] ?? Account()
    guard account.waiting < limits.perAddress else { throw .perAddress }
    let interval = 1_000_000_000 / UInt64(limits.rate)
    let level = max(account.emptyAt, now) + interval
    guard level - now <= interval * UInt64(limits.burst) else { throw .rate }
    if accounts[host] == nil, accounts.count >= limits.addresses {
      accounts = accounts.filter { $0.value.waiting > 0 || $0.value.emptyAt > now }
      guard accounts.count < limits.addresses else { throw .crowded }
    }
    account.emptyAt = level
    account.waiting += 1
    accounts[host] = account
    waiting += 1
  }

  /// Ends the wait of a connection, because it was admitted or closed.
  package mutating func release(_ host: SocketAddress.Host) {
    guard let waitingHere = accounts[host]?.waiting, waitingHere > 0 else { return }
    accounts[host]?.waiting = waitingHere - 1
    waiting -= 1
  }
}
