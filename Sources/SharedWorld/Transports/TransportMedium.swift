import Basics
import BasicsLinux
import Glibc
import PeerTransport

/// Makes the links of a session by an app's transport.
final class TransportMedium: LinkMedium {
  private let transport: any Transport

  init(_ transport: any Transport) { self.transport = transport }

  func connect(to address: SocketAddress) throws(TransportFailure) -> any ByteStream {
    do {
      return ConnectionStream(try transport.connect(to: PeerAddress(address)), isOpen: false)
    } catch {
      throw TransportFailure(own: error)
    }
  }

  func listen(
    on address: SocketAddress, loop: EventLoop,
    _ accept: @escaping (any ByteStream, _ remote: SocketAddress) -> Void
  ) throws(TransportFailure) -> SocketAddress {
    // It is called on the loop alone, where it was made.
    nonisolated(unsafe) let accept = accept
    do {
      let address = try transport.listen(at: PeerAddress(address)) { connection, remote in
        guard let remote = SocketAddress(remote) else { return connection.close() }
        loop.execute { accept(ConnectionStream(connection, isOpen: true), remote) }
      }
      guard let listening = SocketAddress(address) else {
        throw TransportFailure.system(SystemCallFailure("listen", code: EADDRNOTAVAIL))
      }
      return listening
    } catch {
      throw TransportFailure(own: error)
    }
  }

  func stopListening() { transport.stopListening() }
}

extension TransportFailure {
  /// The failure of an app's transport.
  init(own error: any Error) {
    self = (error as? TransportFailure) ?? .medium("\(error)")
  }
}

extension PeerAddress {
  init(_ address: SocketAddress) { self.init(host: address.host.description, port: address.port) }
}

extension SocketAddress {
  /// The address of an address that needs no look-up; nil for a name.
  init?(_ address: PeerAddress) {
    guard let host = Host(address.host) else { return nil }
    self.init(host: host, port: address.port)
  }
}
