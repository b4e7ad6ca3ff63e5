import BasicsLinux
import CLinux

/// The thread on which handshakes of strangers are computed; it gives way to the threads of the members' links.
///
/// A step is one call of OpenSSL that takes up to some tenths of a millisecond and cannot be divided. The thread starts with the
/// first of them.
final class HandshakeThread {
  private let owner: EventLoop
  private var loop: EventLoop?

  /// The thread of the transport on a loop, with which it ends.
  init(of owner: EventLoop) {
    self.owner = owner
  }

  /// Takes a step there after all those before it, or here where no thread can be started.
  func run(_ step: @escaping @Sendable () -> Void) {
    if loop == nil {
      loop = try? owner.makeHelper(named: "sharedworld-tls")
      loop?.execute { linux_give_way() }
    }
    guard let loop else { return step() }
    loop.execute(step)
  }
}
