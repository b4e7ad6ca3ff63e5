#if Avahi
internal import Basics
internal import BasicsLinux
internal import CAvahiCore

/// Publishes one service through the embedded responder, with a host name of its own.
///
/// Several responders share this machine: each takes a random host name and publishes the machine's addresses under
/// it without reverse records, for which they would otherwise fight until all withdraw. Confined to the thread of the
/// responder.
final class EmbeddedPublisher {
  /// An event of the publisher.
  enum Report {
    case established(ServiceInstance)
    case failed(String)
  }

  /// After this many consecutive conflicts a host on the network claims every name: give up.
  private static let maximumRenames = 100
  /// How long others keep the records of the service (seconds).
  ///
  /// RFC 6762 §10 recommends 75 minutes for most, for which a peer that crashed would stay in every list.
  private static let lifetime: UInt32 = 120

  private let avahi: AvahiCore
  private let server: OpaquePointer
  private var advertisement: Advertisement
  private var renames = 0
  private var addresses: [InterfaceAddress]
  private var addressGroup: EntryGroup?
  private var serviceGroup: EntryGroup?
  private let report: (Report) -> Void

  /// Prepares to publish `advertisement`; nothing happens before ``publish()``.
  init(
    _ avahi: AvahiCore, server: OpaquePointer, advertisement: Advertisement, addresses: [InterfaceAddress],
    _ report: @escaping (Report) -> Void
  ) {
    self.avahi = avahi
    self.server = server
    self.advertisement = advertisement
    self.addresses = addresses
    self.report = report
    addressGroup = EntryGroup(avahi, server: server) { [unowned self] state in
      if state == AVAHI_ENTRY_GROUP_COLLISION { takeOtherHostName() }
    }
    serviceGroup = EntryGroup(avahi, server: server) { [unowned self] state in
      switch state {
      case AVAHI_ENTRY_GROUP_ESTABLISHED:
        renames = 0
        self.report(.established(self.advertisement.instance))
      case AVAHI_ENTRY_GROUP_COLLISION: rename()
      default: break
      }
    }
  }

  /// Publishes the addresses and the service, or replaces those published before.
  func publish() {
    publishAddresses()
    publishService()
  }

  /// Publishes other addresses, because those of the machine have changed.
  func update(_ addresses: [InterfaceAddress]) {
    guard addresses != self.addresses else { return }
    self.addresses = addresses
    publishAddresses()
  }

  /// Replaces the TXT record.
  func update(_ info: DiscoveryInfo) {
    guard info != advertisement.info else { return }
    advertisement.info = info
    let error = serviceGroup?.modify { addText(to: $0, AVAHI_PUBLISH_UPDATE) }
    if let error { check(error) }
  }

  /// A host name that no other responder has: 12 random hexadecimal digits.
  static func randomHostName() -> String {
    let digits = String(UInt64.random(in: 0..<1 << 48), radix: 16)
    return "sw-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  private func publishAddresses() {
    let error = addressGroup?.publish { group in
      for address in addresses {
        var value = AvahiAddress(address.host)
        let error = avahi.call.server_add_address(
          server, group, AvahiIfIndex(address.interface), AvahiProtocol(AVAHI_PROTO_UNSPEC), AVAHI_PUBLISH_NO_REVERSE,
          nil, &value)
        guard error >= 0 else { return error }
      }
      return 0
    }
    if let error { check(error) }
  }

  private func publishService() {
    let error = serviceGroup?.publish { group in
      let instance = advertisement.instance
      let type = "\(instance.type.dnsName).\(instance.domain)"
      var error = addPointer(to: group, "_services._dns-sd._udp.\(instance.domain)", type)
      if error >= 0 { error = addPointer(to: group, type, instance.recordName) }
      if error >= 0 { error = addLocation(to: group) }
      return error < 0 ? error : addText(to: group)
    }
    if let error { check(error) }
  }

  private func rename() {
    renames += 1
    guard renames <= Self.maximumRenames else {
      report(.failed("a host on the network claims every service name"))
      return
    }
    advertisement = advertisement.renamed()
    publishService()
  }

  private func takeOtherHostName() {
    renames += 1
    guard renames <= Self.maximumRenames, avahi.call.server_set_host_name(server, Self.randomHostName()) >= 0 else {
      report(.failed("a host on the network claims every host name"))
      return
    }
    publish()
  }

  private func check(_ error: Int32) {
    guard error < 0 else { return }
    report(.failed("the service cannot be published: \(avahi.text(of: error))"))
  }

  // MARK: Records

  /// Adds a record that leads from one name to another.
  private func addPointer(to group: OpaquePointer, _ name: String, _ target: String) -> Int32 {
    add(.pointer, name, to: group, noFlags) { record in
      record.pointee.data.ptr.name = avahi.call.strdup(target)
      return record.pointee.data.ptr.name != nil
    }
  }

  /// Adds the record that says on which host and port the service is.
  private func addLocation(to group: OpaquePointer) -> Int32 {
    add(.service, advertisement.instance.recordName, to: group, AVAHI_PUBLISH_UNIQUE) { record in
      record.pointee.data.srv.port = advertisement.port
      record.pointee.data.srv.name = avahi.call.strdup(avahi.call.server_get_host_name_fqdn(server))
      return record.pointee.data.srv.name != nil
    }
  }

  private func addText(to group: OpaquePointer, _ flags: AvahiPublishFlags = noFlags) -> Int32 {
    let flags = AvahiPublishFlags(rawValue: flags.rawValue | AVAHI_PUBLISH_UNIQUE.rawValue)
    return add(.text, advertisement.instance.recordName, to: group, flags) { record in
      let bytes = advertisement.info.encoded
      return avahi.call.string_list_parse(bytes, bytes.count, &record.pointee.data.txt.string_list) >= 0
    }
  }

  /// Adds a record that others keep for ``lifetime``; `fill` sets its data, and returns whether there was memory for them.
  private func add(
    _ type: RecordType, _ name: String, to group: OpaquePointer, _ flags: AvahiPublishFlags,
    _ fill: (UnsafeMutablePointer<AvahiRecord>) -> Bool
  ) -> Int32 {
    let (kind, noMemory) = (UInt16(AVAHI_DNS_CLASS_IN), Int32(AVAHI_ERR_NO_MEMORY))
    guard let record = avahi.call.record_new_full(name, kind, type.rawValue, Self.lifetime) else { return noMemory }
    defer { avahi.call.record_unref(record) }
    guard fill(record) else { return noMemory }
    return avahi.call.server_add(
      server, group, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), flags, record)
  }
}

private let noFlags = AvahiPublishFlags(rawValue: 0)

extension AvahiAddress {
  fileprivate init(_ host: SocketAddress.Host) {
    self.init()
    switch host {
    case .ipv4: proto = AvahiProtocol(AVAHI_PROTO_INET)
    case .ipv6: proto = AvahiProtocol(AVAHI_PROTO_INET6)
    }
    withUnsafeMutableBytes(of: &data) { $0.copyBytes(from: host.bytes) }
  }
}
#endif
