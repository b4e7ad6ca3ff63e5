import PeerProtocol
import PeerTransport

extension SessionCore {
  /// Waits until everything this peer has edited so far is acknowledged.
  func settle(_ acknowledgement: Acknowledgement) async throws(SessionError) {
    let level: AcknowledgementLevel
    switch acknowledgement.level {
    case .local: return
    case .host: level = .host
    case .everyPresentMember: level = .everyPresentMember
    }
    let id = AcknowledgementID(rawValue: freshNumber())
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        acknowledgements[id] = continuation
        if Task.isCancelled {
          finishAcknowledgement(id, .cancelled)
        } else if (try? withNode { node, now in
          node.awaitAcknowledgement(id, level, timeout: acknowledgement.timeout, at: now)
        }) == nil {
          finishAcknowledgement(id, .ended)
        }
      }
    } onCancel: {
      loop.execute { self.assumeIsolated { $0.cancelAcknowledgement(id) } }
    }
    try check(result)
  }

  func finishAcknowledgement(_ id: AcknowledgementID, _ result: AcknowledgementOutcome) {
    acknowledgements.removeValue(forKey: id)?.resume(returning: result)
  }

  /// The session is over: nobody acknowledges anything any more.
  func endAcknowledgements() {
    for id in acknowledgements.keys.sorted(by: { $0.rawValue < $1.rawValue }) { finishAcknowledgement(id, .ended) }
  }

  private func cancelAcknowledgement(_ id: AcknowledgementID) {
    _ = try? withNode { node, _ in node.cancelAcknowledgement(id) }
    finishAcknowledgement(id, .cancelled)
  }

  private func check(_ result: AcknowledgementOutcome) throws(SessionError) {
    switch result {
    case .node(.acknowledged): return
    case .node(.timedOut):
      throw SessionError(.notAcknowledged, "not everybody has the edit yet; it stands, and goes on spreading")
    case .cancelled: throw SessionError(.cancelled, "the wait was cancelled; the edit stands")
    case .ended: throw SessionError(.ended, "the session ended before the edit was acknowledged")
    }
  }
}

/// How a wait ended.
enum AcknowledgementOutcome: Sendable {
  /// As the node says.
  case node(AcknowledgementResult)
  /// The task was cancelled.
  case cancelled
  /// The session is over.
  case ended
}
