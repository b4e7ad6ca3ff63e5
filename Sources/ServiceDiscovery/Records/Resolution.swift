import Basics

/// One running look-up of an instance: SRV records first, then the addresses of every host they name.
///
/// A pure collector. The back-end that owns it asks the questions, feeds it the answers and watches two deadlines:
/// the caller's, and a short one after the first address that lets further interfaces answer.
struct Resolution {
  /// How long further answers are awaited after the first usable one.
  static let grace: Duration = .milliseconds(150)

  /// The most hosts that one name may point to; a conflict in flight can show two.
  static let maximumHosts = 4

  /// The most addresses that are retained.
  static let maximumEndpoints = 32

  /// The instance to resolve.
  let instance: ServiceInstance

  private var locations: [ServiceLocation] = []
  private var found: [(host: String, address: SocketAddress.Host)] = []

  /// The index of the loopback interface; nil when there is none.
  private let loopbackInterface: UInt32?

  /// Begins without an answer.
  init(instance: ServiceInstance, loopbackInterface: UInt32?) {
    self.instance = instance
    self.loopbackInterface = loopbackInterface
  }

  /// Whether there is something to return.
  var isUsable: Bool { !endpoints.isEmpty }

  /// Takes SRV data; returns the host whose addresses must now be asked for, if it is a new one.
  mutating func addLocation(_ bytes: [UInt8]) -> String? {
    guard let location = ServiceLocation(parsing: bytes), !locations.contains(location) else { return nil }
    let isNewHost = !locations.contains { $0.host == location.host }
    guard !isNewHost || Set(locations.map(\.host)).count < Self.maximumHosts else { return nil }
    locations.append(location)
    return isNewHost ? location.host : nil
  }

  /// Takes the address of `host` that was seen on an interface; ignores one that can be no other machine's.
  ///
  /// Everybody on the network can publish `127.0.0.1` or a multicast address and have this peer dial it: an address of this
  /// machine counts on the loopback interface alone.
  mutating func addAddress(_ bytes: [UInt8], of host: String, interface: UInt32) {
    guard found.count < Self.maximumEndpoints else { return }
    // Only a link-local address needs its interface as scope.
    guard let address = SocketAddress(bytes: bytes, port: 0, scope: interface), address.host.isUnicast,
      !address.host.isLoopback || interface == loopbackInterface
    else { return }
    found.append((host, address.host))
  }

  /// The endpoints so far, each once, the most promising first.
  ///
  /// Routable addresses come before those of one link, and IPv4 and IPv6 by turns; the order is otherwise that of arrival.
  var endpoints: [SocketAddress] {
    var unique: [SocketAddress] = []
    for entry in found {
      for location in locations where location.host == entry.host {
        let endpoint = SocketAddress(host: entry.address, port: location.port)
        if !unique.contains(endpoint) { unique.append(endpoint) }
      }
    }
    let families = unique.filter { $0.bytes.count == 4 } + unique.filter { $0.bytes.count == 16 }
    return (0...3).flatMap { distance in families.filter { $0.distance == distance }.byTurns }
  }
}

extension SocketAddress {
  /// How unlikely it is that another machine answers there: a routable address 0, one of a single link 1, of this machine 2 or 3.
  fileprivate var distance: Int { (host.isLoopback ? 2 : 0) + (host.isLinkLocal ? 1 : 0) }
}
