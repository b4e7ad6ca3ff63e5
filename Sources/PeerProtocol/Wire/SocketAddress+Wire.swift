package import Basics

extension SocketAddress {
  /// Appends a count and the addresses; at most ``ProtocolLimits/addresses`` of them, link-local ones left out because
  /// their scope means nothing on another machine.
  package static func write(_ addresses: [SocketAddress], to writer: inout ByteWriter) {
    let shared = addresses.filter { $0.scope == 0 }.prefix(ProtocolLimits.addresses)
    writer.write(UInt8(shared.count))
    for address in shared {
      writer.write(UInt8(address.bytes.count))
      writer.write(bytes: address.bytes)
      writer.write(address.port)
    }
  }

  /// Reads what ``write(_:to:)`` wrote.
  static func readList(from reader: inout ByteReader) throws(DecodingFailure) -> [SocketAddress] {
    let start = reader.offset
    let count = Int(try reader.readByte())
    guard count <= ProtocolLimits.addresses else { throw .overLimit(limit: ProtocolLimits.addresses, offset: start) }
    var addresses: [SocketAddress] = []
    for _ in 0..<count {
      let offset = reader.offset
      let bytes = try reader.readBytes(Int(try reader.readByte()))
      guard let address = SocketAddress(bytes: bytes, port: try reader.read(UInt16.self)) else {
        throw .invalid("address is neither IPv4 nor IPv6", offset: offset)
      }
      addresses.append(address)
    }
    return addresses
  }
}
