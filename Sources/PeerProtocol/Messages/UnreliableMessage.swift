import AnchorReplication
package import Basics

/// An app's message that counts only until the next one under its key.
package struct UnreliableMessage: Equatable, Sendable, FrameBody {
  /// Bytes of the longest one on the wire.
  package static let largest =
    1 + FrameRoute.size + 8 + 1 + 1 + ProtocolLimits.unreliableKey + ProtocolLimits.unreliableMessage

  /// Its way through members; nil between the two ends of a link.
  package var route: FrameRoute?
  /// The sender's number of the message.
  package let number: UInt64
  /// The reader of the bytes.
  package let kind: MessageKind
  /// The app's name of what it is about.
  package let key: String
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8], number: UInt64, kind: MessageKind = .bytes, key: String, route: FrameRoute? = nil) {
    self.bytes = bytes
    self.number = number
    self.kind = kind
    self.key = key
    self.route = route
  }

  /// Appends a flag and the route, number, kind, key and bytes.
  package func write(to writer: inout ByteWriter) {
    writer.write(route == nil ? UInt8(0) : 1)
    route?.write(to: &writer)
    writer.write(number)
    writer.write(kind.rawValue)
    writer.writeString(key)
    writer.write(bytes: bytes)
  }

  /// Reads what ``write(to:)`` wrote.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    route = try reader.readFlag() ? FrameRoute(reading: &reader) : nil
    let start = reader.offset
    number = try reader.read(UInt64.self)
    let byte = try reader.readByte()
    guard let kind = MessageKind(rawValue: byte) else { throw .unknownKind(offset: start) }
    guard number > 0, number <= ProtocolLimits.counter, kind != .stream else {
      throw .invalid("a number or a kind that no unreliable message has", offset: start)
    }
    self.kind = kind
    key = try reader.readString(limit: ProtocolLimits.unreliableKey)
    guard reader.remaining <= ProtocolLimits.unreliableMessage else {
      throw .overLimit(limit: ProtocolLimits.unreliableMessage, offset: reader.offset)
    }
    bytes = try reader.readBytes(reader.remaining)
  }

  /// Its share of what may wait (bytes).
  var cost: Int { ProtocolLimits.cost(ofMessage: bytes) }

  /// Whether the newer of the two replaces the other one where both wait.
  func hasSameSlot(as other: Self) -> Bool {
    key == other.key && route?.from == other.route?.from && route?.to == other.route?.to
  }
}

/// The unreliable messages that wait to leave, or for the app to hear of their sender: the newest of each slot, oldest first.
struct UnreliableQueue: Sendable {
  private var messages: [UnreliableMessage] = []
  /// Cost of those that wait (bytes).
  private(set) var bytes = 0

  /// Whether none waits.
  var isEmpty: Bool { messages.isEmpty }

  /// Adds a message, in the place of an older one of its slot; the oldest go while they cost more than `limit` bytes.
  mutating func put(_ message: UnreliableMessage, limit: Int, rules: ProtocolRules) {
    if rules.contains(.unreliableSlots) {
      if let index = messages.firstIndex(where: message.hasSameSlot) {
        // Through members an older one may come behind a newer one.
        guard messages[index].number < message.number else { return }
        remove(at: index)
      }
      while !messages.isEmpty, bytes + message.cost > limit || messages.count >= ProtocolLimits.unreliableKeys {
        remove(at: 0)
      }
    }
    bytes += message.cost
    messages.append(message)
  }

  /// Moves messages to the end of `writer` while that has room; whether some are left.
  ///
  /// - Parameter route: The way of those that have none yet.
  mutating func move(to writer: inout ByteWriter, via route: FrameRoute? = nil) -> Bool {
    var count = 0
    for var message in messages {
      let size = FrameHead.size + UnreliableMessage.largest - ProtocolLimits.unreliableMessage + message.bytes.count
      guard writer.count < ProtocolLimits.transmitWindow / 2,
        writer.count == 0 || writer.count + size <= ProtocolLimits.transmitWindow
      else { break }
      message.route = message.route ?? route
      writer.writeFrame(.unreliableMessage) { message.write(to: &$0) }
      bytes -= message.cost
      count += 1
    }
    messages.removeFirst(count)
    return !messages.isEmpty
  }

  /// All messages; none waits any more.
  mutating func takeAll() -> [UnreliableMessage] { isEmpty ? [] : exchange(&self, with: Self()).messages }

  private mutating func remove(at index: Int) { bytes -= messages.remove(at: index).cost }
}

/// The last unreliable message of each key that was handed over, of one start of a member.
struct UnreliableInflow: Sendable {
  /// The start of the sender's process: another one numbers from the beginning.
  let sender: NodeID
  private var last: [String: UInt64] = [:]
  /// Up to here messages of keys that are not remembered are taken for old.
  private var floor: UInt64 = 0
  /// The messages that came before the app was told of the sender.
  var early = UnreliableQueue()

  init(_ sender: NodeID) {
    self.sender = sender
  }

  /// Whether a message is newer than all of its key that were handed over; it is the newest then.
  mutating func admit(_ message: UnreliableMessage, rules: ProtocolRules) -> Bool {
    guard message.number > last[message.key] ?? floor || !rules.contains(.unreliableOrder) else { return false }
    last[message.key] = message.number
    if last.count > ProtocolLimits.unreliableKeys, let oldest = last.min(by: { $0.value < $1.value }) {
      last[oldest.key] = nil
      floor = max(floor, oldest.value)
    }
    return true
  }
}
