import Basics
import PeerProtocol
import PeerTransport
import ServiceDiscovery

/// The content of an advertisement: the protocol's version, how strangers get in, the app's own keys, and the name if shown.
///
/// Nothing of it can be trusted: anybody on the network can publish anything.
struct DiscoveryRecord: Equatable, Sendable {
  private static let versionKey = "v"
  private static let authenticationKey = "auth"
  private static let standingKey = "st"
  private static let nameKey = "n"
  private static let tagKey = "k"
  private static let keyKey = "id"
  private static let bucketKey = "r"
  private static let ownKeys: Set = [versionKey, authenticationKey, standingKey, nameKey, tagKey, keyKey, bucketKey]
  private static let passcode = "passcode"

  /// Bytes of UTF-8 of a shown name.
  static let nameLimit = 63

  /// The highest version of the protocol that the peer speaks; nil where the record does not say.
  var version: Int? = Int(ProtocolLimits.versions.upperBound)
  /// The name that is shown to everybody, safe to print.
  var shownName: String?
  /// Whether the peer asks for a passcode.
  var asksForPasscode = false
  /// The bucket of the passcode, 0 to 15 (``Authentication/Passcode/bucket(for:)``); nil where the record does not say.
  var bucket: UInt8?
  /// Whether newcomers are let in.
  var standing = Candidate.Standing.open
  /// The tag by which known devices recognise this one today; see ``RecognitionBook``.
  var tag: String?
  /// The beginning of the peer's id (16 hexadecimal digits), where the peer announces itself besides: the two are listed as one.
  var key: String?
  /// The app's own values, by key.
  var appInfo: [String: String] = [:]

  /// The record of a peer that shows this name, or none.
  init(showing shownName: String? = nil) {
    self.shownName = shownName
  }

  /// The content of a record, as far as it can be read.
  init(reading info: DiscoveryInfo) {
    func text(_ key: String) -> String? {
      info[key].flatMap { String(validating: $0, as: UTF8.self) }.map(PlainText.cleaned)
    }
    version = text(Self.versionKey).flatMap { Int($0) }
    shownName = text(Self.nameKey).map { $0.utf8Prefix(Self.nameLimit) }.flatMap { $0.isEmpty ? nil : $0 }
    asksForPasscode = text(Self.authenticationKey) == Self.passcode
    bucket = text(Self.bucketKey).flatMap { $0.utf8.count == 1 ? UInt8($0, radix: 16) : nil }
    standing = text(Self.standingKey).flatMap(Candidate.Standing.init) ?? .open
    tag = text(Self.tagKey)
    key = text(Self.keyKey)
    for key in info.keys where !Self.ownKeys.contains(key) { appInfo[key] = text(key) }
  }

  /// The TXT record.
  ///
  /// - Throws: ``DiscoveryError/invalidInfo(reason:)`` when the app's part breaks the rules of such records or takes a key that this
  ///   library uses.
  func info() throws(DiscoveryError) -> DiscoveryInfo {
    var pairs: [(key: String, value: [UInt8])] = [
      (Self.authenticationKey, Array((asksForPasscode ? Self.passcode : "invite").utf8)),
      (Self.standingKey, Array(standing.rawValue.utf8)),
    ]
    if let version { pairs.append((Self.versionKey, Array(String(version).utf8))) }
    if let shownName { pairs.append((Self.nameKey, Array(shownName.utf8Prefix(Self.nameLimit).utf8))) }
    if let key { pairs.append((Self.keyKey, Array(key.utf8))) }
    if let bucket { pairs.append((Self.bucketKey, Array(String(bucket, radix: 16).utf8))) }
    if let tag { pairs.append((Self.tagKey, Array(tag.utf8))) }
    for (key, value) in appInfo.inOrder(by: { $0.key < $1.key }) {
      guard !Self.ownKeys.contains(key.lowercased()) else {
        let own = Self.ownKeys.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
        throw .invalidInfo(reason: "key \"\(key)\" is the library's; choose another one than \(own)")
      }
      pairs.append((key, Array(value.utf8)))
    }
    return try DiscoveryInfo(pairs)
  }
}

/// Rooms.
extension DiscoveryRecord {
  /// Whether the peer of another record has another passcode, by what the two say.
  ///
  /// A record is no proof. One that lies gains nothing: it is not invited, or refused when it is.
  func hasOtherPasscode(than other: DiscoveryRecord) -> Bool {
    guard let bucket, let theirs = other.bucket else { return false }
    return bucket != theirs
  }
}

/// Names of services.
extension DiscoveryRecord {
  /// A name that tells nothing of who advertises.
  static func randomName() -> String {
    var random = SystemRandomNumberGenerator()
    return serviceName(random.next())
  }

  /// The name that a device with this key has each time, and that tells those who do not know it nothing: a restart takes the
  /// place of what a crash has left in the lists of others.
  static func lastingName(of identity: PeerIdentity, service: ServiceType) throws(TransportFailure) -> String {
    serviceName(try identity.tls.derivedDigest(for: "sharedworld service name \(service.name)").words[0])
  }

  private static func serviceName(_ number: UInt64) -> String { "sw-" + String(number, radix: 36) }
}

extension Candidate {
  /// The service with this name and record.
  init(
    id: ID, _ record: DiscoveryRecord, peer: Peer?, seenBefore: Peer? = nil, announced: PeerID? = nil, ways: Set<Way>
  ) {
    self.init(
      id: id, name: record.shownName, peer: peer, seenBefore: seenBefore, standing: record.standing,
      asksForPasscode: record.asksForPasscode, protocolVersion: record.version, info: record.appInfo,
      announcedKey: announced, ways: ways)
  }
}

extension SessionError {
  init(discovery error: DiscoveryError) {
    switch error {
    case .invalidServiceType, .invalidInstanceName, .invalidInfo:
      self.init(.invalidArgument, "\(error)", cause: error)
    case .unavailable, .resolutionTimedOut, .alreadyStarted, .stopped, .cancelled:
      self.init(.discoveryUnavailable, "\(error)", cause: error)
    }
  }
}
