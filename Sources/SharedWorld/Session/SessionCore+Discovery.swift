import PeerProtocol
import PeerTransport
import ServiceDiscovery
import WorldModel

extension SessionCore {
  /// The TXT keys of an advertisement: version, a random tag, how to authenticate, and the name if the app shows it.
  private enum Key {
    static let version = "v"
    static let tag = "tag"
    static let authentication = "auth"
    static let name = "n"
  }

  func startDiscovery(port: UInt16) throws(SessionError) {
    guard configuration.discovery != .none else { return }
    do {
      let discovery = Discovery(mode: ServiceDiscovery.DiscoveryMode(configuration.discovery))
      let instance = try ServiceInstance(name: instanceName, type: serviceType)
      let advertisement = Advertisement(instance: instance, port: port, info: try advertisedInfo())
      try discovery.start(browsing: serviceType, advertising: advertisement) { [weak self, loop] event in
        loop.execute { [weak self] in self?.assumeIsolated { $0.take(event) } }
      }
      self.discovery = discovery
    } catch {
      throw SessionError(.discoveryUnavailable, "\(error)", cause: error)
    }
  }

  private func advertisedInfo() throws(DiscoveryError) -> DiscoveryInfo {
    var random = SystemRandomNumberGenerator()
    var pairs: [(key: String, value: [UInt8])] = [
      (Key.version, Array(String(ProtocolLimits.versions.upperBound).utf8)),
      (Key.tag, Array(String(random.next(), radix: 16).utf8)),
      (Key.authentication, Array("invite".utf8)),
    ]
    if configuration.advertisesName { pairs.append((Key.name, Array(identity.name.utf8Prefix(32).utf8))) }
    return try DiscoveryInfo(pairs)
  }

  private func take(_ event: DiscoveryEvent) {
    switch event {
    case .advertised: break
    case .available(let backend): hub.publish([.discoveryAvailable(backend: backend)])
    case .unavailable(let reason): hub.publish([.discoveryUnavailable(reason: reason)])
    case .found(let instance, let info), .updated(let instance, let info): note(instance, info)
    case .lost(let instance):
      guard let lost = candidates.removeValue(forKey: instance.name) else { return }
      hub.publish([.candidateLost(lost.candidate)])
    }
  }

  private func note(_ instance: ServiceInstance, _ info: DiscoveryInfo) {
    let shown = info[Key.name].flatMap { String(validating: $0, as: UTF8.self) }
    let name = shown.map { String($0.filter { !$0.isNewline && $0.isPrintable }).utf8Prefix(32) }
    let known = peersByInstance[instance.name]
    let candidate = Candidate(id: instance.name, name: name, peer: known)
    candidates[instance.name] = (instance, candidate)
    hub.publish([.candidateFound(candidate)])
  }

  /// A peer said under which name it advertises: the candidate and the peer are one.
  func identify(_ peer: Peer, instance: String) {
    names[peer.id] = peer.name
    guard !instance.isEmpty else { return }
    peersByInstance[instance] = peer
    guard let known = candidates[instance], known.candidate.peer != peer else { return }
    let candidate = Candidate(id: instance, name: known.candidate.name, peer: peer)
    candidates[instance] = (known.instance, candidate)
    hub.publish([.candidateFound(candidate)])
  }
}

extension Character {
  /// Whether it may stand in a name shown to people: no control characters and nothing that turns text around.
  fileprivate var isPrintable: Bool {
    unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .privateUse, .unassigned: false
      default: true
      }
    }
  }
}

extension ServiceDiscovery.DiscoveryMode {
  init(_ mode: DiscoveryMode) {
    switch mode {
    case .automatic: self = .automatic
    case .avahi: self = .avahi
    case .embedded: self = .embedded
    case .none: self = .none
    }
  }
}
