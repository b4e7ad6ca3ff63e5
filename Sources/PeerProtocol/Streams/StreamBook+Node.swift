import Basics
package import WorldModel

// How streams travel: as messages of a kind and a chain of their own, so that they wait neither for unread messages nor
// behind them. The owner of the book hands it the events of the node, and its letters to the node.

extension StreamBook {
  /// Takes an event of the node; whether it is about streams or the peers at their other ends.
  ///
  /// - Parameter me: This start.
  package mutating func take(_ event: NodeEvent, me: UInt64) -> Bool {
    if case .stream(let bytes, _, let sender) = event {
      take(bytes, from: sender, me: me)
    } else if case .streamsFailed(let failure, let node) = event {
      // The end of this session ends them with its own reason.
      guard failure.reason != .ended else { return false }
      // Nothing tells the other side if this one alone gave it up.
      let owes = failure.reason == .lost || failure.reason == .restarted
      end(with: node.peer, node, owing: owes, .undelivered(node.peer, failure.reason))
      // A word to it now would only be lost as well, and be owed again, as long as it stays away.
      if failure.reason == .lost { lost(node.peer) }
    } else if case .peerLeft(let peer, _, let reason) = event {
      end(with: peer, owing: reason.isSilence, .left(peer, reason))
    } else if case .peerJoined(let peer, _) = event {
      reached(peer)
    } else if case .peerReconnected(let peer) = event {
      reached(peer)
    } else if case .messageRoom = event {
      unblock()
    } else {
      return false
    }
    return true
  }

  private mutating func take(_ bytes: [UInt8], from sender: NodeID, me: UInt64) {
    do throws(DecodingFailure) {
      receive(try StreamLetter(bytes), from: sender, me: me)
    } catch .unknownKind {
      // A letter of a newer version, about something that no stream here needs.
    } catch {
      // Its message is lost, so no stream with it is whole.
      end(with: sender.peer, sender, owing: true, .unreadable(sender.peer, error))
    }
  }

  /// Takes the node's answer to a letter: the start of the peer that gets it, or why nobody does.
  package mutating func sent(_ letter: StreamLetter, to peer: PeerID, _ answer: Result<NodeID?, StreamFailure>) {
    switch answer {
    case .success(let node):
      guard let node else { return }
      if case .open(let number, _, _) = letter {
        sent(to: node, opening: StreamKey(peer: node.peer, number: number, opener: nil))
      } else {
        sent(to: node)
      }
    case .failure(.unsent(.messagesWait)): hold(letter, for: peer)
    case .failure(let failure):
      if case .over(_, let received, let opened) = letter {
        postpone(peer, received: received, opened: opened)
      } else {
        end(with: peer, owing: true, failure)
      }
    }
  }
}

extension EndReason {
  /// Whether the peer only went out of reach, and may come back with what it has in memory.
  fileprivate var isSilence: Bool {
    switch self {
    case .connectionLost, .timedOut, .duplicate: true
    case .left, .replaced, .kicked, .versionMismatch, .identityMismatch, .ownIdentity, .limitExceeded, .locked,
      .refused, .otherService, .protocolError, .passcodeRequired, .passcodeRefused, .passcodeLocked, .passcodeWait,
      .codeRequired, .codeRefused, .codeBusy, .driverRequired, .authenticationFailed:
      false
    }
  }
}
