internal import Basics

/// Services, and which machine told first of each: where there are too many, those of the machine with the most give way.
///
/// One machine can show any number of services under as many names, and hardly from as many addresses. A pure table.
struct ServiceSources {
  private let room: Int
  private var sources: [ServiceInstance: SocketAddress.Host?] = [:]
  private var services: [SocketAddress.Host?: Set<ServiceInstance>] = [:]

  /// Has room for so many services.
  init(room: Int) { self.room = room }

  /// The source of a service; nil when it is not known.
  subscript(instance: ServiceInstance) -> SocketAddress.Host? { sources[instance] ?? nil }

  /// Adds a service; returns the one that has given way to it, if any, or nil where there is no place for it.
  ///
  /// A machine that tells of it later is not its source: a stranger could repeat the records of another one's.
  @discardableResult
  mutating func add(_ instance: ServiceInstance, of source: SocketAddress.Host?) -> [ServiceInstance]? {
    guard sources[instance] == nil else { return [] }
    var displaced: [ServiceInstance] = []
    if sources.count >= room {
      let own = services[source]?.count ?? 0
      guard let crowd = services.values.max(by: { $0.count < $1.count }), crowd.count > own + 1, let one = crowd.first
      else { return nil }
      remove(one)
      displaced = [one]
    }
    sources[instance] = .some(source)
    services[source, default: []].insert(instance)
    return displaced
  }

  /// Takes a service out.
  mutating func remove(_ instance: ServiceInstance) {
    guard let source = sources.removeValue(forKey: instance) else { return }
    services[source]?.remove(instance)
    if services[source]?.isEmpty == true { services[source] = nil }
  }
}

extension SocketAddress.Host {
  /// The part of an address of which one machine has few: an IPv4 address, an IPv6 address of the link, or a /64 of others.
  var machine: SocketAddress.Host {
    if case .ipv6(let high, _, _) = self, !isLinkLocal { .ipv6(high: high, low: 0, scope: 0) } else { self }
  }
}
