internal import Basics
internal import BasicsLinux
internal import Glibc

/// Looks at everything that discovery depends on, for as long as `patience`.
package enum NetworkProbe {
  /// How often it asks: a datagram may be lost, and what was told within the last second is not told again (RFC 6762 §6).
  private static let rounds = 3

  /// The facts, about a service type; it takes as long as it says, on the calling thread.
  package static func facts(about type: ServiceType, patience: Duration) -> NetworkFacts {
    let end = ContinuousClock.now + patience
    let addresses = InterfaceAddress.all()
    #if Avahi
    let hasResponder = (try? AvahiCore.shared.get()) != nil
    #else
    let hasResponder = false
    #endif
    var facts = NetworkFacts(daemon: .take(patience: patience), hasResponder: hasResponder, paths: [])
    let families = [true, false].compactMap { isIPv4 in MulticastSocket(isIPv4: isIPv4).map { (isIPv4, $0) } }
    facts.isPortHeld = families.isEmpty
    let hostName = hostName()
    let question = MulticastMessage.question(
      for: [type.labels, DomainName.labels(["_services", "_dns-sd", "_udp", "local"])], .pointer)
    let hostQuestion = MulticastMessage.question(for: [DomainName.labels([hostName, "local"])], .address)
    let own = Set(addresses.map(\.host))
    var claims = NameClaims(of: type, hostName: hostName, own: own)
    for round in 1...rounds {
      for (isIPv4, socket) in families {
        let paths = ask(question, on: socket, isIPv4: isIPv4, of: addresses)
        if round == 1 { facts.paths += paths }
        _ = ask(hostQuestion, on: socket, isIPv4: isIPv4, of: addresses)
      }
      while listen(
        to: families.map(\.1), until: end - patience / rounds * (rounds - round),
        { bytes, sender in
          facts.note(bytes, from: sender, own: own, type: type)
          claims.note(bytes)
        })
      {}
    }
    facts.contestedNames = claims.contested
    return facts
  }

  /// The first label of this machine's name, which Avahi's daemon publishes.
  private static func hostName() -> String {
    let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(HOST_NAME_MAX) + 1) { buffer in
      buffer.baseAddress.flatMap { gethostname($0, buffer.count) == 0 ? String(cString: $0) : nil }
    }
    return name?.split(separator: ".").first.map(String.init) ?? "localhost"
  }

  /// Sends a question on every interface of a family that can multicast.
  private static func ask(
    _ question: [UInt8], on socket: MulticastSocket, isIPv4: Bool, of addresses: [InterfaceAddress]
  ) -> [NetworkFacts.Path] {
    let usable = addresses.filter { address in
      address.isIPv4 == isIPv4 && address.flags.isSuperset(of: [.up, .multicast]) && !address.flags.contains(.loopback)
    }
    return Set(usable.map(\.interface)).inOrder().map { interface in
      NetworkFacts.Path(
        interface: name(of: interface), isIPv4: isIPv4, failure: socket.send(question, on: interface))
    }
  }

  /// Waits for datagrams and gives them to `body`; returns false when the time is over.
  private static func listen(
    to sockets: [MulticastSocket], until end: ContinuousClock.Instant,
    _ body: (ArraySlice<UInt8>, SocketAddress.Host) -> Void
  ) -> Bool {
    var descriptors = sockets.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    poll(&descriptors, nfds_t(descriptors.count), milliseconds(until: end))
    for socket in sockets {
      // A flood must not hold this loop beyond its end.
      while ContinuousClock.now < end, let (bytes, sender) = socket.receive() { body(bytes, sender.host) }
    }
    return ContinuousClock.now < end
  }

  private static func name(of interface: UInt32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
      if_indextoname(interface, buffer.baseAddress).map { String(cString: $0) } ?? "\(interface)"
    }
  }
}

extension NetworkFacts {
  /// Machines that are told apart; more of them say no more.
  private static let maximumHosts = 256

  /// Notes what a machine has said.
  fileprivate mutating func note(
    _ bytes: ArraySlice<UInt8>, from sender: SocketAddress.Host, own: Set<SocketAddress.Host>, type: ServiceType
  ) {
    guard !own.contains(sender) else {
      hearsItself = true
      return
    }
    guard others.count < Self.maximumHosts || others.contains(sender) else { return }
    others.insert(sender)
    if MulticastMessage.answers(bytes, naming: type.dnsName) { offering.insert(sender) }
  }
}
