import Basics
import ServiceDiscovery
import Synchronization

/// Discovery on a network in memory: everybody sees everybody, at once and always.
final class MemoryDiscovery: DiscoveryBackend {
  private let network: MemoryNetwork
  private let number = MemoryServices.makeNumber()

  init(_ network: MemoryNetwork) { self.network = network }

  func start(
    browsing type: ServiceType?, advertising advertisement: Advertisement?,
    _ handler: @escaping @Sendable (DiscoveryEvent) -> Void
  ) throws(DiscoveryError) {
    network.core.run { [number] in
      $0.services.add(number, browsing: type, advertising: advertisement, handler)
    }
  }

  func updateInfo(_ info: DiscoveryInfo) {
    network.core.run { [number] in $0.services.update(number, info) }
  }

  /// Everything is told at once.
  func hear(_ data: [UInt8], of instance: ServiceInstance) {}

  func resolve(_ instance: ServiceInstance, timeout: Duration) async throws(DiscoveryError) -> [SocketAddress] {
    guard let port = await network.core.services.port(of: instance),
      let address = SocketAddress(MemoryNetworkCore.address(of: port))
    else { throw .resolutionTimedOut(instance) }
    return [address]
  }

  func stop() {
    network.core.run { [number] in $0.services.remove(number) }
  }
}

/// The services of a network in memory, and those who look for them.
struct MemoryServices {
  private struct Member {
    let number: Int
    let type: ServiceType?
    var advertisement: Advertisement?
    let handler: @Sendable (DiscoveryEvent) -> Void

    /// Whether this member looks for the service of another one.
    func looks(for other: Member) -> Advertisement? {
      other.number != number && other.advertisement?.instance.type == type ? other.advertisement : nil
    }
  }

  private static let lastNumber = Atomic<Int>(0)

  private var members: [Member] = []

  /// A number for one member.
  static func makeNumber() -> Int { lastNumber.add(1, ordering: .relaxed).newValue }

  /// Adds a member, under another name if that of its service is taken.
  mutating func add(
    _ number: Int, browsing type: ServiceType?, advertising advertisement: Advertisement?,
    _ handler: @escaping @Sendable (DiscoveryEvent) -> Void
  ) {
    var advertisement = advertisement
    while let taken = advertisement, port(of: taken.instance) != nil { advertisement = taken.renamed() }
    let member = Member(number: number, type: type, advertisement: advertisement, handler: handler)
    handler(.available(backend: "memory"))
    if let advertisement { handler(.advertised(advertisement.instance)) }
    for other in members {
      if let found = member.looks(for: other) { handler(.found(found.instance, found.info)) }
      if let found = other.looks(for: member) { other.handler(.found(found.instance, found.info)) }
    }
    members.append(member)
  }

  /// Replaces the record of a member's service.
  mutating func update(_ number: Int, _ info: DiscoveryInfo) {
    guard let index = members.firstIndex(where: { $0.number == number }) else { return }
    members[index].advertisement?.info = info
    for other in members {
      if let found = other.looks(for: members[index]) { other.handler(.updated(found.instance, found.info)) }
    }
  }

  /// Removes a member.
  mutating func remove(_ number: Int) {
    guard let index = members.firstIndex(where: { $0.number == number }) else { return }
    let member = members.remove(at: index)
    for other in members {
      if let found = other.looks(for: member) { other.handler(.lost(found.instance)) }
    }
  }

  /// The port of a service; nil if there is none.
  func port(of instance: ServiceInstance) -> UInt16? {
    members.lazy.compactMap(\.advertisement).first { $0.instance == instance }?.port
  }
}
