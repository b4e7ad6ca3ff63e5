package import Basics
import BasicsLinux
import Glibc
import PeerProtocol

/// The listening socket: accepts the connections that the gate admits.
final class Listener: EventHandler {
  /// When to try again after the descriptors ran out; nil while all is well.
  private var retryAt: UInt64?
  /// Shut while strangers come faster than they can be refused.
  private var door = Door()

  /// How many connections are accepted or refused in one round of the loop.
  private static let burst = 4

  private let socket: Socket
  private let transport: SecureTransport
  /// The first descriptor that is not taken for a connection from outside: the process needs some for itself.
  private let descriptorLimit: Int32

  init(on address: SocketAddress, transport: SecureTransport) throws(TransportFailure) {
    let socket = try Socket(for: address)
    try socket.listen(on: address)
    let descriptor = socket.descriptor
    self.socket = consume socket
    self.transport = transport
    descriptorLimit = Self.descriptorLimit(reserving: transport.configuration.reservedDescriptors)
    try transport.loop.watch(descriptor, for: .readable, handler: self)
  }

  var localAddress: SocketAddress? { socket.localAddress }

  /// When ``expire(at:)`` has something to do.
  var deadline: UInt64? { [retryAt, door.opensAt].compactMap(\.self).min() }

  func stop() {
    transport.loop.unwatch(socket.descriptor)
  }

  func handle(_ readiness: Readiness) {
    // A flood of connections must not keep the links waiting: the rest is served in the next round. The driver may
    // also stop this listener from a callback.
    for _ in 0..<Self.burst where transport.listener === self {
      var code: Int32 = 0
      var accepted: Int32 = -1
      let remote = SocketAddress.read { address, size in
        accepted = accept(socket.descriptor, address, size)
        code = errno
        return accepted >= 0
      }
      if accepted >= descriptorLimit {
        Socket(accepted: accepted).resetOnClose()
        return pause(.system(SystemCallFailure("accept", code: EMFILE)))
      } else if accepted >= 0 {
        resumed()
        admit(Socket(accepted: accepted), remote)
      } else if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) {
        return pause(.system(SystemCallFailure("accept", code: code)))
      } else if code == EAGAIN {
        return resumed()
      }
    }
  }

  private func admit(_ socket: consuming Socket, _ remote: SocketAddress?) {
    // A refused stranger must cost little: a reset leaves no TIME_WAIT and comes before TLS.
    guard let remote else { return socket.resetOnClose() }
    let isRefused = !transport.admit(SocketStream(socket), from: remote)
    if isRefused, door.note(refusalOf: remote.host, at: transport.loop.now) { shut() }
  }

  /// Lets the kernel refuse whom the door is shut to.
  private func shut() {
    let members = door.isForMembers ? transport.delegate?.memberHosts ?? [] : nil
    socket.attach(SocketFilter(refusing: door.shutOut, sparing: members))
    transport.updateTimer()
  }

  /// The kernel gives the lowest free number, so a connection with a high one means that few are left.
  private static func descriptorLimit(reserving reserve: Int32) -> Int32 {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
    let count = Int32(clamping: limit.rlim_cur)
    // A process that may have few altogether needs fewer for itself.
    return count - min(reserve, count / 4)
  }

  private func pause(_ failure: TransportFailure) {
    let isNew = retryAt == nil
    retryAt = transport.loop.now + transport.configuration.acceptPause
    try? transport.loop.rewatch(socket.descriptor, for: [])
    transport.updateTimer()
    if isNew { transport.delegate?.listenerPaused(failure) }
  }

  private func resumed() {
    guard retryAt != nil else { return }
    retryAt = nil
    try? transport.loop.rewatch(socket.descriptor, for: .readable)
    transport.updateTimer()
    transport.delegate?.listenerResumed()
  }

  /// Opens the door, and tries again when the pause is over.
  func expire(at now: UInt64) {
    if door.open(at: now) { socket.detachFilter() }
    if let retryAt, retryAt <= now { handle(.readable) }
  }

  /// Ends the pause because a descriptor became free.
  func resumeEarly() {
    if retryAt != nil { retryAt = transport.loop.now }
  }
}

extension SecureTransport {
  /// Serves a connection from outside, if the gate has a place for it; false if it has none.
  func admit(_ stream: any ByteStream, from remote: SocketAddress) -> Bool {
    let id = nextLinkID()
    do throws(AdmissionGate.Refusal) {
      try takePlace(id, remote.host)
    } catch {
      delegate?.strangerRefused(remote, error)
      stream.close(discarding: true)
      return false
    }
    do throws(TransportFailure) {
      links[id] = try SecureLink(stream, id: id, remote: remote, dial: nil, transport: self)
      updateTimer()
    } catch {
      gate.release(id)
    }
    return true
  }

  private func takePlace(_ id: LinkID, _ host: SocketAddress.Host) throws(AdmissionGate.Refusal) {
    let evicted = try gate.enter(id, from: host, at: loop.now) { [delegate] in
      delegate?.isMember(at: host) ?? false
    }
    if let evicted { links[evicted]?.evict() }
  }

  /// Listens on `address` and returns it with the port, which the system chose when that of `address` is 0.
  ///
  /// ``SocketAddress/any(port:)`` takes IPv6 and IPv4, or IPv4 alone on a machine without IPv6.
  package func listen(on address: SocketAddress) throws(TransportFailure) -> SocketAddress {
    loop.checkIsolated()
    stopListening()
    if let medium {
      return try medium.listen(on: address, loop: loop) { [weak self] in _ = self?.admit($0, from: $1) }
    }
    let listener = try makeListener(address)
    self.listener = listener
    return address.with(port: listener.localAddress?.port ?? address.port)
  }

  /// Accepts nothing more; links stay.
  func stopListening() {
    medium?.stopListening()
    listener?.stop()
    listener = nil
  }

  private func makeListener(_ address: SocketAddress) throws(TransportFailure) -> Listener {
    do throws(TransportFailure) {
      return try Listener(on: address, transport: self)
    } catch .system(let failure) {
      let isIPv6Missing = failure.code == EAFNOSUPPORT || failure.code == EADDRNOTAVAIL
      guard address.host == SocketAddress.any(port: 0).host, isIPv6Missing else {
        throw .system(failure)
      }
      return try Listener(on: SocketAddress(host: .ipv4(0), port: address.port), transport: self)
    }
  }
}
