internal import BasicsLinux
internal import Glibc

/// Whether Avahi's daemon answers, asked over its own socket.
///
/// Its `dns_sd.h` layer cannot be asked: a call of it blocks for as long as D-Bus waits for a hung daemon, 25 s.
package enum DaemonPulse: Equatable, Sendable {
  /// Nobody listens there; the daemon may still be on D-Bus.
  case absent
  case answers
  /// Somebody listens, and does not answer in time.
  case hung

  /// The socket at which the daemon listens (avahi-daemon(8)).
  static let path = "/run/avahi-daemon/socket"
  /// How long an answer may take.
  static let patience: Duration = .milliseconds(1500)

  /// Asks, and waits for the answer for as long as `patience`.
  static func take(at path: String = path, patience: Duration = patience) -> DaemonPulse {
    let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return .absent }
    defer { close(socket) }
    guard connect(socket, to: path) else {
      // The daemon takes nobody from a full queue.
      return errno == EAGAIN ? .hung : .absent
    }
    let question = "HELP\n"
    guard send(socket, question, question.utf8.count, Int32(MSG_NOSIGNAL)) > 0 else { return .hung }
    var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, milliseconds(until: .now + patience)) > 0 ? .answers : .hung
  }

  private static func connect(_ socket: Int32, to path: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }
}
