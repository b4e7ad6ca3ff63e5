import Basics
internal import Synchronization

/// A pretended network for tests in one process, on which ``InMemoryBackend``s find each other.
///
/// Everything happens at once and in the order of the calls: when a call returns, every handler has been told. A
/// handler that calls back is served after the current event.
package final class InMemoryNetwork: Sendable {
  fileprivate struct Member {
    let id: Int
    let browsed: ServiceType?
    let handler: @Sendable (DiscoveryEvent) -> Void
  }

  fileprivate struct Published {
    /// The member that answers for the service; `nil` once it has crashed.
    var owner: Int?
    var advertisement: Advertisement
    var addresses: [[UInt8]]
  }

  fileprivate struct State {
    var nextID = 0
    var members: [Member] = []
    var published: [Published] = []
    var outage: String?
    var undelivered: [(@Sendable (DiscoveryEvent) -> Void, DiscoveryEvent)] = []
    var isDelivering = false
  }

  private let state = Mutex(State())

  /// An empty network that works.
  package init() {}

  /// Takes the network down or up again: every back-end is told, and sees the services go or come back.
  ///
  /// `outage` is the reason that is reported, or `nil` for a working network.
  package func setOutage(_ outage: String?) {
    change { state in
      guard state.outage != outage else { return }
      state.outage = outage
      for member in state.members {
        state.tell(member, outage.map { .unavailable(reason: $0) } ?? .available(backend: "memory"))
        for service in state.published {
          state.tell(member, about: service, outage == nil ? Self.found(service) : .lost(service.instance))
        }
      }
    }
  }

  /// Acts as if somebody else had claimed the name of `instance`: it is renamed and announced again.
  package func provokeConflict(of instance: ServiceInstance) {
    change { state in
      guard let index = state.published.firstIndex(where: { $0.instance == instance }) else { return }
      let former = state.published[index]
      state.published[index].advertisement = state.advertisementWithFreeName(former.advertisement.renamed())
      state.announce(former, .lost(former.instance))
      let owner = state.members.first { $0.id == former.owner }
      if let owner { state.tell(owner, .advertised(state.published[index].instance)) }
      state.announce(state.published[index], Self.found(state.published[index]))
    }
  }

  /// Adds a back-end; returns its number.
  func join(
    browsing type: ServiceType?, advertising advertisement: Advertisement?, addresses: [[UInt8]],
    _ handler: @escaping @Sendable (DiscoveryEvent) -> Void
  ) -> Int {
    change { state in
      let member = Member(id: state.nextID, browsed: type, handler: handler)
      state.nextID += 1
      state.members.append(member)
      state.tell(member, state.outage.map { .unavailable(reason: $0) } ?? .available(backend: "memory"))
      if state.outage == nil {
        for service in state.published { state.tell(member, about: service, Self.found(service)) }
      }
      if let advertisement {
        let service = Published(
          owner: member.id, advertisement: state.advertisementWithFreeName(advertisement), addresses: addresses)
        state.published.append(service)
        state.tell(member, .advertised(service.instance))
        state.announce(service, Self.found(service))
      }
      return member.id
    }
  }

  /// Replaces the TXT record of a member's service.
  func update(_ info: DiscoveryInfo, of id: Int) {
    change { state in
      guard let index = state.published.firstIndex(where: { $0.owner == id }) else { return }
      guard state.published[index].advertisement.info != info else { return }
      state.published[index].advertisement.info = info
      state.announce(state.published[index], .updated(state.published[index].instance, info))
    }
  }

  /// Removes a member, with a goodbye or, after a crash, leaving its record behind.
  func leave(_ id: Int, saysGoodbye: Bool) {
    change { state in
      state.members.removeAll { $0.id == id }
      guard let index = state.published.firstIndex(where: { $0.owner == id }) else { return }
      guard saysGoodbye else {
        state.published[index].owner = nil
        return
      }
      let service = state.published.remove(at: index)
      state.announce(service, .lost(service.instance))
    }
  }

  /// Where `instance` claims to be; empty if the network does not know it or is down.
  func endpoints(of instance: ServiceInstance) -> [SocketAddress] {
    state.withLock { state in
      guard state.outage == nil, let service = state.published.first(where: { $0.instance == instance }) else {
        return []
      }
      return service.addresses.compactMap { SocketAddress(bytes: $0, port: service.advertisement.port) }
    }
  }

  private static func found(_ service: Published) -> DiscoveryEvent {
    .found(service.instance, service.advertisement.info)
  }

  /// Changes the state, then delivers what it has queued without holding the lock.
  private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let result = state.withLock { body(&$0) }
    guard state.withLock({ $0.beginDelivery() }) else { return result }
    while let (handler, event) = state.withLock({ $0.nextDelivery() }) { handler(event) }
    return result
  }
}

extension InMemoryNetwork.Published {
  fileprivate var instance: ServiceInstance { advertisement.instance }
}

extension InMemoryNetwork.State {
  fileprivate mutating func beginDelivery() -> Bool {
    guard !isDelivering else { return false }
    isDelivering = true
    return true
  }

  fileprivate mutating func nextDelivery() -> (@Sendable (DiscoveryEvent) -> Void, DiscoveryEvent)? {
    guard !undelivered.isEmpty else {
      isDelivering = false
      return nil
    }
    return undelivered.removeFirst()
  }

  fileprivate mutating func tell(_ member: InMemoryNetwork.Member, _ event: DiscoveryEvent) {
    undelivered.append((member.handler, event))
  }

  /// Tells a member of somebody else's service, if it is of the type that it watches.
  fileprivate mutating func tell(
    _ member: InMemoryNetwork.Member, about service: InMemoryNetwork.Published, _ event: DiscoveryEvent
  ) {
    guard member.browsed == service.instance.type, member.id != service.owner else { return }
    tell(member, event)
  }

  fileprivate mutating func announce(_ service: InMemoryNetwork.Published, _ event: DiscoveryEvent) {
    guard outage == nil else { return }
    for member in members { tell(member, about: service, event) }
  }

  fileprivate func advertisementWithFreeName(_ wanted: Advertisement) -> Advertisement {
    var advertisement = wanted
    while published.contains(where: { $0.instance == advertisement.instance }) {
      advertisement = advertisement.renamed()
    }
    return advertisement
  }
}
