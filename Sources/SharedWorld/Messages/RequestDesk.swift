import PeerProtocol
import PeerTransport
import WorldModel

/// A session's part in requests: the callers that wait for answers, and the requests of others that are being answered.
struct RequestDesk {
  typealias Outcome = Result<MessageEnvelope, SessionError>

  /// A caller that waits, or is about to.
  private struct Open {
    let peer: PeerID
    /// When it times out (nanoseconds of the session's loop).
    let deadline: UInt64
    /// Whether the session asks, and not the app.
    let isOwn: Bool
    /// The message that carries the request, once it was accepted for sending.
    var message: MessageID?
    var caller: CheckedContinuation<Outcome, Never>?
    /// The outcome, if it came before the caller waits.
    var outcome: Outcome?
  }

  /// A request of another peer for as long as somebody works on it.
  private struct Served {
    weak var request: ServedRequest?
  }

  /// Names a request of another peer.
  private struct Key: Comparable {
    let sender: NodeID
    let number: UInt64

    static func < (one: Self, other: Self) -> Bool { (one.sender, one.number) < (other.sender, other.number) }
  }

  /// Fires at ``deadline``; nil before the first request.
  var timer: LoopTimer?
  private var open: Table<UInt64, Open> = [:]
  private var served: Table<Key, Served> = [:]
  /// Entries of `served` at which those that are gone are removed.
  private var servedLimit = 64

  /// When the next caller times out (nanoseconds of the session's loop); nil for never.
  var deadline: UInt64? { open.values.lazy.filter { $0.outcome == nil }.map(\.deadline).min() }

  // MARK: Asking

  /// Begins a request under a number that was not used before.
  mutating func begin(_ number: UInt64, to peer: PeerID, until deadline: UInt64, isOwn: Bool = false) {
    open[number] = Open(peer: peer, deadline: deadline, isOwn: isOwn)
  }

  /// Whether the session asks, and not the app.
  func isOwn(_ number: UInt64) -> Bool { open[number]?.isOwn ?? false }

  /// The request was accepted for sending.
  mutating func sent(_ number: UInt64, as message: MessageID) { open[number]?.message = message }

  /// Lets a caller wait for its outcome, or gives it at once.
  mutating func wait(_ number: UInt64, _ caller: CheckedContinuation<Outcome, Never>) {
    if let outcome = open[number]?.outcome {
      open[number] = nil
      caller.resume(returning: outcome)
    } else {
      open[number]?.caller = caller
    }
  }

  /// Whether this peer still waits for the answer of that one.
  func awaits(_ number: UInt64, from peer: PeerID) -> Bool {
    open[number].map { $0.peer == peer && $0.outcome == nil } ?? false
  }

  /// Settles a request, and returns the peer that was asked; nil when it is settled already.
  @discardableResult
  mutating func finish(_ number: UInt64, _ outcome: Outcome) -> PeerID? {
    guard let request = open[number], request.outcome == nil else { return nil }
    if let caller = request.caller {
      open[number] = nil
      caller.resume(returning: outcome)
    } else {
      open[number]?.outcome = outcome
    }
    return request.peer
  }

  /// Forgets a request that was not sent, and returns why if it was settled meanwhile.
  mutating func cancel(_ number: UInt64) -> Outcome? { open.removeValue(forKey: number)?.outcome }

  /// The numbers of the open requests for which `test` holds, in order.
  private func numbers(where test: (Open) -> Bool) -> [UInt64] {
    open.filter { $0.value.outcome == nil && test($0.value) }.keys
  }

  /// The requests whose time is over.
  func late(at now: UInt64) -> [UInt64] { numbers { $0.deadline <= now } }

  /// The requests to this peer.
  func requests(to peer: PeerID) -> [UInt64] { numbers { $0.peer == peer } }

  /// The requests that these messages carry to this peer.
  func requests(to peer: PeerID, in messages: [MessageID]) -> [UInt64] {
    guard !open.isEmpty else { return [] }
    let messages = Set(messages)
    return numbers { $0.peer == peer && ($0.message.map(messages.contains) ?? false) }
  }

  /// Settles every request.
  mutating func endAll(_ error: SessionError) {
    for number in numbers(where: { _ in true }) { finish(number, .failure(error)) }
  }

  // MARK: Answering

  /// Keeps a request of another peer in sight, so that it can be withdrawn; false if that peer has used its number before.
  mutating func serve(_ request: ServedRequest) -> Bool {
    let key = Key(sender: request.sender, number: request.number)
    guard served[key]?.request == nil else { return false }
    if served.count >= servedLimit {
      served = served.filter { $0.value.request != nil }
      servedLimit = max(64, 2 * served.count)
    }
    served[key] = Served(request: request)
    return true
  }

  /// The sender of a request does not wait for the answer any more.
  mutating func withdraw(_ number: UInt64, of sender: NodeID) {
    served.removeValue(forKey: Key(sender: sender, number: number))?.request?.withdraw()
  }

  /// A peer is gone: nobody waits for answers to its requests.
  mutating func withdrawAll(of peer: PeerID) {
    for (key, entry) in served where key.sender.peer == peer { entry.request?.withdraw() }
    served = served.filter { $0.key.sender.peer != peer }
  }
}
