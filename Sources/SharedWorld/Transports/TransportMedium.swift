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
      return ConnectionStream(try transport.connect(to: Endpoint(address)), isOpen: false)
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
      let endpoint = try transport.listen(at: Endpoint(address)) { connection, remote in
        guard let remote = SocketAddress(remote) else { return connection.close() }
        loop.execute { accept(ConnectionStream(connection, isOpen: true), remote) }
      }
      guard let listening = SocketAddress(endpoint) else {
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

extension Endpoint {
  init(_ address: SocketAddress) { self.init(host: address.host.description, port: address.port) }
}

extension SocketAddress {
  /// The address of an endpoint that needs no look-up; nil for a name.
  init?(_ endpoint: Endpoint) {
    guard let host = Host(endpoint.host) else { return nil }
    self.init(host: host, port: endpoint.port)
  }
}
