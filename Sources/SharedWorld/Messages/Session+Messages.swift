import Basics
import PeerProtocol
import PeerTransport
import WorldModel

extension Session {
  /// Sends bytes to some members, to all, or to a group, as ``Messages/send(_:to:mode:)`` of ``Session/messages``.
  @discardableResult
  public func send(
    _ bytes: [UInt8], to audience: MessageAudience = .all, mode: MessageMode = .reliable
  ) async throws(SessionError) -> MessageID {
    try await transmit(Parcel(bytes, to: audience, mode: mode))
  }

  /// Sends a message of any kind, and waits for room.
  ///
  /// - Parameter number: The number of the wait, for ``MessageDesk/cancel(_:)``; nil for one of its own.
  func transmit(_ parcel: Parcel, number: UInt64? = nil) async throws(SessionError) -> MessageID {
    if let message = try sendUnlessFull(parcel) { return message }
    let number = number ?? messageDesk.numbers.next()
    let result = await suspend { caller in
      messageDesk.add(MessageDesk.Waiting(number: number, parcel: parcel, caller: caller))
    } cancel: {
      $0.messageDesk.cancel(number)
    }
    return try result.get()
  }

  /// Sends a message to some members, to all, or to a group, without waiting.
  func sendNow(
    _ bytes: [UInt8], to audience: MessageAudience, mode: MessageMode
  ) throws(SessionError) -> MessageID {
    try transmitNow(Parcel(bytes, to: audience, mode: mode))
  }

  /// Sends a message of any kind, without waiting.
  func transmitNow(_ parcel: Parcel) throws(SessionError) -> MessageID {
    guard let message = try sendUnlessFull(parcel) else {
      messageDesk.refused()
      throw SessionError(.wouldBlock, "too many messages are on their way; send less, or use send")
    }
    return message
  }

  /// Has `body` called, on the session's thread, whenever there may be room again after a refusal with `wouldBlock`.
  ///
  /// One call for all refusals since the last one; another one takes the place of `body`.
  package func setOnRoom(_ body: @escaping @Sendable () -> Void) { messageDesk.onRoom = body }

  /// Sends a message; nil when it has to wait, for room or behind others that wait.
  private func sendUnlessFull(_ parcel: Parcel) throws(SessionError) -> MessageID? {
    try parcel.validate()
    return messageDesk.holds(up: parcel) ? nil : try hand(parcel)
  }

  /// Gives a message to the node; nil when that has no room for it.
  private func hand(_ parcel: Parcel) throws(SessionError) -> MessageID? {
    do throws(SessionError) {
      let receivers = try receivers(of: parcel.audience)
      let input = Input.send(parcel.bytes, as: parcel.kind, mode: parcel.mode, to: receivers)
      guard case .sent(let message) = try handle(input) else { return nil }
      if let envelope = parcel.kept, let me = ownNode { keep(envelope, as: message, of: me, named: identity.name) }
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
    for caller in messageDesk.takeAll() {
      guard !messageDesk.holds(up: caller.parcel) else {
        messageDesk.add(caller)
        continue
      }
      do throws(SessionError) {
        if let message = try hand(caller.parcel) {
          caller.caller.resume(returning: .success(message))
        } else {
          messageDesk.add(caller)
        }
      } catch {
        caller.caller.resume(returning: .failure(error))
      }
    }
    messageDesk.tellOfRoom()
  }

  // MARK: Groups

  /// The groups, and the members that are in each, this peer included, as this peer knows them.
  var groups: [String: Set<PeerID>] {
    let members = (try? read { node, _ in node.groups }) ?? [:]
    var groups: [String: Set<PeerID>] = [:]
    for (peer, names) in members { for name in names { groups[name, default: []].insert(peer) } }
    return groups
  }

  func setGroup(_ group: String, isIn: Bool) throws(SessionError) {
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
    for (sender, known) in messageDesk.unread where known >= MessageDesk.readStep {
      // The slowest reader counts.
      let unread = max(
        hub.receivers.map { $0.unreadMessages(of: sender) }.max() ?? 0, hub.messages.unread(of: sender))
      guard known - unread >= MessageDesk.readStep else { continue }
      messageDesk.unread[sender] = unread
      input(.messagesUnread(unread, from: sender))
    }
  }
}

// MARK: - Histories

// The part of a session in what `MessageHistory` says, on the session's loop.
extension Session {
  /// The messages of a type at some endpoints, of which some are kept for members that come later.
  nonisolated func arrivals(of type: Any.Type, at pattern: String, keep retention: MessageRetention) -> ArrivedMessages
  {
    let history = MessageHistory(of: MessageEnvelope.name(of: type), at: pattern, retention)
    let arrivals = arrivals(named: history.type, at: pattern, answering: false, keeping: history)
    onLoop { session in
      let members = try? session.read { node, _ in node.memberSummaries.filter { $0.status == .connected }.map(\.peerID)
      }
      session.catchUp(history, with: members ?? [])
    }
    return arrivals
  }

  /// A peer has joined, and may have kept messages that are not here.
  func catchUp(with peer: PeerID) {
    for history in hub.messages.histories { catchUp(history, with: [peer]) }
  }

  private func catchUp(_ history: MessageHistory, with peers: [PeerID]) {
    guard !peers.isEmpty, history.ask(peers) else { return }
    hub.messages.mailbox(of: history)?.update { $0.hold() }
    let added = jobs.add { [weak self] in await self?.collect(history) }
    if !added { tell(history) }
  }

  private func collect(_ history: MessageHistory) async {
    let end = loop.time(after: history.retention.patience)
    await history.collect(besides: ownNode, while: { loop.now < end }) { question, peer in
      try? await ask(question, of: peer, timeout: history.retention.answerTime).bytes
    }
    tell(history)
  }

  /// Gives the reader what was found, and then what has come meanwhile.
  private func tell(_ history: MessageHistory) {
    let found = history.finish().compactMap { kept in
      admitted(
        ArrivedMessage(
          envelope: placed(kept.envelope, of: kept.sender), sender: kept.sender, name: kept.name,
          origin: .kept(MessageID(kept.number)), request: nil, cost: 0, mark: kept.mark))
    }
    hub.messages.mailbox(of: history)?.update { $0.release(found) }
  }

  private var ownNode: NodeID? { try? read { node, _ in node.me } }

  /// Keeps a message, where a reader here keeps such; its mark, where one does.
  @discardableResult
  func keep(_ envelope: MessageEnvelope, as message: MessageID, of sender: NodeID, named name: String) -> UInt64? {
    let histories = hub.messages.histories(keeping: envelope)
    guard !histories.isEmpty else { return nil }
    let kept = KeptMessage(sender: sender, name: name, number: message.number, envelope: envelope, isTold: true)
    for history in histories { history.keep(kept) }
    return kept.mark
  }

  /// The answer to another session's question for kept messages.
  func history(answering envelope: MessageEnvelope) -> MessageEnvelope {
    guard let question = try? MessageHistory.read(question: envelope.bytes) else { return MessageHistory.nothing }
    let history = hub.messages.histories.first { $0.type == question.type && $0.pattern == question.pattern }
    return history?.answer(to: question) ?? MessageHistory.nothing
  }
}
