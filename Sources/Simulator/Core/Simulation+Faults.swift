package import Basics
import PeerProtocol

/// The faults; each is applied between two events.
extension Simulation {
  /// Starts `make` on a machine where nothing runs; it gets the time on the machine's clock.
  package mutating func start(_ index: Int, _ make: (Instant) -> Node) {
    guard machines[index].node == nil else { return }
    machines[index].run += 1
    machines[index].isStopped = false
    machines[index].wakeAt = .max
    let local = localTime(index)
    let node = make(local)
    monitor.started(index, node: node, at: now)
    machines[index].node = node
    settle(index, local: local)
  }

  /// Ends a process.
  ///
  /// If its machine lives on, its sockets close at once; else the others have to notice by themselves.
  package mutating func crash(_ index: Int, silently: Bool) {
    guard machines[index].node != nil else { return }
    machines[index].node = nil
    machines[index].run += 1
    machines[index].isStopped = false
    machines[index].inbox.removeAll()
    for number in network.connections.indices where involves(number, index) {
      if silently { suspect(number) } else { sever(number) }
      if Int(network.connections[number].dialler) == index {
        network.connections[number].isOpenAtDialler = false
      } else {
        network.connections[number].isOpenAtAcceptor = false
      }
    }
  }

  /// Stops a process (SIGSTOP), or its whole machine with its clock (`asleep`), until ``resume(_:)``.
  package mutating func stop(_ index: Int, asleep: Bool) {
    guard isAwake(index) else { return }
    machines[index].isStopped = true
    machines[index].isAsleep = asleep
    machines[index].stoppedAt = now.nanoseconds
    for number in network.connections.indices where involves(number, index) { suspect(number) }
  }

  /// Lets a stopped process go on: it learns of a sleep, its late deadline, then what came in the meantime, in order.
  package mutating func resume(_ index: Int) {
    guard machines[index].node != nil, machines[index].isStopped else { return }
    let gap = now.nanoseconds - machines[index].stoppedAt
    machines[index].isStopped = false
    if machines[index].isAsleep { machines[index].clock.slept += gap }
    let local = localTime(index)
    let slept = machines[index].isAsleep ? gap : 0
    monitor.resumed(index, node: machines[index].node!, slept: slept, local: local, at: now)
    if machines[index].isAsleep { step(index) { $0.clockJumped(by: .nanoseconds(gap), at: $1) } }
    let inbox = machines[index].inbox
    machines[index].inbox = []
    machines[index].wakeAt = .max
    if let deadline = machines[index].deadline, deadline <= local { step(index) { $0.tick(at: $1) } }
    for event in inbox { happen(event) }
    scheduleWake(index)
  }

  /// Breaks or heals the path from one node to another.
  ///
  /// Packets over a broken path wait for it to heal, until heartbeats give up on the connection.
  package mutating func setPath(from: Int, to: Int, isBroken: Bool) {
    guard from != to, network.isBroken(from, to) != isBroken else { return }
    network.setBroken(from, to, isBroken)
    for number in network.open(from, to) {
      if isBroken { suspect(number) } else { releaseHeld(number, to: to) }
    }
  }

  /// Breaks or heals both directions between two nodes.
  package mutating func setPaths(_ one: Int, _ other: Int, areBroken: Bool) {
    setPath(from: one, to: other, isBroken: areBroken)
    setPath(from: other, to: one, isBroken: areBroken)
  }

  /// Whether two nodes can talk in both directions.
  func areLinked(_ one: Int, _ other: Int) -> Bool { !network.isBrokenEitherWay(one, other) }

  /// Adds a delay (ns) to everything sent from now on from one node to another.
  mutating func clog(from: Int, to: Int, delay: Int64) { network.setClogging(from, to, delay) }

  /// Loses every connection between two nodes, with what is on its way; both notice at once.
  package mutating func reset(_ one: Int, _ other: Int) {
    for number in network.open(one, other) { sever(number) }
  }

  /// Lets only nodes with the same number in `sides` talk.
  package mutating func split(_ sides: [Int]) {
    for one in 0..<count {
      for other in 0..<one { setPaths(one, other, areBroken: sides[one] != sides[other]) }
    }
  }

  /// Heals every path.
  package mutating func heal() { split(Array(repeating: 0, count: count)) }

  /// The connected components of running nodes, over paths that work both ways.
  package func components() -> [[Int]] {
    var unseen = (0..<count).map(isRunning)
    var found: [[Int]] = []
    for first in 0..<count where unseen[first] {
      unseen[first] = false
      var component = [first]
      var next = 0
      while next < component.count {
        for other in 0..<count where unseen[other] && areLinked(component[next], other) {
          unseen[other] = false
          component.append(other)
        }
        next += 1
      }
      found.append(component.sorted())
    }
    return found
  }

  private func involves(_ number: Int, _ index: Int) -> Bool {
    let connection = network.connections[number]
    guard connection.isOpenAtDialler || connection.isOpenAtAcceptor else { return false }
    return Int(connection.dialler) == index || Int(connection.acceptor) == index
  }

  /// Heartbeats give up on a connection later unless its path heals.
  private mutating func suspect(_ number: Int) {
    guard let silence = network.profile.silence else { return }
    let (one, other) = (Int(network.connections[number].dialler), Int(network.connections[number].acceptor))
    let span = UInt64(silence.upperBound - silence.lowerBound + 1)
    let time = now.nanoseconds + silence.lowerBound + Int64(random.below(span))
    queue.push(.silence, at: time, Int32(number), network.breakCount(one, other))
  }

  /// Both ends lose the connection now.
  mutating func sever(_ number: Int) {
    queue.push(.closeAtDialler, at: now.nanoseconds, Int32(number))
    queue.push(.closeAtAcceptor, at: now.nanoseconds, Int32(number))
  }

  private mutating func releaseHeld(_ number: Int, to index: Int) {
    let toDialler = Int(network.connections[number].dialler) == index
    let held =
      toDialler ? network.connections[number].heldForDialler : network.connections[number].heldForAcceptor
    if toDialler {
      network.connections[number].heldForDialler = []
    } else {
      network.connections[number].heldForAcceptor = []
    }
    for place in held { send(place, on: number, toDialler: toDialler, bytes: 0) }
  }
}
