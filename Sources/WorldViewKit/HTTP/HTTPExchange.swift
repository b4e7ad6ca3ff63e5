import CMicroHTTPD
import Glibc
import Synchronization

/// One request and its answer, between the library's thread and the task that answers.
///
/// While the answer is being made, or a stream has nothing to send, the connection is suspended, so that the library's one
/// thread serves the others; it is resumed by the one who brings bytes.
final class HTTPExchange: Sendable {
  /// How far it has come.
  private enum Phase {
    case reading
    case asked
    case answered(HTTPResponse)
    case sending
    case over
  }

  private struct State {
    var phase = Phase.reading
    var body: [UInt8] = []
    /// Whether the library waits until bytes of a stream are here.
    var isSuspended = false
    /// Bytes of a stream that the library has not fetched, and whether more follow.
    var pending: ArraySlice<UInt8> = []
    var hasEnded = false
    var waiter: CheckedContinuation<Void, Never>?
    /// Told once the request is done or its client has gone; nil while nobody waits for that.
    var departure: AsyncStream<Void>.Continuation?

    var isOver: Bool { if case .over = phase { true } else { false } }
  }

  /// The bytes that the library fetches at once.
  private static let blockSize = 32 * 1024

  /// Without the body.
  private let head: HTTPRequest
  /// Valid until the phase is `over`: the library says that before it frees it.
  nonisolated(unsafe) private let connection: OpaquePointer
  private let state = Mutex(State())

  /// The exchange of a request whose header is here.
  init(_ head: HTTPRequest, on connection: OpaquePointer) {
    self.head = head
    self.connection = connection
  }

  /// The whole request.
  var request: HTTPRequest { head.with(body: state.withLock { $0.body }) }

  // MARK: On the library's thread

  /// Keeps a part of the body, of a request that was not refused.
  func append(_ bytes: UnsafeRawBufferPointer) {
    state.withLock { state in if case .reading = state.phase { state.body += bytes } }
  }

  /// Sets the answer of a request that is not asked.
  func refuse(_ failure: HTTPFailure) {
    state.withLock { $0.phase = .answered(HTTPResponse(failure, isLast: true)) }
  }

  /// Goes on once the request is whole, or its answer is here.
  ///
  /// - Parameter ask: Hands the request over; the connection waits.
  func proceed(_ ask: () -> Void) -> MHD_Result {
    let (response, isNew) = state.withLock { state in
      switch state.phase {
      case .reading:
        state.phase = .asked
        MHD_suspend_connection(connection)
        return (nil as HTTPResponse?, true)
      case .answered(let response):
        state.phase = .sending
        return (response, false)
      case .asked, .sending, .over: return (nil, false)
      }
    }
    if isNew { ask() }
    return response.map(queue) ?? .YES
  }

  /// The request is done, or its client is gone.
  func finish() {
    let (waiter, departure) = state.withLock { state in
      state.phase = .over
      defer { state.waiter = nil }
      return (state.waiter, state.departure)
    }
    waiter?.resume()
    departure?.yield()
  }

  private func queue(_ response: HTTPResponse) -> MHD_Result {
    var size = UInt64.max
    if case .bytes(let bytes) = response.body {
      size = UInt64(bytes.count)
      state.withLock { ($0.pending, $0.hasEnded) = (bytes[...], true) }
    }
    let made = MHD_create_response_from_callback(
      size, Self.blockSize,
      { exchange, _, buffer, room in
        Unmanaged<HTTPExchange>.fromOpaque(exchange!).takeUnretainedValue()
          .fetch(into: UnsafeMutableRawBufferPointer(start: buffer, count: room))
      }, Unmanaged.passRetained(self).toOpaque(), { Unmanaged<HTTPExchange>.fromOpaque($0!).release() })
    guard let made else { return .NO }
    for (name, value) in response.fields { MHD_add_response_header(made, name, value) }
    let result = MHD_queue_response(connection, UInt32(response.status), made)
    MHD_destroy_response(made)
    return result
  }

  private func fetch(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let (count, waiter) = state.withLock { state -> (Int, CheckedContinuation<Void, Never>?) in
      guard !state.pending.isEmpty else {
        if state.hasEnded { return (-1, nil) }
        state.isSuspended = true
        MHD_suspend_connection(connection)
        return (0, nil)
      }
      let count = min(buffer.count, state.pending.count)
      buffer.copyBytes(from: state.pending.prefix(count))
      state.pending = state.pending.dropFirst(count)
      guard state.pending.isEmpty else { return (count, nil) }
      defer { state.waiter = nil }
      return (count, state.waiter)
    }
    waiter?.resume()
    return count
  }

  // MARK: In the task that answers

  /// Sends the answer, if nobody did before.
  func answer(_ response: HTTPResponse) {
    state.withLock { state in
      guard case .asked = state.phase else { return }
      state.phase = .answered(response)
      MHD_resume_connection(connection)
    }
  }

  /// Sends a part of a stream as soon as the client has taken the one before; throws when it is gone.
  func send(_ bytes: [UInt8]) async throws(CancellationError) {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mustWait = state.withLock { state in
          guard !state.isOver, !state.pending.isEmpty, !Task.isCancelled else { return false }
          state.waiter = continuation
          return true
        }
        if !mustWait { continuation.resume() }
      }
    } onCancel: {
      state.withLock { state in
        defer { state.waiter = nil }
        return state.waiter
      }?.resume()
    }
    let isSent = state.withLock { state in
      guard !state.isOver, !state.hasEnded, !Task.isCancelled else { return false }
      state.pending = bytes[...]
      resume(&state)
      return true
    }
    if !isSent { throw CancellationError() }
  }

  /// Ends a stream, and answers what nobody answered.
  func end() {
    answer(HTTPResponse(HTTPFailure(503, "worldview ends"), isLast: true))
    state.withLock { state in
      state.hasEnded = true
      resume(&state)
    }
  }

  /// Yields once the request is done, or its client has gone, which ``look()`` sees.
  func departure() -> AsyncStream<Void> {
    let (departures, depart) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let isOver = state.withLock { state in
      state.departure = depart
      return state.isOver
    }
    if isOver { depart.yield() }
    return departures
  }

  /// Looks whether the client has closed its end, which the library does not see while the connection is suspended.
  func look() {
    let departure = state.withLock { state -> AsyncStream<Void>.Continuation? in
      guard let departure = state.departure, !state.isOver else { return nil }
      var byte: UInt8 = 0
      let count = recv(microhttpd_socket(connection), &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
      let isThere = count > 0 || count < 0 && (errno == EAGAIN || errno == EINTR)
      return isThere ? nil : departure
    }
    departure?.yield()
  }

  private func resume(_ state: inout State) {
    guard state.isSuspended, !state.isOver else { return }
    state.isSuspended = false
    MHD_resume_connection(connection)
  }
}

/// Where a streamed answer goes.
package struct HTTPWriter: Sendable {
  let exchange: HTTPExchange

  /// Sends text; throws when the client is gone.
  package func write(_ text: String) async throws { try await exchange.send(Array(text.utf8)) }
}
