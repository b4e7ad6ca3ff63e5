package import Basics
package import PeerProtocol

extension SecureTransport {
  /// Connects to `address`; ends in `linkOpened` with this `dial` or in `dialFailed`.
  package func connect(_ dial: DialID, to address: SocketAddress) {
    loop.checkIsolated()
    precondition(!dials.contains(dial), "a dial id is used once")
    do throws(TransportFailure) {
      let link = try SecureLink(try stream(to: address), id: nextLinkID(), remote: address, dial: dial, transport: self)
      links[link.id] = link
      dials.insert(dial)
      updateTimer()
    } catch {
      report(dial, to: address, error)
    }
  }

  private func stream(to address: SocketAddress) throws(TransportFailure) -> any ByteStream {
    if let medium { return try medium.connect(to: address) }
    let socket = try Socket(for: address)
    try socket.connect(to: address)
    return SocketStream(socket)
  }

  /// Reports a dial whose link ended before it opened; after the shutdown nobody waits for it.
  func dialEnded(_ dial: DialID, to address: SocketAddress, _ failure: TransportFailure?) {
    if dials.remove(dial) != nil { report(dial, to: address, failure ?? .truncated) }
  }
}
