import CMicroHTTPD
import Glibc
import Synchronization

/// The connections and unanswered requests of the server, filled by the thread of libmicrohttpd.
///
/// It checks each header, collects bodies and hands whole requests over.
final class HTTPDesk: Sendable {
  private struct Connection {
    let socket: Int32
    /// When its client must have sent the request; nil while that is being answered.
    var deadline: ContinuousClock.Instant?
    /// Which one it is, in the order of their beginnings.
    let number: UInt64
    /// Whether nobody knows its client, and it may end so that another one can begin.
    var isStranger = true
  }

  private struct State {
    /// By the address of the library's own record.
    var connections: [UInt: Connection] = [:]
    var begun: UInt64 = 0
    var exchanges: [ObjectIdentifier: HTTPExchange] = [:]
    var isClosed = false
    /// Resumed when the last exchange is over.
    var drained: CheckedContinuation<Void, Never>?
  }

  /// The most of a refused body (bytes) that is read: a client that is still sending would lose the refusal.
  private static let refusedBodyLimit = 1 << 20
  /// The slowest client that may send a file (bytes a second).
  private static let slowest = 64 * 1024

  /// The whole requests.
  let requests: AsyncStream<HTTPExchange>
  private let queue: AsyncStream<HTTPExchange>.Continuation
  private let access: HTTPAccess
  private let bodyLimit: HTTPRequest.BodyLimit
  private let trusts: @Sendable (HTTPRequest) -> Bool
  private let patience: Duration
  private let state = Mutex(State())

  init(
    access: HTTPAccess, bodyLimit: @escaping HTTPRequest.BodyLimit,
    trusts: @escaping @Sendable (HTTPRequest) -> Bool, patience: Duration
  ) {
    (requests, queue) = AsyncStream.makeStream(of: HTTPExchange.self)
    self.access = access
    self.bodyLimit = bodyLimit
    self.trusts = trusts
    self.patience = patience
  }

  /// Serves connections to a socket, which is closed in the end; nil without a thread or memory for it.
  func start(
    _ listener: Int32, _ certificate: PageCertificate?, connections: Int, memory: Int
  ) -> OpaquePointer? {
    microhttpd_start(
      listener, certificate?.pem, UInt32(connections), UInt32(max(1, patience.components.seconds)), memory,
      { desk, connection, path, method, _, bytes, count, slot in
        HTTPDesk.from(desk).handle(
          connection!, method, path, UnsafeRawBufferPointer(start: bytes, count: count!.pointee), count!, slot!)
      }, { desk, connection, slot, _ in HTTPDesk.from(desk).complete(connection!, slot!) },
      { desk, connection, _, event in HTTPDesk.from(desk).connection(connection!, event) },
      Unmanaged.passUnretained(self).toOpaque())
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> HTTPDesk {
    Unmanaged.fromOpaque(context!).takeUnretainedValue()
  }

  /// Answers what waits, and waits until the answers have been sent, so that the library can be stopped.
  ///
  /// The library's own patience bounds a client that takes nothing.
  func close() async {
    let exchanges = state.withLock { state in
      state.isClosed = true
      // A request that is not whole now is not answered.
      for connection in state.connections.values where connection.deadline != nil {
        shutdown(connection.socket, Int32(SHUT_RDWR))
      }
      return Array(state.exchanges.values)
    }
    queue.finish()
    for exchange in exchanges { exchange.end() }
    await withCheckedContinuation { continuation in
      let isDrained = state.withLock { state in
        if !state.exchanges.isEmpty { state.drained = continuation }
        return state.exchanges.isEmpty
      }
      if isDrained { continuation.resume() }
    }
  }

  /// Ends the connections whose clients take too long for a request, and sees which clients have gone.
  func sweep(at now: ContinuousClock.Instant) {
    let exchanges = state.withLock { state in
      for connection in state.connections.values where connection.deadline.map({ $0 < now }) == true {
        // The library reads the end, and closes the socket.
        shutdown(connection.socket, Int32(SHUT_RDWR))
      }
      return Array(state.exchanges.values)
    }
    for exchange in exchanges { exchange.look() }
  }

  // MARK: The library's calls

  private func handle(
    _ connection: OpaquePointer, _ method: UnsafePointer<CChar>?, _ path: UnsafePointer<CChar>?,
    _ bytes: UnsafeRawBufferPointer, _ count: UnsafeMutablePointer<Int>,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  ) -> MHD_Result {
    guard let known = slot.pointee else {
      let head = Self.head(of: connection, method, path)
      let exchange = HTTPExchange(head, on: connection)
      slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
      return begin(exchange, head, on: connection)
    }
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(known).takeUnretainedValue()
    guard bytes.isEmpty else {
      exchange.append(bytes)
      setDeadline(of: connection) { $0?.advanced(by: .seconds(1) * bytes.count / Self.slowest) }
      count.pointee = 0
      return .YES
    }
    setDeadline(of: connection) { _ in nil }
    return exchange.proceed { if case .terminated = queue.yield(exchange) { exchange.end() } }
  }

  private func begin(_ exchange: HTTPExchange, _ head: HTTPRequest, on connection: OpaquePointer) -> MHD_Result {
    let isOpen = state.withLock { state in
      if !state.isClosed { state.exchanges[ObjectIdentifier(exchange)] = exchange }
      return !state.isClosed
    }
    guard isOpen else { return .NO }
    do throws(HTTPFailure) {
      _ = try head.bodySize(limit: bodyLimit(head))
      try access.check(head)
      if trusts(head) { change(connection) { $0.isStranger = false } }
      return .YES
    } catch {
      exchange.refuse(error)
      let isShort = (try? head.bodySize(limit: Self.refusedBodyLimit)) != nil
      return isShort ? .YES : exchange.proceed {}
    }
  }

  private func complete(_ connection: OpaquePointer, _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>) {
    guard let known = slot.pointee else { return }
    slot.pointee = nil
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(known).takeRetainedValue()
    exchange.finish()
    let key = ObjectIdentifier(exchange)
    let drained = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.exchanges[key] = nil
      guard state.exchanges.isEmpty else { return nil }
      defer { state.drained = nil }
      return state.drained
    }
    setDeadline(of: connection) { _ in .now + patience }
    drained?.resume()
  }

