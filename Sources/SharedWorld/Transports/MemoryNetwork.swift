import Basics
import PeerTransport
import ServiceDiscovery

/// A network in memory, for an app's own tests: sessions of one process find each other and connect without sockets, ports and
/// daemons.
///
///     let network = try MemoryNetwork(seed: 7, delay: .milliseconds(1) ... .milliseconds(20))
///     var configuration = Session.Configuration()
///     configuration.transport = .inMemory(network)
///
/// The test breaks it as real ones break: it delays bytes, cuts connections and lets groups of peers not reach each other.
///
/// The same seed gives the same delays: that of a piece is a function of the seed, of the two sessions, counted in the order in
/// which they began, of the number of the connection among those that the first has begun to the second, of the direction, and
/// of the number of the piece, the opening and the end of the connection included. A piece that is due earlier arrives first.
/// Nothing is drawn besides: bytes are lost only by ``disconnect(_:_:)``, and wait only for ``heal()``, which the test calls. The
/// seed does not decide which thread of the machine runs first, and so not into which pieces a session divides its bytes, nor when it
/// connects again.
public final class MemoryNetwork: Sendable {
  let core: MemoryNetworkCore
  let clock: LoopClock

  /// A network that delivers all bytes of a connection in order, each piece after a random delay from the range.
  ///
  /// - Parameters:
  ///   - seed: The seed of the delays.
  ///   - delay: How long a piece is on its way, at least and at most; by default no time at all.
  ///   - speed: How many times faster time passes for the sessions while all of them wait, 1...100. With 1 they run in real time,
  ///     and a session alone needs the better part of a second until it is host; the times of the app itself stay real.
  /// - Throws: ``SessionError`` with the code `invalidArgument` for a speed out of range, and `io` when the system has no thread or
  ///   descriptor left.
  public convenience init(
    seed: UInt64 = 0, delay: ClosedRange<Duration> = .zero ... .zero, speed: Int = 1
  ) throws(SessionError) {
    guard Self.speeds.contains(speed) else {
      throw SessionError(
        .invalidArgument,
        "a network in memory runs \(Self.speeds.lowerBound) to \(Self.speeds.upperBound) times as fast, not \(speed) times"
      )
    }
    try self.init(seed, delay, LoopClock(speed: speed), isLasting: false)
  }

  /// The network of sessions that are no test: nothing breaks its connections or delays them.
  static func lasting() throws(SessionError) -> MemoryNetwork {
    try MemoryNetwork(0, .zero ... .zero, .machine, isLasting: true)
  }

  private init(
    _ seed: UInt64, _ delay: ClosedRange<Duration>, _ clock: LoopClock, isLasting: Bool
  ) throws(SessionError) {
    self.clock = clock
    do throws(TransportFailure) {
      let loop = try EventLoop(name: "sharedworld-mn", clock: clock)
      core = MemoryNetworkCore(loop: loop, seed: seed, delay: delay, isLasting: isLasting)
    } catch {
      throw SessionError(.io, "the network in memory cannot start: \(error)", cause: error)
    }
  }

  deinit {
    core.run { $0.end() }
    core.loop.stop()
  }

  /// Beyond, a timer's resolution of a millisecond would be too coarse for the sessions' own times.
  private static let speeds = 1...100

  /// Lets bytes pass within each group alone, until ``heal()``; the sessions that are in none are a group too.
  ///
  /// As on a real network, what is sent to another group waits, and connections break when that takes too long.
  public func partition(_ groups: [Session]...) {
    let groups = groups.map { $0.map(\.port) }
    core.run { $0.partition(groups) }
  }

  /// Lets all bytes pass again; those that waited are delivered.
  public func heal() {
    core.run { $0.partition([]) }
  }

  /// Breaks the connections between two sessions, and what is on its way there is lost; they may connect again at once.
  public func disconnect(_ one: Session, _ other: Session) {
    let ports = (one.port, other.port)
    core.run { $0.disconnect(ports.0, ports.1) }
  }
}

/// Two networks are equal if they are one.
extension MemoryNetwork: Hashable {
  /// Whether they are one network.
  public static func == (one: MemoryNetwork, other: MemoryNetwork) -> Bool { one === other }

  /// Hashes which network it is.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
