import PeerProtocol

/// How the wait of a caller ended.
enum WaitOutcome: Sendable {
  /// As the node says.
  case acknowledgement(AcknowledgementResult)
  /// As the node says.
  case ownership(OwnershipResult)
  /// As the node says.
  case invitation(InvitationResult)
  /// As the node says.
  case host(HostWaitResult)
  /// The task was cancelled.
  case cancelled
  /// The session is over.
  case ended(EndReason)
}

/// The callers that await something the node has begun, each under a number of its own.
struct Waits {
  /// The callers whose messages wait for room.
  var messages = MessageDesk()
  /// The callers that wait for answers of peers, and the peers that wait for answers of this one.
  var requests = RequestDesk()
  /// The resources that are offered and fetched.
  var resources = ResourceDesk()
  /// The streams, and the callers that read, write and open them.
  var streams = StreamDesk()
  private var waiting: Table<UInt64, CheckedContinuation<WaitOutcome, Never>> = [:]
  private var lastNumber: UInt64 = 0

  /// A number that was not given before.
  mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  /// A caller waits.
  mutating func begin(_ number: UInt64, _ caller: CheckedContinuation<WaitOutcome, Never>) { waiting[number] = caller }

  /// Resumes a caller; a no-op when it waits no longer.
  mutating func finish(_ number: UInt64, _ outcome: WaitOutcome) {
    waiting.removeValue(forKey: number)?.resume(returning: outcome)
  }

  /// Resumes every caller: nothing more will happen.
  mutating func endAll(_ reason: EndReason) {
    for number in waiting.keys { finish(number, .ended(reason)) }
    let error = SessionError(.ended, "the session has ended; start a new one")
    messages.endAll(error)
    requests.endAll(error)
    resources.endAll()
    streams.endAll(error)
  }
}
