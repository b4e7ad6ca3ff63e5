#if Avahi
internal import CAvahiCore

/// The functions of libavahi-core, loaded at its first use and never unloaded.
///
/// A program starts where the library is not installed, and has no embedded back-end there.
struct AvahiCore: @unchecked Sendable {
  /// The functions under their names without `avahi_`; pointers to code, which never change.
  let call: avahi_core

  /// The library, or the reason why it cannot be used, with what to install.
  static let shared: Result<AvahiCore, DiscoveryError> = load()

  /// Avahi's words for one of its errors.
  func text(of error: Int32) -> String { call.strerror(error).map { String(cString: $0) } ?? "error \(error)" }

  private static func load() -> Result<AvahiCore, DiscoveryError> {
    var functions = avahi_core()
    if let missing = avahi_core_load(&functions) {
      return .failure(
        .unavailable(
          reason: "the embedded responder needs \(String(cString: missing)); install the Debian package libavahi-core7")
      )
    }
    // avahi-core would write every message to standard error.
    functions.set_log_function { _, _ in }
    return .success(AvahiCore(call: functions))
  }
}
#endif
