#if Avahi
internal import CDNSSD

/// One open question to Avahi's daemon through its `dns_sd.h` layer.
///
/// The layer gives each a thread and a D-Bus connection, so there should be few. Confined to the thread that calls
/// ``process()``; it may be closed from the callback of another reference, not from its own.
final class DaemonReference: RecordQuery {
  /// An event of the daemon.
  enum Reply {
    /// A service is there, or there no longer, on an interface.
    case service(name: String, interface: UInt32, isPresent: Bool)
    /// Our service is published under a name.
    case registered(name: String)
    /// A record has the data.
    case record(data: [UInt8], interface: UInt32)
    /// The query has failed permanently.
    case failure(DNSServiceErrorType)
  }

  private let library: DaemonLibrary
  private var reference: DNSServiceRef?
  private let onReply: (Reply) -> Void

  private init(library: DaemonLibrary, onReply: @escaping (Reply) -> Void) {
    self.library = library
    self.onReply = onReply
  }

  /// The descriptor that is readable when ``process()`` has something to do; `nil` once closed.
  var fileDescriptor: Int32? { reference.map { library.fileDescriptor($0) } }

  /// Handles the pending replies; returns whether the reference still works.
  func process() -> Bool {
    guard let reference else { return true }
    return library.processResult(reference) == DNSServiceErrorType(kDNSServiceErr_NoError)
  }

  func close() {
    guard let reference else { return }
    self.reference = nil
    library.deallocate(reference)
  }

  /// Watches for services of a type.
  static func browse(
    _ type: ServiceType, onReply: @escaping (Reply) -> Void
  ) throws(DaemonFailure) -> DaemonReference {
    try open(onReply) { library, reference, context in
      library.browse(&reference, 0, 0, type.dnsName, "local", takeService, context)
    }
  }

  /// Publishes a service; the daemon renames it if somebody on the network has the name.
  static func register(
    _ advertisement: Advertisement, onReply: @escaping (Reply) -> Void
  ) throws(DaemonFailure) -> DaemonReference {
    let instance = advertisement.instance
    let text = advertisement.info.encoded
    return try open(onReply) { library, reference, context in
      library.register(
        &reference, 0, 0, instance.name, instance.type.dnsName, instance.domain, nil, advertisement.port.bigEndian,
        UInt16(text.count), text, takeRegistration, context)
    }
  }

  /// Asks for the records of a name.
  static func query(
    _ name: String, _ type: RecordType, onReply: @escaping (Reply) -> Void
  ) throws(DaemonFailure) -> DaemonReference {
    try open(onReply) { library, reference, context in
      library.queryRecord(
        &reference, 0, 0, name, type.rawValue, UInt16(kDNSServiceClass_IN), takeRecord, context)
    }
  }

  /// Replaces the TXT record of a registration; returns whether the daemon accepted it.
  func update(_ info: DiscoveryInfo) -> Bool {
    guard let reference else { return false }
    let text = info.encoded
    // A null record means the TXT record; Avahi supports no other.
    let error = library.updateRecord(reference, nil, 0, UInt16(text.count), text, 0)
    return error == DNSServiceErrorType(kDNSServiceErr_NoError)
  }

  private static func open(
    _ onReply: @escaping (Reply) -> Void,
    _ call: (DaemonLibrary, inout DNSServiceRef?, UnsafeMutableRawPointer) -> DNSServiceErrorType
  ) throws(DaemonFailure) -> DaemonReference {
    let opened = DaemonReference(library: try DaemonLibrary.shared.get(), onReply: onReply)
    let error = call(opened.library, &opened.reference, Unmanaged.passUnretained(opened).toOpaque())
    guard error == DNSServiceErrorType(kDNSServiceErr_NoError) else {
      opened.reference = nil
      throw .code(error)
    }
    return opened
  }

  fileprivate func reply(_ error: DNSServiceErrorType, _ reply: @autoclosure () -> Reply?) {
    if error != DNSServiceErrorType(kDNSServiceErr_NoError) {
      onReply(.failure(error))
    } else if let reply = reply() {
      onReply(reply)
    }
  }
}

private func reference(_ context: UnsafeMutableRawPointer?) -> DaemonReference? {
  context.map { Unmanaged<DaemonReference>.fromOpaque($0).takeUnretainedValue() }
}

private func takeService(
  _: DNSServiceRef?, flags: DNSServiceFlags, interface: UInt32, error: DNSServiceErrorType,
  name: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, context: UnsafeMutableRawPointer?
) {
  reference(context)?.reply(
    error,
    name.flatMap { String(validatingCString: $0) }.map {
      .service(name: $0, interface: interface, isPresent: flags & UInt32(kDNSServiceFlagsAdd) != 0)
    })
}

private func takeRegistration(
  _: DNSServiceRef?, _: DNSServiceFlags, error: DNSServiceErrorType, name: UnsafePointer<CChar>?,
  _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, context: UnsafeMutableRawPointer?
) {
  reference(context)?.reply(error, name.flatMap { String(validatingCString: $0) }.map { .registered(name: $0) })
}

private func takeRecord(
  _: DNSServiceRef?, flags: DNSServiceFlags, interface: UInt32, error: DNSServiceErrorType,
  _: UnsafePointer<CChar>?, _: UInt16, _: UInt16, length: UInt16, data: UnsafeRawPointer?, _: UInt32,
  context: UnsafeMutableRawPointer?
) {
  guard error != DNSServiceErrorType(kDNSServiceErr_NoError) || flags & UInt32(kDNSServiceFlagsAdd) != 0 else { return }
  reference(context)?.reply(
    error,
    data.map { .record(data: Array(UnsafeRawBufferPointer(start: $0, count: Int(length))), interface: interface) })
}
#endif
