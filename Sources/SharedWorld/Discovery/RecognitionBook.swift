import Authentication
import Basics
import PeerProtocol
import ServiceDiscovery

/// The known devices' tags: with these a session tells which advertisement comes from a device that it has admitted before.
///
/// A tag changes every day, and without the key of its device it is a random number. It is no proof, since everybody can
/// repeat it on the same day: a dial decides.
struct RecognitionBook {
  /// A day of a calendar (UTC), counted from 1970-01-01.
  typealias Day = UInt32

  /// Clocks of devices may differ by nearly so many days.
  private static let skew: Day = 1
  /// Bytes of a tag, which is written in hexadecimal.
  private static let size = 8

  private let service: String
  private var keys: [PeerID: RecognitionKey]
  /// The tags of all keys around one day.
  private var tags: (day: Day, peers: [String: PeerID])?
  /// The peers that told their keys in this session: each is believed once.
  private var told: KeySet<PeerID> = []

  /// The book of devices whose keys were recorded.
  init(_ keys: [PeerID: RecognitionKey], service: String) {
    (self.keys, self.service) = (keys, service)
  }

  /// The device that a tag belongs to.
  ///
  /// The tags are worked out once a day, so that a flood of forged ones costs a look-up each.
  mutating func peer(tagged tag: String, on day: Day) -> PeerID? {
    if tags?.day != day {
      var peers: [String: PeerID] = [:]
      for (peer, key) in keys { for tag in Self.tags(of: peer, key, service, around: day) { peers[tag] = peer } }
      tags = (day, peers)
    }
    return tags?.peers[tag]
  }

  /// Takes the key that a member tells; whether it is news that is to be recorded.
  mutating func take(_ key: RecognitionKey, of peer: PeerID) -> Bool {
    guard told.insert(peer), keys[peer] != key else { return false }
    keys[peer] = key
    if let day = tags?.day { for tag in Self.tags(of: peer, key, service, around: day) { tags?.peers[tag] = peer } }
    return true
  }

  private static func tags(
    of peer: PeerID, _ key: RecognitionKey, _ service: String, around day: Day
  ) -> [String] {
    let first = day - min(skew, day)
    return (first...day + skew).map { tag(of: peer, key, service: service, on: $0) }
  }

  /// The tag that a device publishes with a service on a day.
  static func tag(of peer: PeerID, _ key: RecognitionKey, service: String, on day: Day) -> String {
    var writer = ByteWriter()
    writer.write(bytes: Array("sharedworld seen before".utf8))
    writer.write(bytes: peer.bytes)
    writer.write(day)
    writer.write(bytes: Array(service.utf8))
    return HMACSHA256.tag(over: writer.bytes, key: key.bytes).prefix(size).hexadecimal
  }

  /// The day of a time of the machine's clock (seconds since 1970-01-01, UTC).
  static func day(of seconds: Int) -> Day { Day(clamping: max(0, seconds) / 86_400) }
}
