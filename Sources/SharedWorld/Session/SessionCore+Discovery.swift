import PeerProtocol
import PeerTransport
import ServiceDiscovery
import WorldModel

extension SessionCore {
  func startDiscovery(port: UInt16) throws(SessionError) {
    guard configuration.discovery != .none else { return }
    do {
      let discovery = Discovery(mode: ServiceDiscovery.DiscoveryMode(configuration.discovery))
      let instance = try ServiceInstance(name: instanceName, type: serviceType)
      let info = try DiscoveryRecord.info(showing: configuration.advertisesName ? identity.name : nil)
      let advertisement = Advertisement(instance: instance, port: port, info: info)
      try discovery.start(browsing: serviceType, advertising: advertisement) { [weak self, loop] event in
        loop.execute { [weak self] in self?.assumeIsolated { $0.take(event) } }
      }
      self.discovery = discovery
    } catch {
      throw SessionError(discovery: error)
    }
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
    let candidate = Candidate(instance, info, peer: peersByInstance[instance.name])
    candidates[instance.name] = (instance, candidate)
    hub.publish([.candidateFound(candidate)])
  }

  /// Peers whose names are remembered at a time, members or not: a stranger has as many identities as it likes.
  private static let rememberedPeers = 4 * ProtocolLimits.roster

  private func forgetStrangers() {
    let roster = Set(driver?.read { node, _ in node.roster.entries.map(\.peerID) } ?? [])
    names = names.filter { roster.contains($0.key) }
    peersByInstance = peersByInstance.filter { candidates[$0.key] != nil && roster.contains($0.value.id) }
  }

  /// A peer said under which name it advertises: the candidate and the peer are one.
  func identify(_ peer: Peer, instance: String) {
    if max(names.count, peersByInstance.count) >= Self.rememberedPeers { forgetStrangers() }
    names[peer.id] = peer.name
    guard !instance.isEmpty else { return }
    peersByInstance[instance] = peer
    guard let known = candidates[instance], known.candidate.peer != peer else { return }
    let candidate = Candidate(id: instance, name: known.candidate.name, peer: peer)
    candidates[instance] = (known.instance, candidate)
    hub.publish([.candidateFound(candidate)])
  }
}
