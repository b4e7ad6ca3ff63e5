/// The few bytes of multicast DNS (RFC 6762) that a diagnosis sends and looks at.
enum MulticastMessage {
  /// The question for the pointers of these names, such as `_sharedworld._tcp.local`.
  static func question(for names: [String]) -> [UInt8] {
    // A number and flags of zero, the questions, and no records (RFC 1035 §4.1.1).
    var bytes: [UInt8] = [0, 0, 0, 0, 0, UInt8(names.count), 0, 0, 0, 0, 0, 0]
    for name in names {
      for label in name.split(separator: ".") { bytes += [UInt8(label.utf8.count)] + Array(label.utf8) }
      bytes += [0, 0, UInt8(RecordType.pointer.rawValue), 0, 1]
    }
    return bytes
  }

  /// Whether a datagram is an answer that names a type of service, such as `_sharedworld._tcp`, anywhere.
  ///
  /// Names may be compressed, so the first label is looked for; that a stranger can forge one does no harm here.
  static func answers(_ datagram: some Collection<UInt8>, naming type: String) -> Bool {
    let bytes = Array(datagram)
    guard bytes.count > 12, bytes[2] & 0x80 != 0, let label = type.split(separator: ".").first else { return false }
    let wanted = [UInt8(label.utf8.count)] + Array(label.utf8)
    return bytes.indices.dropLast(wanted.count - 1).contains { bytes[$0...].starts(with: wanted) }
  }
}
