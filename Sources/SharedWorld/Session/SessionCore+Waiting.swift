import Basics
import PeerProtocol
import PeerTransport

/// How the wait of a caller ended.
enum WaitOutcome: Sendable {
  /// As the node says.
  case acknowledgement(AcknowledgementResult)
  /// As the node says.
  case ownership(OwnershipResult)
  /// The task was cancelled.
  case cancelled
  /// The session is over.
  case ended
}

extension SessionCore {
  /// Lets the node begin something under a number of its own, and waits until ``finishWait(_:_:)`` tells how it ended.
  ///
  /// - Parameters:
  ///   - begin: What begins it.
  ///   - giveUp: What ends it early, when the task is cancelled.
  func wait(
    _ begin: (UInt64) -> Input, givingUp giveUp: @escaping @Sendable (UInt64) -> Input
  ) async -> WaitOutcome {
    let number = freshNumber()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waits[number] = continuation
        if Task.isCancelled {
          finishWait(number, .cancelled)
        } else if (try? handle(begin(number))) == nil {
          finishWait(number, .ended)
        }
      }
    } onCancel: {
      loop.execute {
        self.assumeIsolated { core in
          core.input(giveUp(number))
          core.finishWait(number, .cancelled)
        }
      }
    }
  }

  func finishWait(_ number: UInt64, _ outcome: WaitOutcome) {
    waits.removeValue(forKey: number)?.resume(returning: outcome)
  }

  /// The session is over: nothing more will be told.
  func endWaits() {
    for number in waits.keys.sorted() { finishWait(number, .ended) }
  }

  /// Waits until everything this peer has edited so far is acknowledged.
  func settle(_ acknowledgement: Acknowledgement) async throws(SessionError) {
    let level: AcknowledgementLevel
    switch acknowledgement.level {
    case .local: return
    case .host: level = .host
    case .everyPresentMember: level = .everyPresentMember
    }
    let outcome = await wait { number in
      .awaitAcknowledgement(AcknowledgementID(rawValue: number), level, timeout: acknowledgement.timeout)
    } givingUp: { number in
      .cancelAcknowledgement(AcknowledgementID(rawValue: number))
    }
    switch outcome {
    case .acknowledgement(.acknowledged): return
    case .cancelled: throw SessionError(.cancelled, "the wait was cancelled; the edit stands")
    case .ended: throw SessionError(.ended, "the session ended before the edit was acknowledged")
    case .acknowledgement(.timedOut), .ownership:
      throw SessionError(.notAcknowledged, "not everybody has the edit yet; it stands, and goes on spreading")
    }
  }
}
