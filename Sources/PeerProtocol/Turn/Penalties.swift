import Basics
import WorldModel

/// How long devices and addresses that have failed wait before their next attempt: twice as long each time.
struct Penalties: Sendable {
  private struct Penalty: Sendable {
    var failures = 0
    var until = Instant.zero
  }

  /// The first wait, and the longest.
  private let first, most: Duration
  private var peers: Table<PeerID, Penalty> = [:]
  private var hosts: Table<SocketAddress.Host, Penalty> = [:]

  init(first: Duration, most: Duration) {
    (self.first, self.most) = (first, most)
  }

  /// Whether neither a device nor its address has to wait.
  func isFree(_ peer: PeerID, at host: SocketAddress.Host, now: Instant) -> Bool { now >= end(peer, at: host) }

  /// Until when a device or its address has to wait.
  func end(_ peer: PeerID, at host: SocketAddress.Host) -> Instant {
    max(peers[peer]?.until ?? .zero, hosts[host]?.until ?? .zero)
  }

  /// A device at an address has failed.
  mutating func fail(_ peer: PeerID, at host: SocketAddress.Host, now: Instant) {
    fail(peer, in: \.peers, now: now)
    fail(host, in: \.hosts, now: now)
  }

  /// A device at an address has succeeded.
  mutating func clear(_ peer: PeerID, at host: SocketAddress.Host) {
    peers[peer] = nil
    hosts[host] = nil
  }

  private mutating func fail<Key: Comparable>(
    _ key: Key, in book: WritableKeyPath<Penalties, Table<Key, Penalty>>, now: Instant
  ) {
    var penalty = self[keyPath: book][key] ?? Penalty()
    let doubled = penalty.failures < 20 ? first * (1 << penalty.failures) : most
    penalty.failures += 1
    penalty.until = now + min(doubled, most)
    if self[keyPath: book].count >= ProtocolLimits.penalties, self[keyPath: book][key] == nil {
      self[keyPath: book] = self[keyPath: book].filter { $0.value.until > now }
      // With so many that wait, one more is bounded by the limits for all.
      guard self[keyPath: book].count < ProtocolLimits.penalties else { return }
    }
    self[keyPath: book][key] = penalty
  }
}
