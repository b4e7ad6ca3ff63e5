package import Basics

/// The rules of who may still come into a session: one record that all members hold, set by the host.
package struct SessionRules: Sendable, Equatable, FrameBody {
  /// Bytes on the wire.
  package static let size = 6

  /// Counts the changes; 0 for a session in which nobody has set any rule.
  package private(set) var version: UInt32 = 0
  /// Whether newcomers are turned away.
  package private(set) var isLocked = false
  /// The most members, oneself included, that newcomers may make the session grow to.
  package private(set) var limit = ProtocolLimits.members

  /// Anybody may come who is admitted, up to the protocol's limit.
  package init() {}

  /// The rules of a peer that starts a session of its own with a limit, kept within 2 and that of the protocol.
  package init(limit: Int) {
    guard limit != ProtocolLimits.members else { return }
    change { $0.limit = min(max(limit, 2), ProtocolLimits.members) }
  }

  /// The rules of an owned session, which nobody counts.
  init(isLocked: Bool, limit: Int) {
    (version, self.isLocked, self.limit) = (1, isLocked, limit)
  }

  /// Changes the rules and counts the change; from the beginning again when a lie has used the numbers up, for the host's
  /// word stands whatever its number.
  mutating func change(_ body: (inout Self) -> Void) {
    body(&self)
    version = RecordVersion.next(after: version)
  }

  mutating func setLocked(_ value: Bool) {
    guard isLocked != value else { return }
    change { $0.isLocked = value }
  }

  /// Takes `other`, the host's own word, whatever it is; returns whether it was news.
  mutating func follow(_ other: Self) -> Bool {
    guard other != self, other.version <= RecordVersion.greatest else { return false }
    self = other
    return true
  }

  /// Takes `other` if it replaces these; returns whether it was news.
  ///
  /// The higher version stands, and of two with one version the stricter: a total order, so that all members agree.
  package mutating func merge(_ other: Self) -> Bool {
    guard RecordVersion.isPlausible(other.version, after: version) else { return false }
    guard other.rank.lexicographicallyPrecedes(rank) else { return false }
    self = other
    return true
  }

  /// Lower stands.
  private var rank: [Int] { [-Int(version), isLocked ? 0 : 1, limit] }

  package func write(to writer: inout ByteWriter) {
    writer.write(version)
    writer.write(UInt8(isLocked ? 1 : 0))
    writer.write(UInt8(limit))
  }

  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    version = try reader.read(UInt32.self)
    isLocked = try reader.readFlag()
    let offset = reader.offset
    limit = Int(try reader.readByte())
    guard (2...ProtocolLimits.members).contains(limit) else {
      throw .invalid("a session's limit is not 2 to \(ProtocolLimits.members)", offset: offset)
    }
    guard version > 0 || self == Self() else { throw .invalid("rules that nobody has set", offset: offset) }
  }
}
