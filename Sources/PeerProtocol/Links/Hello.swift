package import Basics
package import WorldModel

/// The first frame of both sides of a link: the dialler speaks first, the acceptor answers.
package struct Hello: Sendable, Equatable, FrameBody {
  /// "SWLD" in ASCII, so that a stray protocol is told apart at its fifth byte.
  package static let magic: UInt32 = 0x444c_5753

  /// The lowest and highest wire version the sender speaks.
  package var versions: ClosedRange<UInt16>
  /// The capabilities of the sender beyond its version.
  package var capabilities: Capabilities
  /// The sender; it must equal the id of the TLS certificate.
  package var peerID: PeerID
  /// A random number of this start of the process.
  package var incarnation: UInt64
  /// The DNS-SD service type without underscore: apps of another service are refused.
  package var service: String
  /// The name people know it by.
  package var name: String
  /// The name it advertises under, so that a discovered service is matched with a connected peer; may be empty.
  package var instance: String
  /// Where it listens.
  package var addresses: [SocketAddress]

  package init(
    versions: ClosedRange<UInt16> = ProtocolLimits.versions, capabilities: Capabilities = .current, peerID: PeerID,
    incarnation: UInt64, service: String, name: String, instance: String, addresses: [SocketAddress]
  ) {
    self.versions = versions
    self.capabilities = capabilities
    self.peerID = peerID
    self.incarnation = incarnation
    self.service = service
    self.name = name
    self.instance = instance
    self.addresses = addresses
  }

  package func write(to writer: inout ByteWriter) {
    writer.write(Self.magic)
    writer.write(versions.lowerBound)
    writer.write(versions.upperBound)
    writer.write(capabilities.rawValue)
    writer.write(peerID.digest)
    writer.write(incarnation)
    writer.writeString(service)
    writer.writeString(name)
    writer.writeString(instance)
    SocketAddress.write(addresses, to: &writer)
  }

  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    guard try reader.read(UInt32.self) == Self.magic else { throw .invalid("not a SharedWorld hello", offset: 0) }
    let (low, high) = (try reader.read(UInt16.self), try reader.read(UInt16.self))
    guard low <= high else { throw .invalid("version range is empty", offset: 4) }
    versions = low...high
    capabilities = Capabilities(rawValue: try reader.read(UInt64.self))
    peerID = PeerID(try reader.readDigest())
    incarnation = try reader.read(UInt64.self)
    service = try reader.readString(limit: ProtocolLimits.peerName)
    name = try reader.readString(limit: ProtocolLimits.peerName)
    instance = try reader.readString(limit: ProtocolLimits.peerName)
    addresses = try SocketAddress.readList(from: &reader)
  }
}

/// The capabilities of a peer beyond its version; unknown bits are ignored.
package struct Capabilities: OptionSet, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Serves and fetches maps in chunks.
  package static let maps = Capabilities(rawValue: 1 << 0)
  /// Chunks may be compressed with zstd.
  package static let zstdChunks = Capabilities(rawValue: 1 << 1)

  /// Takes pieces of maps on a connection of their own.
  package static let bulk = Capabilities(rawValue: 1 << 2)
  /// Has a passcode, and asks for its proof before it invites or admits.
  package static let passcode = Capabilities(rawValue: 1 << 3)
  /// Can show a code to its user, who compares it.
  package static let showsCodes = Capabilities(rawValue: 1 << 4)
  /// Asks for a comparison of codes before it invites or admits the receiver.
  static let asksForCode = Capabilities(rawValue: 1 << 5)
  /// Has a driver, which authenticates the receiver before it invites or admits.
  static let driver = Capabilities(rawValue: 1 << 6)

  /// The capabilities of every peer of this build; the others are added where they apply.
  package static let current: Capabilities = [.maps, .zstdChunks, .bulk]
}
