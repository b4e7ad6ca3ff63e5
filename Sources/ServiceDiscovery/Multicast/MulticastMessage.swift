/// Messages of multicast DNS (RFC 6762), as far as they are sent and read beside a responder.
enum MulticastMessage {
  /// A question for the records of some names, each in label form.
  static func question(for names: [[UInt8]], _ type: RecordType) -> [UInt8] {
    // A number and flags of zero, the questions, and no records (RFC 1035 §4.1.1).
    let head: [UInt8] = [0, 0, 0, 0, UInt8(names.count >> 8), UInt8(names.count & 0xFF), 0, 0, 0, 0, 0, 0]
    return head + names.flatMap { $0 + [0, UInt8(type.rawValue), 0, 1] }
  }

  /// A response that withdraws the pointer of a service (RFC 6762 §10.1: a lifetime of 0).
  static func goodbye(_ instance: ServiceInstance) -> [UInt8] {
    let target = instance.labels
    // An authoritative response with one record: class IN, lifetime 0.
    let head: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0]
    let length = [UInt8(target.count >> 8), UInt8(target.count & 0xFF)]
    return head + instance.type.labels + [0, UInt8(RecordType.pointer.rawValue), 0, 1, 0, 0, 0, 0] + length + target
  }

  /// The records of a response, in their order, up to the first malformed one; none of a question.
  static func records(in datagram: some Collection<UInt8>) -> [MulticastRecord] {
    var reader = MulticastReader(datagram)
    return reader.records()
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
