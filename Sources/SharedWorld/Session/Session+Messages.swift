import PeerProtocol
import PeerTransport
public import WorldModel

extension Session {
  /// Sends a message to some members, or to all.
  ///
  /// In the mode ``MessageMode/reliable`` the call waits while too many messages to one of the receivers are on their way.
  /// When it returns, this session keeps the message until each receiver has it. Every receiver gets it exactly once and
  /// behind all earlier reliable messages of this session to it, over broken and replaced connections and through other
  /// members; where that fails, ``Event/messagesFailed(_:)`` names the receiver and the messages. What is not acknowledged
  /// when this session leaves fails too, though it may arrive. A receiver that does not read its events holds up the
  /// messages to it, and in the end this call, and nobody else.
  ///
  /// In the mode ``MessageMode/unreliable(key:)`` the call never waits, the message may be lost, and nothing says so.
  /// - Parameters:
  ///   - bytes: at most 60 KiB, in the unreliable mode at most 16 KiB.
  ///   - peers: the receivers; nil is every member that has joined and not left, and every peer whose connection is being
  ///     made because one of the two has accepted the other.
  ///   - mode: the promise about the delivery.
  /// - Returns: The number of the message, which ``Event/messagesFailed(_:)`` names.
  /// - Throws: ``SessionError`` with the code `limitExceeded`, `invalidArgument` (a key that is not allowed), `unknownPeer`
  ///   (nobody gets the message then), `cancelled` (the task was cancelled while the call waited, and nobody gets the message)
  ///   or `ended`.
  @discardableResult
  public func send(
    _ bytes: [UInt8], to peers: [PeerID]? = nil, mode: MessageMode = .reliable
  ) async throws(SessionError) -> MessageID {
    try await transmit(Parcel(bytes, to: peers, mode: mode))
  }

  /// Sends a message of any kind, and waits for room.
  ///
  /// - Parameter number: The number of the wait, for ``MessageDesk/cancel(_:)``; nil for one of its own.
  func transmit(_ parcel: Parcel, number: UInt64? = nil) async throws(SessionError) -> MessageID {
    if let message = try sendUnlessFull(parcel) { return message }
    let number = number ?? waits.nextNumber()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { caller in
        waits.messages.add(MessageDesk.Waiting(number: number, parcel: parcel, caller: caller))
        if Task.isCancelled { waits.messages.cancel(number) }
      }
    } onCancel: {
      loop.execute { self.assumeIsolated { $0.waits.messages.cancel(number) } }
    }
    return try result.get()
  }

  /// Sends a message like ``send(_:to:mode:)``, without waiting.
  ///
  /// - Throws: ``SessionError`` with the code `wouldBlock` (too many messages to one of the receivers are on their way, and
  ///   nobody gets this one), `limitExceeded`, `invalidArgument`, `unknownPeer` or `ended`.
  @discardableResult
  public func sendNow(
    _ bytes: [UInt8], to peers: [PeerID]? = nil, mode: MessageMode = .reliable
  ) throws(SessionError) -> MessageID {
    guard let message = try sendUnlessFull(Parcel(bytes, to: peers, mode: mode)) else {
      throw SessionError(.wouldBlock, "too many messages are on their way to a receiver; send less, or use send")
    }
    return message
  }

  /// Sends a message; nil when it has to wait, for room or behind others that wait.
  private func sendUnlessFull(_ parcel: Parcel) throws(SessionError) -> MessageID? {
    try parcel.validate()
    return waits.messages.holds(up: parcel) ? nil : try hand(parcel)
  }

  /// Gives a message to the node; nil when that has no room for it.
  private func hand(_ parcel: Parcel) throws(SessionError) -> MessageID? {
    do throws(SessionError) {
      let input = Input.send(parcel.bytes, as: parcel.kind, mode: parcel.mode, to: parcel.receivers)
      guard case .sent(let message) = try handle(input) else { return nil }
      return message
    } catch {
      if error.code == .wouldBlock { return nil }
      throw error
    }
  }

  /// Tries again to send what waits, in order, unless an earlier message to the same receiver still waits.
  func sendWaiting() {
    for caller in waits.messages.takeAll() {
      guard !waits.messages.holds(up: caller.parcel) else {
        waits.messages.add(caller)
        continue
      }
      do throws(SessionError) {
        if let message = try hand(caller.parcel) {
          caller.caller.resume(returning: .success(message))
        } else {
          waits.messages.add(caller)
        }
      } catch {
        caller.caller.resume(returning: .failure(error))
      }
    }
  }

  // MARK: Reading

  /// Lets the node know how much of a sender's messages is unread, where that is much less than it thinks: then the sender
  /// may send more.
  func reviewUnread() {
    for (sender, known) in waits.messages.unread where known >= MessageDesk.readStep {
      // The slowest reader counts.
      let unread = max(
        hub.receivers.map { $0.unreadMessages(of: sender) }.max() ?? 0, hub.messages.unread(of: sender))
      guard known - unread >= MessageDesk.readStep else { continue }
      waits.messages.unread[sender] = unread
      input(.messagesUnread(unread, from: sender))
    }
  }
}
