package import Basics
package import PeerProtocol

/// An attempt to connect that may try several addresses.
struct Dial {
  /// The addresses left to try.
  var rest: [SocketAddress] = []
  /// The link that is being set up now.
  var link: LinkID?
  /// When a look-up has taken too long; an address has the deadline of its link.
  var deadline: UInt64?
}

/// A way back to the transport that may cross threads, but is followed on the loop only.
private struct WayBack: @unchecked Sendable {
  weak var transport: SecureTransport?
}

extension SecureTransport {
  /// Connects to `address`; ends in `linkOpened` with this `dial` or in `dialFailed`.
  package func connect(_ dial: DialID, to address: SocketAddress) {
    loop.checkIsolated()
    precondition(dials[dial] == nil, "a dial id is used once")
    dials[dial] = Dial(rest: [address])
    tryNext(dial, after: .cancelled)
  }

  /// Looks `name` up without blocking the loop and tries its addresses in turn; a literal address is not looked up.
  package func connect(_ dial: DialID, toName name: String, port: UInt16) {
    loop.checkIsolated()
    if let host = SocketAddress.Host(name) { return connect(dial, to: SocketAddress(host: host, port: port)) }
    precondition(dials[dial] == nil, "a dial id is used once")
    dials[dial] = Dial(deadline: MonotonicClock.now + configuration.connectTimeout)
    updateTimer()
    let back = WayBack(transport: self)
    do throws(TransportFailure) {
      try Resolver.resolve(name, port: port, on: loop) { back.transport?.resolved(dial, $0) }
    } catch {
      dials[dial] = nil
      report(dial, error)
    }
  }

  /// Gives up a dial without a further callback; one that already became a link is left alone.
  package func cancel(_ dial: DialID) {
    loop.checkIsolated()
    guard let attempt = dials.removeValue(forKey: dial) else { return }
    if let link = attempt.link { close(link, flushing: false) }
    updateTimer()
  }

  private func resolved(_ dial: DialID, _ result: Result<[SocketAddress], TransportFailure>) {
    guard dials[dial] != nil else { return }
    switch result {
    case .success(let addresses):
      dials[dial] = Dial(rest: addresses)
      tryNext(dial, after: .cancelled)
    case .failure(let failure):
      dials[dial] = nil
      report(dial, failure)
    }
    updateTimer()
  }

  /// Tries the next address; `failure` is what became of the one before.
  private func tryNext(_ dial: DialID, after failure: TransportFailure) {
    var failure = failure
    while var attempt = dials[dial], !attempt.rest.isEmpty {
      let address = attempt.rest.removeFirst()
      do throws(TransportFailure) {
        let socket = try Socket(for: address)
        try socket.connect(to: address)
        let link = try Link(socket, remote: address, dial: dial, transport: self)
        links[link.id] = link
        attempt.link = link.id
        dials[dial] = attempt
        return updateTimer()
      } catch {
        failure = error
        dials[dial] = attempt
      }
    }
    dials[dial] = nil
    report(dial, failure)
  }

  /// Goes on when a link of a dial came to nothing: another address helps unless somebody answered and was refused.
  func dialAttemptEnded(_ dial: DialID, in phase: Link.Phase, _ failure: TransportFailure?) {
    guard dials[dial] != nil else { return }
    if phase == .handshaking { dials[dial]?.rest = [] }
    tryNext(dial, after: failure ?? .truncated)
  }
}
