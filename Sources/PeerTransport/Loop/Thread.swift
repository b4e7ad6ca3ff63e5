import CLinux
import Glibc

/// POSIX threads, as far as the loop needs them.
enum Thread {
  private final class Start {
    let name: String
    let body: () -> Void

    init(name: String, body: @escaping () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Starts a thread that must be joined or detached; its name is cut to the kernel's 15 bytes.
  static func start(named name: String, _ body: @escaping @Sendable () -> Void) throws(TransportFailure) -> pthread_t {
    var thread = pthread_t()
    let start = Unmanaged.passRetained(Start(name: String(name.utf8.prefix(15)) ?? "", body: body))
    let code = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        linux_name_thread(start.name)
        start.body()
        return nil
      }, start.toOpaque())
    guard code == 0 else {
      start.release()
      throw .system(call: "pthread_create", code: code)
    }
    return thread
  }
}
