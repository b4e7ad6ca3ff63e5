#if Avahi
internal import CAvahiCore
internal import CDNSSD
internal import Glibc

/// The functions of `dns_sd.h`, loaded from Avahi's compatibility library at run time.
///
/// It needs a symbol scope of its own. libavahi-client, below it, and libavahi-core, which the embedded back-end
/// loads, both export a function `avahi_entry_group_free` with different parameters; in one symbol scope the client
/// calls the core's and crashes. `RTLD_DEEPBIND` gives the library a scope of its own. It also makes the library
/// optional: without it there is no daemon, and the embedded back-end works.
struct DaemonLibrary: Sendable {
  typealias Reference = UnsafeMutablePointer<DNSServiceRef?>
  typealias Text = UnsafePointer<CChar>
  typealias Context = UnsafeMutableRawPointer

  typealias Browse =
    @convention(c) (
      Reference?, DNSServiceFlags, UInt32, Text?, Text?, DNSServiceBrowseReply?, Context?
    ) -> DNSServiceErrorType
  typealias Register =
    @convention(c) (
      Reference?, DNSServiceFlags, UInt32, Text?, Text?, Text?, Text?, UInt16, UInt16, UnsafeRawPointer?,
      DNSServiceRegisterReply?, Context?
    ) -> DNSServiceErrorType
  typealias QueryRecord =
    @convention(c) (
      Reference?, DNSServiceFlags, UInt32, Text?, UInt16, UInt16, DNSServiceQueryRecordReply?, Context?
    ) -> DNSServiceErrorType
  typealias UpdateRecord =
    @convention(c) (
      DNSServiceRef?, DNSRecordRef?, DNSServiceFlags, UInt16, UnsafeRawPointer?, UInt32
    ) -> DNSServiceErrorType

  let browse: Browse
  let register: Register
  let queryRecord: QueryRecord
  let updateRecord: UpdateRecord
  let fileDescriptor: @convention(c) (DNSServiceRef?) -> Int32
  let processResult: @convention(c) (DNSServiceRef?) -> DNSServiceErrorType
  let deallocate: @convention(c) (DNSServiceRef?) -> Void

  /// The library, loaded at its first use and never unloaded; or why it cannot be used.
  static let shared: Result<DaemonLibrary, DaemonFailure> = load()

  private static func load() -> Result<DaemonLibrary, DaemonFailure> {
    // The run-time libraries of the sanitizers end the process when they see RTLD_DEEPBIND.
    let everything = dlopen(nil, RTLD_NOW)
    guard dlsym(everything, "__asan_init") == nil, dlsym(everything, "__tsan_init") == nil else {
      return .failure(.missingLibrary("it cannot be loaded under a sanitizer"))
    }
    clearAvahiMemory()
    // The library advises on standard error to use another one, unless this variable is set. setenv(3) is not safe
    // beside a thread that reads the environment at that moment; it happens once, and not if the app has set it.
    setenv("AVAHI_COMPAT_NOWARN", "1", 0)
    guard let library = dlopen("libdns_sd.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) else {
      return .failure(.missingLibrary("Debian has it as libavahi-compat-libdnssd1"))
    }
    guard let loaded = DaemonLibrary(library) else {
      return .failure(.missingLibrary("the installed one lacks a function"))
    }
    return .success(loaded)
  }

  /// Makes Avahi's libraries get their memory cleared.
  ///
  /// The compatibility layer of Avahi 0.8 does not initialise the callbacks of a reference. When the daemon dies, it
  /// calls those that seem to be set, and in memory that was used before they all do (seen as a crash in the LAN lab).
  private static func clearAvahiMemory() {
    let allocator = UnsafeMutablePointer<AvahiAllocator>.allocate(capacity: 1)
    allocator.initialize(
      to: AvahiAllocator(
        malloc: { calloc(1, $0) }, free: { free($0) }, realloc: { realloc($0, $1) }, calloc: { calloc($0, $1) }))
    avahi_common_set_allocator(allocator)  // Avahi retains the pointer for the life of the process.
  }

  private init?(_ library: UnsafeMutableRawPointer) {
    func function<Function>(_ name: String, _: Function.Type = Function.self) -> Function? {
      dlsym(library, name).map { unsafeBitCast($0, to: Function.self) }
    }
    guard let browse: Browse = function("DNSServiceBrowse"),
      let register: Register = function("DNSServiceRegister"),
      let queryRecord: QueryRecord = function("DNSServiceQueryRecord"),
      let updateRecord: UpdateRecord = function("DNSServiceUpdateRecord"),
      let fileDescriptor = function("DNSServiceRefSockFD", (@convention(c) (DNSServiceRef?) -> Int32).self),
      let processResult = function(
        "DNSServiceProcessResult", (@convention(c) (DNSServiceRef?) -> DNSServiceErrorType).self),
      let deallocate = function("DNSServiceRefDeallocate", (@convention(c) (DNSServiceRef?) -> Void).self)
    else { return nil }
    self.browse = browse
    self.register = register
    self.queryRecord = queryRecord
    self.updateRecord = updateRecord
    self.fileDescriptor = fileDescriptor
    self.processResult = processResult
    self.deallocate = deallocate
  }
}

/// Why the daemon cannot be used.
enum DaemonFailure: Error, CustomStringConvertible {
  /// The compatibility library cannot be loaded.
  case missingLibrary(String)

  /// The library answers with one of the `kDNSServiceErr` codes.
  case code(DNSServiceErrorType)

  /// The layer's only word for a daemon or a D-Bus that is missing or has died.
  static let unknown = DaemonFailure.code(DNSServiceErrorType(kDNSServiceErr_Unknown))

  /// Whether the name is taken by another app of this machine.
  var isNameConflict: Bool {
    if case .code(let code) = self { code == DNSServiceErrorType(kDNSServiceErr_NameConflict) } else { false }
  }

  var description: String {
    switch self {
    case .missingLibrary(let reason): "the library libdns_sd.so.1 is missing: \(reason)"
    case .code(let code):
      code == DNSServiceErrorType(kDNSServiceErr_Unknown)
        ? "avahi-daemon is not running" : "avahi-daemon answers with error \(code)"
    }
  }
}
#endif
