package import Basics
import PeerProtocol

/// Runs numbered nodes over a virtual network and a virtual clock that jumps to the next event.
///
/// Everything that happens follows from the seed and from the faults that the caller applies between calls of
/// ``run(until:)``. It is a value: a copy continues on its own.
package struct Simulation<Node: SimulatedNode, Monitor: SimulationMonitor<Node>> {
  /// One machine and what runs on it.
  struct Machine {
    var node: Node?
    var clock = VirtualClock()
    /// Counts starts and ends, so that what was meant for an earlier run does not reach this one.
    var run: Int32 = 0
    var isStopped = false
    /// Whether the clock stands still while stopped.
    var isAsleep = false
    var stoppedAt: Int64 = 0
    /// The deliveries that wait for a stopped node.
    var inbox: [SimulationEvent] = []
    /// The node's deadline, on its clock, after its last step.
    var deadline: Instant?
    /// When the earliest wake in the queue comes (ns).
    var wakeAt: Int64 = .max
    /// The time of the latest wake (ns), and how many there were at that time.
    var wakes: (time: Int64, count: Int) = (0, 0)
    /// The order of the latest sent packet that arrived here.
    var latestArrival: UInt64 = 0
  }

  /// The time of the simulation.
  package private(set) var now = Instant.zero
  /// Packets that arrived so far.
  package private(set) var delivered = 0
  /// The tally of connections and packets so far.
  package internal(set) var tally = NetworkTally()
  /// The check of the invariants.
  package var monitor: Monitor
  var random: SeededRandom
  var network: VirtualNetwork
  var queue = EventHeap()
  var machines: [Machine]
  private var packets = PacketStore<Node.Packet>()

  /// A network of `count` machines on which nothing runs yet.
  package init(count: Int, profile: NetworkProfile, random: SeededRandom, monitor: Monitor) {
    self.random = random
    self.monitor = monitor
    network = VirtualNetwork(count: count, profile: profile)
    machines = Array(repeating: Machine(), count: count)
  }

  /// The number of machines.
  package var count: Int { machines.count }

  /// The node on a machine; nil if none runs.
  package func node(_ index: Int) -> Node? { machines[index].node }

  /// Whether a machine runs something, stopped or not.
  package func isRunning(_ index: Int) -> Bool { machines[index].node != nil }

  /// Whether a node runs and is not stopped.
  func isAwake(_ index: Int) -> Bool { machines[index].node != nil && !machines[index].isStopped }

  /// By number, whether a machine runs something, stopped or not.
  package var running: [Bool] { machines.indices.map(isRunning) }

  /// By number, whether a machine runs something that is not stopped.
  package var awake: [Bool] { machines.indices.map(isAwake) }

  /// The time on a machine's clock.
  package func localTime(_ index: Int) -> Instant { machines[index].clock.local(at: now) }

  /// Sets a machine's clock; for before its first start only.
  package mutating func setClock(_ index: Int, skew: Int64, drift: Int64) {
    machines[index].clock.skew = skew
    machines[index].clock.drift = drift
  }

  /// Lets everything up to and at `end` happen.
  package mutating func run(until end: Instant) {
    while let time = queue.nextTime, time <= end.nanoseconds, let event = queue.pop() {
      now = Instant(nanoseconds: max(now.nanoseconds, time))
      happen(event)
    }
    now = max(now, end)
  }

  /// Lets everything in the next `nanoseconds` happen.
  package mutating func run(for nanoseconds: Int64) {
    run(until: now.advanced(byNanoseconds: nanoseconds))
  }

  /// Calls something on a running node, for an app's wish, and does what it asks for.
  package mutating func perform(_ index: Int, _ action: (inout Node, Instant) -> Void) {
    guard machines[index].node != nil, !machines[index].isStopped else { return }
    let local = localTime(index)
    action(&machines[index].node!, local)
    settle(index, local: local)
  }

  mutating func happen(_ event: SimulationEvent) {
    let (a, b) = (Int(event.a), Int(event.b))
    switch event.kind {
    case .arriveAtDialler, .arriveAtAcceptor: arrive(event)
    case .open: open(a)
    case .closeAtDialler, .closeAtAcceptor: closeEnd(event)
    case .silence:
      let connection = network.connections[a]
      let (one, other) = (Int(connection.dialler), Int(connection.acceptor))
      let isHalfOpen = connection.isOpenAtDialler != connection.isOpenAtAcceptor
      let isSilent = network.isBrokenEitherWay(one, other) || !isAwake(one) || !isAwake(other)
      if isHalfOpen || (isSilent && network.breakCount(one, other) == event.b) { sever(a) }
    case .receiptAtDialler, .receiptAtAcceptor: receipt(event)
    case .refuse:
      if holds(event, for: a) { return }
      tally.refusals += 1
      step(a) { $0.refused(peer: b, at: $1) }
    case .wake: wake(a, run: event.b, time: event.time)
    }
  }

  private mutating func wake(_ index: Int, run: Int32, time: Int64) {
    // A wake that an earlier one has overtaken is void; that one has seen to the deadline.
    guard machines[index].run == run, machines[index].wakeAt == time, !machines[index].isStopped else { return }
    machines[index].wakeAt = .max
    guard let deadline = machines[index].deadline else { return }
    let local = localTime(index)
    guard deadline <= local else {
      scheduleWake(index)
      return
    }
    countWake(of: index, at: time)
    step(index) { $0.tick(at: $1) }
  }

  /// Ends the program when a node wants to be woken at one time without end: a real one would keep a processor busy.
  private mutating func countWake(of index: Int, at time: Int64) {
    let isRepeated = machines[index].wakes.time == time
    machines[index].wakes = (time, isRepeated ? machines[index].wakes.count + 1 : 1)
    precondition(machines[index].wakes.count < 10_000, "machine \(index + 1) is woken without end at \(now)")
  }

  /// Keeps what happens to a stopped node for later; true if it did or if nothing runs there.
  private mutating func holds(_ event: SimulationEvent, for index: Int) -> Bool {
    guard machines[index].node != nil else { return true }
    guard machines[index].isStopped else { return false }
    machines[index].inbox.append(event)
    return true
  }

  private mutating func arrive(_ event: SimulationEvent) {
    let number = Int(event.a)
    let atDialler = event.kind == .arriveAtDialler
    let connection = network.connections[number]
    let index = Int(atDialler ? connection.dialler : connection.acceptor)
    guard atDialler ? connection.isOpenAtDialler : connection.isOpenAtAcceptor else {
      _ = packets.take(event.b)
      tally.lost += 1
      return
    }
    if holds(event, for: index) { return }
    guard let packet = packets.take(event.b) else { return }
    delivered += 1
    if event.order < machines[index].latestArrival { tally.overtaken += 1 }
    machines[index].latestArrival = max(machines[index].latestArrival, event.order)
    step(index) { $0.received(packet, on: ConnectionID(rawValue: UInt64(event.a)), at: $1) }
    guard Node.wantsReceipts else { return }
    let kind: SimulationEvent.Kind = atDialler ? .receiptAtAcceptor : .receiptAtDialler
    receipt(
      SimulationEvent(
        time: event.time, order: event.order, kind: kind, a: event.a, b: Int32(Node.byteCount(of: packet))))
  }

  private mutating func receipt(_ event: SimulationEvent) {
    let connection = network.connections[Int(event.a)]
    let atDialler = event.kind == .receiptAtDialler
    let index = Int(atDialler ? connection.dialler : connection.acceptor)
    guard atDialler ? connection.isOpenAtDialler : connection.isOpenAtAcceptor else { return }
    if holds(event, for: index) { return }
    let (local, id) = (localTime(index), ConnectionID(rawValue: UInt64(event.a)))
    guard machines[index].node?.delivered(byteCount: Int(event.b), on: id, at: local) == true else { return }
    settle(index, local: local)
  }

  /// A connection comes about, for both ends at once.
  private mutating func open(_ number: Int) {
    let (dialler, acceptor) = (Int(network.connections[number].dialler), Int(network.connections[number].acceptor))
    guard machines[dialler].run == network.connections[number].diallerRun else { return }
    guard isAwake(dialler), isAwake(acceptor), !network.isBrokenEitherWay(dialler, acceptor) else {
      queue.push(.refuse, at: now.nanoseconds, Int32(dialler), Int32(acceptor))
      return
    }
    tally.connections += 1
    network.connections[number].isOpenAtDialler = true
    network.connections[number].isOpenAtAcceptor = true
    let connection = ConnectionID(rawValue: UInt64(number))
    step(acceptor) { $0.opened(connection, peer: dialler, isDialler: false, at: $1) }
    step(dialler) { $0.opened(connection, peer: acceptor, isDialler: true, at: $1) }
  }

  private mutating func closeEnd(_ event: SimulationEvent) {
    let number = Int(event.a)
    let atDialler = event.kind == .closeAtDialler
    let connection = network.connections[number]
    let index = Int(atDialler ? connection.dialler : connection.acceptor)
    guard atDialler ? connection.isOpenAtDialler : connection.isOpenAtAcceptor else { return }
    if holds(event, for: index) { return }
    if atDialler {
      network.connections[number].isOpenAtDialler = false
    } else {
      network.connections[number].isOpenAtAcceptor = false
    }
    step(index) { $0.closed(ConnectionID(rawValue: UInt64(event.a)), at: $1) }
  }

  /// Gives a node one input and does what it asks for.
  mutating func step(_ index: Int, _ input: (inout Node, Instant) -> Void) {
    guard machines[index].node != nil else { return }
    let local = localTime(index)
    input(&machines[index].node!, local)
    settle(index, local: local)
  }

  /// Does what a node asks for, lets the monitor look, and notes the deadline.
  mutating func settle(_ index: Int, local: Instant) {
    while let output = machines[index].node?.nextOutput() {
      switch output {
      case .transmit(let packet, let connection): transmit(packet, on: Int(connection.rawValue), from: index)
      case .dial(let peer): dial(from: index, to: peer)
      case .close(let connection): close(Int(connection.rawValue), by: index)
      }
    }
    if machines[index].node != nil {
      machines[index].deadline = Self.show(&machines[index].node!, index, to: &monitor, local: local, at: now)
    }
    scheduleWake(index)
  }

  /// Lets the monitor look at a node and gives its deadline; in place, because passing it from the array copies it.
  private static func show(
    _ node: inout Node, _ index: Int, to monitor: inout Monitor, local: Instant, at now: Instant
  ) -> Instant? {
    monitor.stepped(index, node: node, local: local, at: now)
    return node.deadline
  }

  mutating func scheduleWake(_ index: Int) {
    guard let deadline = machines[index].deadline else { return }
    let time = max(now.nanoseconds, machines[index].clock.global(for: deadline))
    guard time < machines[index].wakeAt else { return }
    machines[index].wakeAt = time
    queue.push(.wake, at: time, Int32(index), machines[index].run)
  }

  private mutating func transmit(_ packet: Node.Packet, on number: Int, from index: Int) {
    let connection = network.connections[number]
    let toDialler = Int(connection.acceptor) == index
    guard toDialler ? connection.isOpenAtAcceptor : connection.isOpenAtDialler else { return }
    let other = Int(toDialler ? connection.dialler : connection.acceptor)
    let bytes = network.profile.rate == nil ? 0 : Node.byteCount(of: packet)
    let place = packets.put(packet)
    if network.isBroken(index, other) {
      tally.held += 1
      if toDialler {
        network.connections[number].heldForDialler.append(place)
      } else {
        network.connections[number].heldForAcceptor.append(place)
      }
      return
    }
    send(place, on: number, toDialler: toDialler, bytes: bytes)
  }

  mutating func send(_ place: Int32, on number: Int, toDialler: Bool, bytes: Int) {
    let time = network.arrival(
      on: number, toDialler: toDialler, bytes: bytes, now: now.nanoseconds, random: &random)
    queue.push(toDialler ? .arriveAtDialler : .arriveAtAcceptor, at: time, Int32(number), place)
  }

  private mutating func dial(from dialler: Int, to acceptor: Int) {
    let profile = network.profile
    guard isRunning(acceptor), !network.isBrokenEitherWay(dialler, acceptor) else {
      // A dead process refuses at once; a broken path or a machine that is off says nothing.
      queue.push(.refuse, at: now.nanoseconds + profile.dialTimeout, Int32(dialler), Int32(acceptor))
      return
    }
    let number = network.connect(dialler, acceptor, run: machines[dialler].run)
    let delay = 2 * profile.latency + Int64(random.below(UInt64(profile.jitter + 1)))
    queue.push(.open, at: now.nanoseconds + delay, number)
  }

  /// One end closes: the other end learns it after all that was sent before.
  private mutating func close(_ number: Int, by index: Int) {
    let byAcceptor = Int(network.connections[number].acceptor) == index
    let time = network.arrival(
      on: number, toDialler: byAcceptor, bytes: 0, now: now.nanoseconds, random: &random)
    if byAcceptor {
      network.connections[number].isOpenAtAcceptor = false
    } else {
      network.connections[number].isOpenAtDialler = false
    }
    queue.push(byAcceptor ? .closeAtDialler : .closeAtAcceptor, at: time, Int32(number))
  }
}
