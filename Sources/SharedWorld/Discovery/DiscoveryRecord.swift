import Basics
import PeerProtocol
import ServiceDiscovery

/// What an advertisement says: version, a random tag, how to authenticate, and the name if the app shows it.
enum DiscoveryRecord {
  private static let version = "v"
  private static let tag = "tag"
  private static let authentication = "auth"
  private static let name = "n"

  /// Bytes of UTF-8 of a shown name.
  static let nameLimit = 32

  /// A name that tells nothing of who advertises.
  static func randomName() -> String {
    var random = SystemRandomNumberGenerator()
    return "sw-" + String(random.next() as UInt64, radix: 36)
  }

  /// The TXT record.
  static func info(showing shownName: String?, hasPasscode: Bool = false) throws(DiscoveryError) -> DiscoveryInfo {
    var random = SystemRandomNumberGenerator()
    var pairs: [(key: String, value: [UInt8])] = [
      (version, Array(String(ProtocolLimits.versions.upperBound).utf8)),
      (tag, Array(String(random.next() as UInt64, radix: 16).utf8)),
      (authentication, Array((hasPasscode ? "passcode" : "invite").utf8)),
    ]
    if let shownName { pairs.append((name, Array(shownName.utf8Prefix(nameLimit).utf8))) }
    return try DiscoveryInfo(pairs)
  }

  /// The name a record shows, made safe to print.
  static func shownName(in info: DiscoveryInfo) -> String? {
    guard let bytes = info[name], let text = String(validating: bytes, as: UTF8.self) else { return nil }
    return PlainText.cleaned(text).utf8Prefix(nameLimit)
  }
}

extension Candidate {
  init(_ instance: ServiceInstance, _ info: DiscoveryInfo, peer: Peer?) {
    self.init(id: instance.name, name: DiscoveryRecord.shownName(in: info), peer: peer)
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
