import Basics
import BasicsLinux
import Glibc
import PeerTransport
import Synchronization

/// The state of a network in memory, confined to a loop of its own.
actor MemoryNetworkCore {
  typealias Accept = @Sendable (any TransportConnection, PeerAddress) -> Void

  /// Something on its way to one end of a connection.
  private struct Flight {
    let end: MemoryConnection
    let event: TransportEvent
    let due: UInt64
  }

  /// The two ends of a connection, the one that began it first.
  private struct Ports: Comparable {
    let from: UInt16
    let to: UInt16

    static func < (one: Self, other: Self) -> Bool { (one.from, one.to) < (other.from, other.to) }
  }

  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  /// The services on the network.
  var services = MemoryServices()

  /// Whether nothing breaks or delays its connections.
  nonisolated let isLasting: Bool

  private let delay: ClosedRange<Duration>
  private let seed: UInt64
  /// The connections that each port has begun to each other one.
  private var begun: Table<Ports, UInt32> = [:]
  private nonisolated let lastPort = Atomic<UInt16>(0)
  private var listeners: Table<UInt16, Accept> = [:]
  /// The ends of all connections, in the order in which they were made.
  private var ends: [MemoryConnection] = []
  /// Everything that is on its way, in the order in which it is due.
  private var flights: [Flight] = []
  /// The group of each port; ports that are in none are in group 0.
  private var groups: [UInt16: Int] = [:]
  private var timer: LoopTimer?

  init(loop: EventLoop, seed: UInt64, delay: ClosedRange<Duration>, isLasting: Bool) {
    (self.loop, self.delay, self.seed, self.isLasting) = (loop, delay, seed, isLasting)
  }

  /// Does something on the loop, after everything that was asked for before.
  nonisolated func run(_ body: @escaping @Sendable (isolated MemoryNetworkCore) -> Void) {
    loop.execute { self.assumeIsolated(body) }
  }

  // MARK: Peers

  /// A port that no other peer of this network has.
  nonisolated func makePort() -> UInt16 { lastPort.add(1, ordering: .relaxed).newValue }

  /// The address of a peer: each has a network of its own (RFC 4193), as strangers are counted by networks.
  static func address(of port: UInt16) -> PeerAddress {
    PeerAddress(SocketAddress(host: .ipv6(high: 0xFD53 << 48 | UInt64(port), low: 1, scope: 0), port: port))
  }

  /// Lets connections reach a port.
  func listen(_ port: UInt16, _ accept: @escaping Accept) { listeners[port] = accept }

  /// Lets no connections reach a port.
  func stopListening(_ port: UInt16) { listeners[port] = nil }

  // MARK: Connections

  /// Begins a connection to a port; it arrives there as bytes do.
  func connect(_ end: MemoryConnection, to port: UInt16) {
    let other = MemoryConnection(self, from: port)
    (end.other, other.other) = (other, end)
    let number = begun[Ports(from: end.port, to: port), default: 0]
    begun[Ports(from: end.port, to: port)] = number &+ 1
    for (receiver, isBack) in [(end, true), (other, false)] {
      receiver.delays = MemoryDelays(delay, seed: seed, from: end.port, to: port, number: number, isBack: isBack)
    }
    ends += [end, other]
    send(.opened, to: other)
  }

  /// Puts something on its way to one end of a connection.
  func send(_ event: TransportEvent, to end: MemoryConnection) {
    add(event, to: end)
    deliver()
  }

  private func add(_ event: TransportEvent, to end: MemoryConnection) {
    let due = loop.now + (end.delays?.next() ?? 0)
    // Of one connection nothing overtakes what was sent before.
    let last = flights.last { $0.end === end }?.due ?? 0
    add(Flight(end: end, event: event, due: max(due, last)))
  }

  private func add(_ flight: Flight) {
    let earlier = flights.lastIndex { $0.due <= flight.due }
    flights.insert(flight, at: earlier.map { $0 + 1 } ?? 0)
  }

  /// Ends a connection from one side; what that has sent still arrives.
  func close(_ end: MemoryConnection) {
    flights.removeAll { $0.end === end }
    ends.removeAll { $0 === end }
    if let other = end.end() { send(.closed, to: other) }
  }

  /// Delivers what is due and can pass.
  func deliver() {
    let now = loop.now
    var hasMore = true
    while hasMore {
      var waiting: [Flight] = []
      for flight in exchange(&flights, with: []) {
        if flight.due <= now, canPass(flight), !waiting.contains(where: { $0.end === flight.end }) {
          arrive(flight)
        } else {
          waiting.append(flight)
        }
      }
      // A connection that was accepted has put its opening on the way.
      hasMore = !flights.isEmpty
      for flight in exchange(&flights, with: waiting) { add(flight) }
    }
    if timer == nil { timer = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.deliver() } } }
    timer?.deadline = flights.lazy.filter(canPass).map(\.due).min()
  }

  private func canPass(_ flight: Flight) -> Bool {
    let (one, other) = (flight.end.port, flight.end.other?.port ?? flight.end.port)
    return groups[one, default: 0] == groups[other, default: 0] && flight.end.isReceiving
  }

  private func arrive(_ flight: Flight) {
    let end = flight.end
    if case .opened = flight.event, !end.isBeginner { return accept(end) }
    end.tell(flight.event)
    // The sender has room again, wherever the delay has its cause.
    if case .received(let bytes) = flight.event { end.other?.tell(.sent(bytes.count)) }
  }

  private func accept(_ end: MemoryConnection) {
    guard let accept = listeners[end.port], let other = end.other else {
      ends.removeAll { $0 === end }
      end.other?.tell(.failed(TransportFailure.system(SystemCallFailure("connect", code: ECONNREFUSED))))
      return
    }
    accept(end, Self.address(of: other.port))
    add(.opened, to: other)
  }

  /// Forgets all connections: they hold this network, which nobody uses any more.
  func end() {
    for end in exchange(&ends, with: []) { end.end() }
    (listeners, flights, timer) = ([:], [], nil)
  }

  // MARK: Faults

  /// Separates groups of ports from each other and from all others.
  func partition(_ groups: [[UInt16]]) {
    self.groups = [:]
    for (number, ports) in groups.enumerated() {
      for port in ports { self.groups[port] = number + 1 }
    }
    deliver()
  }

  /// Breaks the connections between two ports.
  func disconnect(_ one: UInt16, _ other: UInt16) {
    let broken = ends.filter { [[one, other], [other, one]].contains([$0.port, $0.other?.port]) }
    flights.removeAll { flight in broken.contains { $0 === flight.end } }
    ends.removeAll { end in broken.contains { $0 === end } }
    for end in broken {
      end.tell(.failed(TransportFailure.system(SystemCallFailure("recv", code: ECONNRESET))))
    }
    for end in broken { end.end() }
  }
}
