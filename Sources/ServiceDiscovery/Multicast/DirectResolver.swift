internal import Basics
internal import BasicsLinux
internal import Glibc

#if Avahi
// Its module map has poll(2) too, and the compiler takes that for the defining one.
internal import CAvahiCore
#endif

/// Looks services up beside the back-end, whose thread and cache strangers may keep busy and fill.
///
/// Confined to the thread that calls ``run()``; made on another thread before that one starts, hence the unchecked conformance.
final class DirectResolver: BackendEngine, @unchecked Sendable {
  /// Look-ups at a time, of three questions each.
  private static let maximumLookUps = 16

  /// Datagrams that one socket gives at a time.
  private static let burst = 8

  /// A socket for each interface and IP version, for an answer does not say on which interface it has come.
  private typealias Way = (path: MulticastPath, socket: MulticastSocket)

  private let mailbox: Mailbox
  /// Open while something is asked.
  private var ways: [Way] = []
  private var queries: [DirectQuery] = []
  private lazy var resolver = Resolver(maximumRunning: Self.maximumLookUps) { [unowned self] in ask($0, $1, $2) }
  private var isRunning = true

  init(mailbox: Mailbox) { self.mailbox = mailbox }

  /// Works until ``stop()``.
  func run() {
    var pace = NetworkPace()
    while isRunning {
      pace.keep()
      wait()
      mailbox.drain()
      resolver.expire(at: .now)
      queries.removeAll { $0.isClosed }
      if queries.isEmpty { ways = [] }
    }
    mailbox.close()
    mailbox.drain()
    resolver.failAll(.stopped)
  }

  /// Makes ``run()`` return.
  func stop() { isRunning = false }

  /// Begins a look-up.
  func resolve(
    _ id: Int, _ instance: ServiceInstance, deadline: ContinuousClock.Instant,
    _ completion: @escaping Resolver.Completion
  ) {
    resolver.begin(id, instance, deadline: deadline, completion)
  }

  /// Ends a look-up early.
  func cancel(_ id: Int) { resolver.cancel(id) }

  /// It asks for no TXT records.
  func hear(_ texts: [ServiceInstance: [UInt8]]) {}

  private func ask(
    _ name: String, _ type: RecordType, _ onAnswer: @escaping ([UInt8], UInt32) -> Void
  ) -> (any RecordQuery)? {
    guard let query = DirectQuery(name: name, type: type, at: .now, onAnswer: onAnswer) else { return nil }
    // Opened for each first question, since interfaces come and go.
    if queries.isEmpty || ways.isEmpty { ways = Self.open() }
    queries.append(query)
    return query
  }

  private static func open() -> [Way] {
    MulticastPath.all().compactMap { path in MulticastSocket(isIPv4: path.isIPv4, .answers).map { (path, $0) } }
  }

  /// Puts the questions that are due, and sleeps until an answer, the mailbox or a deadline needs attention.
  private func wait() {
    let now = ContinuousClock.now
    for query in queries where query.due <= now {
      for way in ways { _ = way.socket.send(query.question, on: way.path.interface) }
      query.noteSent(at: now)
    }
    let descriptors = [mailbox.fileDescriptor] + ways.map(\.socket.descriptor)
    var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let due = (queries.map(\.due) + [resolver.deadline].compactMap(\.self)).min()
    poll(&polled, nfds_t(polled.count), milliseconds(until: due))
    for way in ways { read(way) }
  }

  private func read(_ way: Way) {
    for _ in 0..<Self.burst {
      guard let (bytes, sender) = way.socket.receive() else { return }
      // A stranger must not speak for this machine.
      guard sender.port == MulticastSocket.port, sender.host.isLoopback == way.path.isLoopback else { continue }
      let records = MulticastMessage.records(in: bytes)
      // An answer may lead to further questions.
      for query in queries { query.take(records, on: way.path.interface) }
    }
  }
}
