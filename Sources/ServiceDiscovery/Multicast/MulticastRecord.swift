internal import CLinux

/// A record of a response (RFC 1035 §3.2.1), with its names in label form.
struct MulticastRecord: Equatable {
  /// The name that the record is of.
  let owner: [UInt8]
  /// The type; of those that are not known here, nothing is read.
  let type: RecordType
  /// How long the record may be kept (seconds); 0 withdraws it.
  let lifetime: UInt32
  /// The data, with the target of a pointer and the host of a service in label form.
  let data: [UInt8]

  /// The service that the record is of or points to; `nil` when it is of something else.
  func instance(of type: ServiceType) -> ServiceInstance? {
    switch self.type {
    case .pointer:
      DomainName.areEqual(owner, type.labels) ? ServiceInstance(labels: data, type: type) : nil
    case .service, .text: ServiceInstance(labels: owner, type: type)
    case .address, .address6: nil
    }
  }
}

/// Reads a response.
///
/// The C library unpacks names: it follows compression within the message and without a loop.
struct MulticastReader {
  private let bytes: [UInt8]
  private var position = 12

  init(_ datagram: some Collection<UInt8>) { bytes = Array(datagram) }

  /// The records up to the first malformed one.
  mutating func records() -> [MulticastRecord] {
    // A response (1) to a query (0) without an error (0), as every other message is ignored (RFC 6762 §18).
    guard bytes.count >= position, bytes[2] & 0xF8 == 0x80, bytes[3] & 0x0F == 0 else { return [] }
    for _ in 0..<word(at: 4) {
      guard name() != nil, skip(4) else { return [] }
    }
    let count = word(at: 6) + word(at: 8) + word(at: 10)
    var records: [MulticastRecord] = []
    for _ in 0..<count {
      guard let owner = name(), skip(10) else { break }
      let head = position - 10
      let end = position + word(at: head + 8)
      guard end <= bytes.count else { break }
      // The topmost bit of the class says that earlier records are void (RFC 6762 §10.2).
      guard let type = RecordType(rawValue: UInt16(word(at: head))), word(at: head + 2) & 0x7FFF == 1 else {
        position = end
        continue
      }
      guard let data = data(of: type, until: end) else { break }
      let lifetime = UInt32(word(at: head + 4)) << 16 | UInt32(word(at: head + 6))
      records.append(MulticastRecord(owner: owner, type: type, lifetime: lifetime, data: data))
    }
    return records
  }

  /// The data of a record, with the name at its end unpacked; `nil` if that is shorter or longer than the data.
  private mutating func data(of type: RecordType, until end: Int) -> [UInt8]? {
    // Priority, weight and port stand before the host of a service (RFC 2782).
    let fixed =
      switch type {
      case .pointer: 0
      case .service: 6
      case .address, .address6, .text: end - position
      }
    guard position + fixed <= end else { return nil }
    let head = Array(bytes[position..<(position + fixed)])
    position += fixed
    guard type == .pointer || type == .service else { return head }
    let name = name()
    return position == end ? name.map { head + $0 } : nil
  }

  private func word(at index: Int) -> Int { Int(bytes[index]) << 8 | Int(bytes[index + 1]) }

  private mutating func skip(_ count: Int) -> Bool {
    position += count
    return position <= bytes.count
  }

  /// Unpacks the name at the present position; `nil` for a malformed one.
  private mutating func name() -> [UInt8]? {
    guard position < bytes.count else { return nil }
    var taken: Int32 = -1
    let labels = [UInt8](unsafeUninitializedCapacity: DomainName.maximumLength) { buffer, count in
      bytes.withUnsafeBufferPointer { message in
        guard let start = message.baseAddress, let target = buffer.baseAddress else { return }
        taken = ns_name_unpack(start, start + message.count, start + position, target, buffer.count)
        if taken > 0 { count = DomainName.length(of: buffer) }
      }
    }
    guard taken > 0, !labels.isEmpty else { return nil }
    position += Int(taken)
    return labels
  }
}

extension DomainName {
  /// A name in label form.
  static func labels(_ texts: [String]) -> [UInt8] {
    texts.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
  }

  /// The bytes of a name in label form up to and with its last, a zero; 0 when it has no end.
  fileprivate static func length(of labels: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var index = 0
    while index < labels.count {
      guard labels[index] > 0 else { return index + 1 }
      index += 1 + Int(labels[index])
    }
    return 0
  }

  /// Turns text, in which special bytes are escaped as ``escaped(label:)`` does, into labels; `nil` if DNS cannot carry them.
  static func labels(ofText text: String) -> [UInt8]? {
    let labels = [UInt8](unsafeUninitializedCapacity: maximumLength) { buffer, count in
      guard let target = buffer.baseAddress, ns_name_pton(text, target, buffer.count) >= 0 else { return }
      count = length(of: buffer)
    }
    return labels.isEmpty ? nil : labels
  }

  /// Whether two names in label form are equal, without regard to the case of ASCII letters (RFC 1035 §2.3.3).
  static func areEqual(_ one: some Sequence<UInt8>, _ other: some Sequence<UInt8>) -> Bool {
    func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
    return one.elementsEqual(other) { lower($0) == lower($1) }
  }
}

extension ServiceType {
  /// The name of the services of this type, in label form.
  var labels: [UInt8] { DomainName.labels(["_\(name)", "_tcp", "local"]) }
}

extension ServiceInstance {
  /// The name of the instance's own records, in label form.
  var labels: [UInt8] { [UInt8(name.utf8.count)] + Array(name.utf8) + type.labels }

  /// Reads a name in label form; `nil` when it is not one of a service of this type.
  init?(labels: [UInt8], type: ServiceType) {
    guard let length = labels.first.map(Int.init), length < labels.count,
      DomainName.areEqual(labels[(length + 1)...], type.labels),
      let name = String(validating: labels[1...length], as: UTF8.self)
    else { return nil }
    try? self.init(name: name, type: type)
  }
}
