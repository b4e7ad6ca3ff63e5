internal import Basics
internal import BasicsLinux

/// The sockets by which multicast DNS is heard and asked beside a responder: one for each interface and IP version.
///
/// Confined to one thread.
final class MulticastEar {
  /// Datagrams that one socket gives at a time, so that a flood on one does not deafen the others.
  private static let burst = 8

  private var sockets: [(interface: UInt32, socket: MulticastSocket)] = []
  /// Sockets that wait for answers to a question of their own.
  private var questions: [(end: ContinuousClock.Instant, socket: MulticastSocket)] = []
  /// Whether every interface is listened to: only then is silence a sign.
  private(set) var isComplete = false
  /// Messages that the sockets had dropped at the last look.
  private var dropped: UInt64 = 0

  /// Opens a socket for each interface that can multicast now; those of before are closed.
  func open() {
    let paths = MulticastPath.all()
    sockets = paths.compactMap { path in
      MulticastSocket(isIPv4: path.isIPv4, .group(path.interface)).map { (path.interface, $0) }
    }
    isComplete = !paths.isEmpty && sockets.count == paths.count
    dropped = 0
  }

  /// Whether more has come since the last look than could be read: silence is no sign then.
  func hasMissedMessages() -> Bool {
    let former = dropped
    dropped = sockets.reduce(0) { $0 + UInt64($1.socket.dropped) }
    return dropped != former
  }

  /// The descriptors to poll.
  var descriptors: [Int32] { sockets.map(\.socket.descriptor) + questions.map(\.socket.descriptor) }

  /// When ``receive(at:_:)`` must be called next although nothing has come.
  var deadline: ContinuousClock.Instant? { questions.map(\.end).min() }

  /// Sends a message on every interface; returns whether it has left on one.
  func send(_ message: [UInt8]) -> Bool {
    sockets.map { $0.socket.send(message, on: $0.interface) == nil }.contains(true)
  }

  /// Sends a question whose answers come to this ear alone, and soon: by unicast (RFC 6762 §6.7).
  func ask(_ message: [UInt8], until end: ContinuousClock.Instant) {
    for isIPv4 in [true, false] {
      guard let socket = MulticastSocket(isIPv4: isIPv4, .answers) else { continue }
      for path in MulticastPath.all() where path.isIPv4 == isIPv4 { _ = socket.send(message, on: path.interface) }
      questions.append((end, socket))
    }
  }

  /// Gives every message that has come from a responder to `body`, who sent it, and whether it answers a question of this ear.
  func receive(
    at now: ContinuousClock.Instant, _ body: (ArraySlice<UInt8>, SocketAddress.Host, _ isAnswer: Bool) -> Void
  ) {
    for (_, socket) in sockets { Self.read(socket) { body($0, $1, false) } }
    for (_, socket) in questions { Self.read(socket) { body($0, $1, true) } }
    questions.removeAll { $0.end <= now }
  }

  private static func read(_ socket: MulticastSocket, _ body: (ArraySlice<UInt8>, SocketAddress.Host) -> Void) {
    for _ in 0..<burst {
      guard let (bytes, sender) = socket.receive() else { return }
      // Responses come from the port of the protocol (RFC 6762 §6).
      if sender.port == MulticastSocket.port { body(bytes, sender.host) }
    }
  }
}
