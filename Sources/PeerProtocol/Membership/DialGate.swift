import Basics

/// How much is dialled at once because members say so.
///
/// Records are not signed: a member may name any number of peers at any address. So few dials to addresses that no link
/// has proven are under way, and few a second go to one machine, whatever the roster says.
struct DialGate: Sendable {
  /// Machines that are remembered before those of the last second alone are.
  private static let memory = 256

  /// The dials under way, and until when each may make both sides compute: somebody may be at its address, or is.
  private var underWay: Table<DialID, Instant> = [:]
  private var rates: Table<SocketAddress, (limit: RateLimit, latest: Instant)> = [:]

  /// Whether an address that no link has proven may be dialled now as `dial`; it counts until ``ended(_:)``.
  mutating func admits(_ dial: DialID, to address: SocketAddress, at now: Instant) -> Bool {
    guard underWay.count < ProtocolLimits.unprovenDials else { return false }
    guard underWay.values.count(where: { now < $0 }) < ProtocolLimits.authenticatingDials else { return false }
    if rates.count >= Self.memory { rates = rates.filter { now - $0.value.latest < .seconds(1) } }
    // Peers on one machine share all but the port.
    let machine = address.host.isLoopback ? address : address.with(port: 0)
    var rate = rates[machine]?.limit ?? RateLimit(ProtocolLimits.dialsToHost, at: now)
    let isAdmitted = rate.admits(at: now)
    rates[machine] = (rate, now)
    if isAdmitted { underWay[dial] = now + ProtocolTimes.dialDelay }
    return isAdmitted
  }

  /// Somebody is at the address of a dial; one that then does not answer for long keeps nobody else waiting.
  mutating func connected(_ dial: DialID, at now: Instant) {
    if underWay.contains(dial) { underWay[dial] = now + ProtocolTimes.dialTurn }
  }

  /// A dial has become a link or has failed.
  mutating func ended(_ dial: DialID) { underWay[dial] = nil }
}

extension SocketAddress {
  /// Whether this address, said by the peer at the other end of a link from `remote`, may be dialled: it is one machine's,
  /// and this machine's only where the peer is on this machine too.
  func isCredible(from remote: SocketAddress) -> Bool {
    host.isUnicast && port > 0 && (!host.isLoopback || remote.host.isLoopback)
  }
}
