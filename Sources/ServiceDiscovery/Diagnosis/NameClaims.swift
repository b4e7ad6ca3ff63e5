internal import Basics

/// The names that machines of a network claim as their own, and those that two of them claim.
///
/// Only names that one machine alone may have are looked at (RFC 6762 §9): those of the services of a type, and the host name
/// of this machine.
struct NameClaims {
  /// Services that are told apart; more of them say no more.
  private static let maximumServices = 256

  private let type: ServiceType
  /// The host name of this machine, in label form.
  private let hostName: [UInt8]
  /// The addresses of this machine, as the bytes of address records.
  private let own: Set<[UInt8]>
  /// The host and port of each service, as first heard.
  private var locations: [ServiceInstance: [UInt8]] = [:]
  /// The names that two machines claim, for people.
  private(set) var contested: Set<String> = []

  init(of type: ServiceType, hostName: String, own: Set<SocketAddress.Host>) {
    self.type = type
    self.hostName = DomainName.labels([hostName, "local"])
    self.own = Set(own.map(\.bytes))
  }

  /// Notes the claims of a datagram.
  mutating func note(_ datagram: some Collection<UInt8>) {
    for record in MulticastMessage.records(in: datagram) where record.lifetime > 0 {
      switch record.type {
      case .service: noteService(record)
      case .address, .address6: noteHost(record)
      case .pointer, .text: break
      }
    }
  }

  private mutating func noteService(_ record: MulticastRecord) {
    guard let service = record.instance(of: type), let location = ServiceLocation(parsing: record.data) else { return }
    // A machine may write its host name with other capitals the next time.
    let data = Array("\(location.host.lowercased()):\(location.port)".utf8)
    if let known = locations[service] {
      if known != data { contested.insert(service.name) }
    } else if locations.count < Self.maximumServices {
      locations[service] = data
    }
  }

  /// The daemon of this machine gives up its name for another one: the claim of the other is the sign of it.
  private mutating func noteHost(_ record: MulticastRecord) {
    guard DomainName.areEqual(record.owner, hostName), !own.contains(record.data) else { return }
    contested.insert(DomainName.escaped(labels: hostName[...]) ?? "")
  }
}
