import Basics
import PeerProtocol
import PeerTransport
public import WorldModel

extension Session {
  /// Sends a message to some members, or to all.
  ///
  /// In the modes ``MessageMode/reliable`` and ``MessageMode/critical`` the call waits while too many messages to one of
  /// the receivers, or to all together, are on their way. When it returns, this session keeps the message until each
  /// receiver has it. Every receiver gets it exactly once and behind all earlier messages of this session to it in the
  /// same mode, over broken and replaced connections and through other members; where that fails,
  /// ``Event/messagesFailed(_:)`` names the receiver and the messages. A message that is not acknowledged when this
  /// session leaves fails too, though it may arrive. A receiver that does not read its events holds up the messages to
  /// it, and in the end this call, and nobody else.
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
    try await send(bytes, to: peers.map(MessageAudience.peers) ?? .all, mode: mode)
  }

  /// Sends a message to some members, to all, or to a group, as ``send(_:to:mode:)-([UInt8],[PeerID]?,_)`` does.
  ///
  /// - Throws: The errors of ``send(_:to:mode:)-([UInt8],[PeerID]?,_)``.
  @discardableResult
  public func send(
    _ bytes: [UInt8], to audience: MessageAudience, mode: MessageMode = .reliable
  ) async throws(SessionError) -> MessageID {
    try await transmit(Parcel(bytes, to: audience, mode: mode))
  }

  /// Sends a message of any kind, and waits for room.
  ///
  /// - Parameter number: The number of the wait, for ``MessageDesk/cancel(_:)``; nil for one of its own.
  func transmit(_ parcel: Parcel, number: UInt64? = nil) async throws(SessionError) -> MessageID {
    if let message = try sendUnlessFull(parcel) { return message }
    let number = number ?? messages.numbers.next()
    let result = await suspend { caller in
      messages.add(MessageDesk.Waiting(number: number, parcel: parcel, caller: caller))
    } cancel: {
      $0.messages.cancel(number)
    }
    return try result.get()
  }

  /// Sends a message like ``send(_:to:mode:)-([UInt8],[PeerID]?,_)``, without waiting.
  ///
  /// - Throws: ``SessionError`` with the code `wouldBlock` (too many messages to one of the receivers, or in all, are on
  ///   their way, and nobody gets this one), `limitExceeded`, `invalidArgument`, `unknownPeer` or `ended`.
  @discardableResult
  public func sendNow(
    _ bytes: [UInt8], to peers: [PeerID]? = nil, mode: MessageMode = .reliable
  ) throws(SessionError) -> MessageID {
    try sendNow(bytes, to: peers.map(MessageAudience.peers) ?? .all, mode: mode)
  }

  /// Sends a message to some members, to all, or to a group, without waiting.
  ///
  /// - Throws: The errors of ``sendNow(_:to:mode:)-([UInt8],[PeerID]?,_)``.
  @discardableResult
  public func sendNow(
    _ bytes: [UInt8], to audience: MessageAudience, mode: MessageMode = .reliable
  ) throws(SessionError) -> MessageID {
    try transmitNow(Parcel(bytes, to: audience, mode: mode))
  }

  /// Sends a message of any kind, without waiting.
  func transmitNow(_ parcel: Parcel) throws(SessionError) -> MessageID {
    guard let message = try sendUnlessFull(parcel) else {
      messages.refused()
      throw SessionError(.wouldBlock, "too many messages are on their way; send less, or use send")
    }
    return message
  }

  /// Has `body` called, on the session's thread, whenever there may be room again after a refusal with `wouldBlock`.
  ///
  /// One call for all refusals since the last one; another one takes the place of `body`.
  package func setOnRoom(_ body: @escaping @Sendable () -> Void) { messages.onRoom = body }

  /// Sends a message; nil when it has to wait, for room or behind others that wait.
  private func sendUnlessFull(_ parcel: Parcel) throws(SessionError) -> MessageID? {
    try parcel.validate()
    return messages.holds(up: parcel) ? nil : try hand(parcel)
  }

  /// Gives a message to the node; nil when that has no room for it.
  private func hand(_ parcel: Parcel) throws(SessionError) -> MessageID? {
    do throws(SessionError) {
      let receivers = try receivers(of: parcel.audience)
      let input = Input.send(parcel.bytes, as: parcel.kind, mode: parcel.mode, to: receivers)
      guard case .sent(let message) = try handle(input) else { return nil }
      return message
    } catch {
      if error.code == .wouldBlock { return nil }
      throw error
    }
  }

  /// The receivers of a message that is handed over now; nil for all.
  private func receivers(of audience: MessageAudience) throws(SessionError) -> [PeerID]? {
    switch audience {
    case .all: nil
    case .peers(let peers): peers
    case .group(let name): try read { node, _ in node.receivers(in: name) }
    }
  }

  /// Tries again to send what waits, in order, unless an earlier message to the same receiver still waits.
  func sendWaiting() {
    for caller in messages.takeAll() {
      guard !messages.holds(up: caller.parcel) else {
        messages.add(caller)
        continue
      }
      do throws(SessionError) {
        if let message = try hand(caller.parcel) {
          caller.caller.resume(returning: .success(message))
        } else {
          messages.add(caller)
        }
      } catch {
        caller.caller.resume(returning: .failure(error))
      }
    }
    messages.tellOfRoom()
  }

  // MARK: Groups

  /// Joins a group: from now on this peer gets the messages that are sent to ``MessageAudience/group(_:)`` of that name, as
  /// soon as their sender knows of it.
  ///
  /// Every member knows who is in which group, and all agree within a moment after they can reach each other. A group
  /// exists while somebody is in it. A peer that restarts is in none.
  /// - Parameter group: 1 to 63 bytes of UTF-8 without control characters.
  /// - Throws: ``SessionError`` with the code `invalidArgument`, `limitExceeded` (a peer is in at most 16 groups) or `ended`.
  public func join(group: String) throws(SessionError) { try setGroup(group, isIn: true) }

  /// Leaves a group; a no-op when this peer is not in it.
  ///
  /// A message that was sent to the group before the sender knew of this arrives nevertheless.
  /// - Throws: ``SessionError`` with the code `invalidArgument` or `ended`.
  public func leave(group: String) throws(SessionError) { try setGroup(group, isIn: false) }

  /// The groups, and the members that are in each, this peer included, as this peer knows them; empty after the end.
  public var groups: [String: Set<PeerID>] {
    let members = (try? read { node, _ in node.groups }) ?? [:]
    var groups: [String: Set<PeerID>] = [:]
    for (peer, names) in members { for name in names { groups[name, default: []].insert(peer) } }
    return groups
  }

  private func setGroup(_ group: String, isIn: Bool) throws(SessionError) {
    guard (1...ProtocolLimits.groupName).contains(group.utf8.count), PlainText.allows(group) else {
      throw SessionError(
        .invalidArgument,
        "the name of a group has 1 to \(ProtocolLimits.groupName) bytes of text without control characters: '\(group)'")
    }
    try handle(.setGroup(group, isIn: isIn))
  }

  // MARK: Reading

  /// Lets the node know how much of a sender's messages is unread, where that is much less than it thinks: then the sender
  /// may send more.
  func reviewUnread() {
    for (sender, known) in messages.unread where known >= MessageDesk.readStep {
      // The slowest reader counts.
      let unread = max(
        hub.receivers.map { $0.unreadMessages(of: sender) }.max() ?? 0, hub.messages.unread(of: sender))
      guard known - unread >= MessageDesk.readStep else { continue }
      messages.unread[sender] = unread
      input(.messagesUnread(unread, from: sender))
    }
  }
}
