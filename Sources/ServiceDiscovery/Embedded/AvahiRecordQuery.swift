#if Avahi
internal import CAvahiCore

/// A question to the embedded responder.
final class AvahiRecordQuery: RecordQuery {
  private let avahi: AvahiCore
  private var browser: OpaquePointer?
  private let onAnswer: ([UInt8], UInt32) -> Void

  /// Asks `server` for records on every interface; `nil` if it refuses the name.
  init?(
    _ avahi: AvahiCore, server: OpaquePointer, name: String, type: RecordType,
    onAnswer: @escaping ([UInt8], UInt32) -> Void
  ) {
    self.avahi = avahi
    self.onAnswer = onAnswer
    guard let key = avahi.call.key_new(name, UInt16(AVAHI_DNS_CLASS_IN), type.rawValue) else { return nil }
    defer { avahi.call.key_unref(key) }
    browser = avahi.call.s_record_browser_new(
      server, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), key, AVAHI_LOOKUP_USE_MULTICAST,
      takeRecord, Unmanaged.passUnretained(self).toOpaque())
    guard browser != nil else { return nil }
  }

  func close() {
    guard let browser else { return }
    avahi.call.s_record_browser_free(browser)
    self.browser = nil
  }

  fileprivate func take(_ record: UnsafeMutablePointer<AvahiRecord>, interface: AvahiIfIndex) {
    // Record data is at most 65,535 bytes by its 16-bit length; a larger buffer cannot be needed.
    let data = [UInt8](unsafeUninitializedCapacity: 65_535) { buffer, count in
      let size = avahi.call.rdata_serialize(record, buffer.baseAddress, buffer.count)
      count = size <= buffer.count ? size : 0
    }
    onAnswer(data, UInt32(max(0, interface)))
  }
}

private func takeRecord(
  _: OpaquePointer?, interface: AvahiIfIndex, _: AvahiProtocol, event: AvahiBrowserEvent,
  record: UnsafeMutablePointer<AvahiRecord>?, _: AvahiLookupResultFlags, context: UnsafeMutableRawPointer?
) {
  guard event == AVAHI_BROWSER_NEW, let record, let context else { return }
  Unmanaged<AvahiRecordQuery>.fromOpaque(context).takeUnretainedValue().take(record, interface: interface)
}
#endif