  private func connection(_ connection: OpaquePointer, _ event: MHD_ConnectionNotificationCode) {
    let (key, socket, begins) = (UInt(bitPattern: connection), microhttpd_socket(connection), microhttpd_begins(event))
    state.withLock { state in
      state.connections[key] = nil
      guard begins != 0 else { return }
      Self.makeRoom(in: &state)
      state.begun += 1
      state.connections[key] = Connection(socket: socket, deadline: .now + patience, number: state.begun)
    }
  }

  /// Ends the stranger that has been here longest, where there are too many.
  private static func makeRoom(in state: inout State) {
    let strangers = state.connections.filter(\.value.isStranger)
    guard strangers.count >= HTTPServer.strangerLimit,
      let oldest = strangers.min(by: { $0.value.number < $1.value.number })
    else { return }
    // The library reads the end, and closes the socket; until then it counts no more.
    shutdown(oldest.value.socket, Int32(SHUT_RDWR))
    state.connections[oldest.key]?.isStranger = false
  }

  private func setDeadline(
    of connection: OpaquePointer, _ change: (ContinuousClock.Instant?) -> ContinuousClock.Instant?
  ) {
    self.change(connection) { $0.deadline = change($0.deadline) }
  }

  private func change(_ connection: OpaquePointer, _ body: (inout Connection) -> Void) {
    let key = UInt(bitPattern: connection)
    state.withLock { state in
      guard var changed = state.connections[key] else { return }
      body(&changed)
      state.connections[key] = changed
    }
  }

  private static func head(
    of connection: OpaquePointer, _ method: UnsafePointer<CChar>?, _ path: UnsafePointer<CChar>?
  ) -> HTTPRequest {
    var fields: [HTTPRequest.Field] = []
    withUnsafeMutablePointer(to: &fields) { list in
      _ = MHD_get_connection_values(
        connection, .HEADER_KIND,
        { list, _, name, value in
          let list = list!.assumingMemoryBound(to: [HTTPRequest.Field].self)
          list.pointee.append(HTTPRequest.Field(text(name), text(value)))
          return .YES
        }, list)
    }
    return HTTPRequest(method: text(method), path: text(path), fields: fields)
  }
}

/// A text of the library; what is not UTF-8 is replaced.
private func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
