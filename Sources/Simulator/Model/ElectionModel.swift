package import AnchorReplication
package import Basics
package import PeerProtocol

/// A few nodes that elect a host, and everything that may happen to them next.
///
/// Messages between two nodes stay in order, those of different pairs interleave in every way; each arrives within
/// ``longestTravel``, or is lost while losses are left. Time moves to the next deadline. A node may crash, and one may
/// be cut off and come back; who is reachable is noticed at any later moment. There is no jitter.
package struct ElectionModel: Sendable {
  /// A step that may come next.
  package enum Action: Hashable, Sendable {
    case deliver(from: Int, to: Int)
    case lose(from: Int, to: Int)
    case tick(Int)
    case advance
    case crash(Int)
    case cutOff(Int)
    case heal
    case notice(Int)

    /// Whether it happens by itself where nothing goes wrong.
    var isOrderly: Bool {
      switch self {
      case .deliver, .tick, .advance, .notice: true
      case .lose, .crash, .cutOff, .heal: false
      }
    }
  }

  /// A message on its way.
  struct Flight: Sendable {
    var message: ElectionMessage
    var sent: Instant
  }

  /// The longest time a message takes (ns).
  static let longestTravel: Int64 = 300_000_000

  package let count: Int
  package private(set) var now = Instant.zero
  package private(set) var nodes: [HostElection?]
  /// By sender and receiver, row by row.
  private var flights: [[Flight]]
  /// The nodes that each node takes for reachable.
  private var views: [Set<Int>]
  private var outcast: Int?
  private var lossesLeft = 1
  private var crashesLeft = 1
  private var cutsLeft = 1
  /// The invariant that did not hold in the last step.
  package private(set) var violation: String?

  /// Fresh nodes that see each other.
  package init(count: Int, rules: ProtocolRules = .all) {
    self.count = count
    var configuration = ElectionConfiguration()
    configuration.timers.bootJitter = 0
    configuration.timers.waitJitter = 0
    nodes = (0..<count).map { index in
      HostElection(
        me: Self.identity(of: index), configuration: configuration, rules: rules, random: SeededRandom(seed: 1),
        at: .zero)
    }
    flights = Array(repeating: [], count: count * count)
    views = Array(repeating: [], count: count)
    for index in 0..<count { notice(index) }
  }

  static func identity(of index: Int) -> NodeID {
    NodeID(peer: SessionPeer.identity(of: index), incarnation: UInt64(index) + 1)
  }

  private func isConnected(_ one: Int, _ other: Int) -> Bool {
    one != other && nodes[one] != nil && nodes[other] != nil && outcast != one && outcast != other
  }

  private func reachable(_ index: Int) -> Set<Int> {
    Set((0..<count).filter { isConnected(index, $0) })
  }

  private var nextDeadline: Instant? { nodes.compactMap { $0?.deadline }.min() }

  /// Everything that may happen now.
  package var actions: [Action] {
    var found: [Action] = []
    for index in 0..<count where nodes[index] != nil {
      if let deadline = nodes[index]?.deadline, deadline <= now { found.append(.tick(index)) }
      if views[index] != reachable(index) { found.append(.notice(index)) }
      if crashesLeft > 0 { found.append(.crash(index)) }
      if cutsLeft > 0, outcast == nil { found.append(.cutOff(index)) }
    }
    if outcast != nil { found.append(.heal) }
    for from in 0..<count {
      for to in 0..<count where !flights[from * count + to].isEmpty {
        found.append(.deliver(from: from, to: to))
        if lossesLeft > 0 { found.append(.lose(from: from, to: to)) }
      }
    }
    if let next = nextDeadline, next > now,
      oldestSent.map({ next.nanoseconds(since: $0) <= Self.longestTravel }) ?? true
    {
      found.append(.advance)
    }
    return found
  }

  private var oldestSent: Instant? { flights.compactMap { $0.first?.sent }.min() }

  /// Lets one of ``actions`` happen.
  package mutating func perform(_ action: Action) {
    switch action {
    case .deliver(let from, let to):
      let flight = flights[from * count + to].removeFirst()
      step(to, heard: (flight.message, Self.identity(of: from))) {
        $0.handle(flight.message, from: Self.identity(of: from), at: $1)
      }
    case .lose(let from, let to):
      lossesLeft -= 1
      flights[from * count + to].removeFirst()
    case .tick(let index): step(index) { $0.tick(at: $1) }
    case .advance: now = nextDeadline ?? now
    case .crash(let index):
      crashesLeft -= 1
      nodes[index] = nil
      loseFlights(of: index)
    case .cutOff(let index):
      cutsLeft -= 1
      outcast = index
      loseFlights(of: index)
    case .heal: outcast = nil
    case .notice(let index): notice(index)
    }
  }

  private mutating func loseFlights(of index: Int) {
    for other in 0..<count {
      flights[index * count + other] = []
      flights[other * count + index] = []
    }
  }

  private mutating func notice(_ index: Int) {
    views[index] = reachable(index)
    let members = views[index].sorted().compactMap { nodes[$0].map { ElectionMember(rank: $0.rank) } }
    step(index) { $0.setReachable(members, at: $1) }
  }

  private mutating func step(
    _ index: Int, heard: (ElectionMessage, NodeID)? = nil, _ input: (inout HostElection, Instant) -> Void
  ) {
    guard var node = nodes[index] else { return }
    let before = node
    input(&node, now)
    var check = ElectionStepCheck(before: before, heard: heard, now: now)
    while let output = node.nextOutput() {
      check.inspect(output)
      switch output {
      case .broadcast(let message): for other in 0..<count { send(message, from: index, to: other) }
      case .send(let message, let target): send(message, from: index, to: Int(target.incarnation) - 1)
      case .hostChanged, .joinSequenceChanged: break
      }
    }
    check.compare(with: node)
    if let text = check.violation { violation = "node \(index + 1): \(text)" }
    nodes[index] = node
  }

  private mutating func send(_ message: ElectionMessage, from: Int, to: Int) {
    guard isConnected(from, to) else { return }
    flights[from * count + to].append(Flight(message: message, sent: now))
  }

  /// The same for states that behave the same from here on.
  package var digest: SHA256Digest {
    var writer = ByteWriter()
    for index in 0..<count {
      writer.write(UInt8(nodes[index] == nil ? 0 : 1))
      nodes[index]?.writeState(to: &writer, at: now)
      for other in views[index].sorted() { writer.write(UInt8(other)) }
    }
    for queue in flights {
      writer.write(UInt8(truncatingIfNeeded: queue.count))
      for flight in queue {
        flight.message.write(to: &writer)
        writer.write(UInt64(now.nanoseconds(since: flight.sent)))
      }
    }
    writer.write(UInt8(truncatingIfNeeded: outcast ?? 255))
    for left in [lossesLeft, crashesLeft, cutsLeft] { writer.write(UInt8(truncatingIfNeeded: left)) }
    return SHA256Digest(hashing: writer.bytes)
  }
}

extension ElectionModel {
  /// The steps that are left if nothing more goes wrong: everything healed and noticed, messages in order, for `span` ns.
  mutating func comeToRest(within span: Int64) {
    outcast = nil
    settle(for: span)
  }

  /// Lets time pass without faults: messages arrive in order.
  package mutating func settle(for span: Int64) {
    let end = now.advanced(byNanoseconds: span)
    while now < end, violation == nil, let action = actions.first(where: \.isOrderly) { perform(action) }
  }

  /// The fault of the hosts at rest; nil if all follow one.
  package var disagreement: String? {
    let live = nodes.compactMap(\.self)
    let hosts = live.filter(\.isHost)
    guard hosts.count == 1, let host = hosts.first else { return "E1 \(hosts.count) hosts at rest" }
    let isAgreed = live.allSatisfy { $0.host == host.me && $0.epoch == host.epoch }
    return isAgreed ? nil : "E1 not all follow the host at rest"
  }
}
