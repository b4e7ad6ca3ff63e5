import Foundation
import SharedWorld
import Synchronization
import TestSupport
import Testing

/// Connections over Unix sockets, of which each peer has one in a folder: for peers in containers of one machine.
///
/// A peer is known as 192.0.2.1 with the number of its socket as the port; nobody reaches it by that address.
final class UnixTransport: Transport {
  private let folder: String
  private let listener = Mutex<(descriptor: Int32, number: UInt16)?>(nil)

  init(folder: String) { self.folder = folder }

  func listen(
    at address: PeerAddress, _ accept: @escaping @Sendable (any TransportConnection, _ remote: PeerAddress) -> Void
  ) throws -> PeerAddress {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let number = try #require((1...UInt16.max).first { call(bind, descriptor, $0) })
    guard Glibc.listen(descriptor, 16) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    listener.withLock { $0 = (descriptor, number) }
    Thread.detachNewThread {
      while case let accepted = Glibc.accept(descriptor, nil, nil), accepted >= 0 {
        var number = Data(repeating: 0, count: 2)
        _ = number.withUnsafeMutableBytes { recv(accepted, $0.baseAddress, 2, Int32(truncatingIfNeeded: MSG_WAITALL)) }
        accept(UnixConnection(accepted), Self.address(UInt16(number[0]) << 8 | UInt16(number[1])))
      }
    }
    return Self.address(number)
  }

  func stopListening() {
    guard let (descriptor, number) = listener.withLock({ $0.take() }) else { return }
    shutdown(descriptor, Int32(SHUT_RDWR))
    unlink("\(folder)/\(number)")
  }

  func connect(to address: PeerAddress) throws -> any TransportConnection {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard call(Glibc.connect, descriptor, address.port) else { throw POSIXError(.ECONNREFUSED) }
    // Who connects says first by which number others reach it.
    let number = listener.withLock { $0?.number ?? 0 }
    _ = [UInt8(number >> 8), UInt8(number & 0xFF)].withUnsafeBytes { send(descriptor, $0.baseAddress, 2, 0) }
    return UnixConnection(descriptor)
  }

  private static func address(_ number: UInt16) -> PeerAddress { PeerAddress(host: "192.0.2.1", port: number) }

  /// Binds or connects a socket to the file of a number.
  private func call(
    _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ descriptor: Int32, _ number: UInt16
  ) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = "\(folder)/\(number)".utf8
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.prefix($0.count - 1)) }
    return withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }
}

/// One connected socket: a thread reads it, a queue writes to it.
final class UnixConnection: TransportConnection {
  private let file: FileHandle
  private let writer = DispatchQueue(label: "unix-writer")
  private let handler = Mutex<(@Sendable (TransportEvent) -> Void)?>(nil)
  private let mayReceive = NSCondition()
  private nonisolated(unsafe) var isReceiving = true

  init(_ descriptor: Int32) { file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true) }

  func open(_ handler: @escaping @Sendable (TransportEvent) -> Void) {
    self.handler.withLock { $0 = handler }
    tell(.opened)
    Thread.detachNewThread { [self] in
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while case let count = recv(file.fileDescriptor, &buffer, buffer.count, 0), count > 0 {
        mayReceive.withLock { while !isReceiving { mayReceive.wait() } }
        tell(.received(Array(buffer[..<count])))
      }
      tell(.closed)
    }
  }

  func send(_ bytes: [UInt8]) {
    writer.async { [self] in
      let sent = bytes.withUnsafeBytes {
        Glibc.send(file.fileDescriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      tell(sent == bytes.count ? .sent(sent) : .failed(POSIXError(.EPIPE)))
    }
  }

  func setReceiving(_ isReceiving: Bool) {
    mayReceive.withLock {
      self.isReceiving = isReceiving
      mayReceive.signal()
    }
  }

  func close() {
    handler.withLock { $0 = nil }
    writer.async { [self] in shutdown(file.fileDescriptor, Int32(SHUT_RDWR)) }
    setReceiving(true)
  }

  private func tell(_ event: TransportEvent) { handler.withLock { $0?(event) } }
}

@Suite("A transport of an app's own", .endsHangs)
struct UnixTransportTests {
  @Test("two peers share an anchor over Unix sockets")
  func anchor() async throws {
    let name = "sharedworld-unix-\(UInt32.random(in: 0...(.max)))"
    let folder = FileManager.default.temporaryDirectory.appending(path: name).path()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var configuration = Session.Configuration(service: "swexample")
    configuration.discovery.mode = .none
    configuration.transport = .custom { UnixTransport(folder: folder) }
    configuration.invitations.incoming = .all
    configuration.storage.folder = folder + "/alice"
    try await Session.withSession(named: "alice", configuration: configuration) { [configuration] alice in
      var configuration = configuration
      configuration.storage.folder = folder + "/bob"
      try await Session.withSession(named: "bob", configuration: configuration) { bob in
        _ = try await alice.peers.invite(.address(PeerAddress(host: "192.0.2.1", port: bob.port)))
        try await alice.place(Anchor(name: "lamp", transform: .identity))
        for await case .change(let change) in bob.world.changes() where change.anchor.name == "lamp" { break }
      }
    }
  }
}
