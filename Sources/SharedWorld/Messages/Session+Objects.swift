import PeerProtocol
import PeerTransport
import WorldModel

// Objects travel as messages of a kind of their own: order, back-pressure and failures are those of messages.

extension Session {
  // MARK: Messages

  /// Sends an object, as ``Messages/send(_:to:at:mode:)-(Object,_,_,_)`` of ``Session/messages``.
  @discardableResult
  public nonisolated func send<Object: Codable & Sendable>(
    _ object: Object, to audience: MessageAudience, at endpoint: String, mode: MessageMode = .reliable
  ) async throws(SessionError) -> MessageID {
    try await send(Message(object), to: audience, at: endpoint, mode: mode)
  }

  /// Sends an object with a placement or header fields, as ``Session/Messages/send(_:to:at:mode:)-(Object,_,_,_)`` does.
  nonisolated func send<Object>(
    _ message: Message<Object>, to audience: MessageAudience, at endpoint: String, mode: MessageMode
  ) async throws(SessionError) -> MessageID {
    try await transmit(Parcel(seal(message, to: audience, at: endpoint), to: audience, mode: mode))
  }

  /// Sends an object without waiting, as ``Session/Messages/sendNow(_:to:mode:)`` sends bytes.
  func sendNow<Object: Codable & Sendable>(
    _ object: Object, to audience: MessageAudience, at endpoint: String, mode: MessageMode
  ) throws(SessionError) -> MessageID {
    try transmitNow(Parcel(seal(Message(object), to: audience, at: endpoint), to: audience, mode: mode))
  }
}

// MARK: - Envelopes

extension Session {
  nonisolated func arrivals(of type: Any.Type, at pattern: String, answering: Bool) -> ArrivedMessages {
    arrivals(named: MessageEnvelope.name(of: type), at: pattern, answering: answering)
  }

  /// The objects of a type with this name on the network, from now on.
  nonisolated func arrivals(
    named name: String, at pattern: String, answering: Bool, keeping history: MessageHistory? = nil
  ) -> ArrivedMessages {
    let mailbox = hub.messages.subscribe(to: name, at: pattern, answering: answering, keeping: history) {
      [weak source = hub.source] in
      source?.reviewUnread()
    }
    return ArrivedMessages(session: self, mailbox: mailbox)
  }

  /// The envelope of an object, as middleware lets it pass.
  nonisolated func seal<Object>(
    _ message: Message<Object>, to audience: MessageAudience, at endpoint: String
  ) throws(SessionError) -> MessageEnvelope {
    let coder = configuration.coder
    let bytes: [UInt8]
    do {
      bytes = try coder.encode(message.object)
    } catch {
      throw SessionError(.invalidArgument, "the \(Object.self) cannot be encoded", cause: error)
    }
    let envelope = MessageEnvelope(
      endpoint: endpoint, type: MessageEnvelope.name(of: Object.self), contentType: coder.contentType,
      fields: message.fields, transform: message.transform, bytes: bytes)
    return try dispatch(envelope, to: audience)
  }

  /// An envelope that leaves, as middleware lets it pass.
  nonisolated func dispatch(
    _ envelope: MessageEnvelope, to audience: MessageAudience
  ) throws(SessionError) -> MessageEnvelope {
    var envelope = envelope
    do {
      for step in configuration.middleware { try step.send(&envelope, to: audience) }
    } catch {
      throw SessionError(.messageStopped, "middleware stopped the message", cause: error)
    }
    if case .all = audience, !hub.messages.histories(keeping: envelope).isEmpty {
      envelope.fields[MessageHistory.mark] = ""
    }
    try envelope.validate()
    return envelope
  }

  /// The object of an envelope.
  // Inlined, as is what makes its result: each generic function looks up the types that it is called with.
  @inline(__always)
  nonisolated func decode<Object>(_ envelope: MessageEnvelope) throws -> Message<Object> {
    let coder = configuration.coder
    guard envelope.contentType == coder.contentType else {
      throw RemoteError("content-type", "\(envelope.contentType) is not \(coder.contentType)")
    }
    let object = try coder.decode(Object.self, from: envelope.bytes)
    var message = Message(object, transform: envelope.transform, fields: envelope.fields)
    message.rawTransform = envelope.rawTransform
    return message
  }

  /// The object of a message or request; nil for one that cannot be decoded, which goes back to its sender.
  @inline(__always)
  nonisolated func open<Object>(_ arrived: ArrivedMessage) -> ReceivedMessage<Object>? {
    do {
      return ReceivedMessage(
        message: try decode(arrived.envelope), sender: arrived.peer, endpoint: arrived.envelope.endpoint)
    } catch {
      giveBack(arrived, .undecodable, error as? RemoteError ?? RemoteError("undecodable", "\(error)"))
      return nil
    }
  }

  /// Lets an arrived envelope pass middleware; an error if one of them stops it.
  private func admit(_ envelope: inout MessageEnvelope, from sender: PeerID) -> (any Error)? {
    do {
      for step in configuration.middleware.reversed() { try step.receive(&envelope, from: sender) }
      return nil
    } catch {
      return error
    }
  }
}

// MARK: - Arrivals

extension Session {
  /// Takes the envelopes among the events of a turn, and ends requests to peers that will not answer them.
  func takeEnvelopes(of events: [NodeEvent]) {
    for event in events {
      if case .envelopes(let envelopes, let sender) = event {
        let cost = envelopes.reduce(0) { $0 + ProtocolLimits.cost(ofMessage: $1.bytes) }
        messageDesk.received(cost, from: sender.peer)
        deliver(arrivals(envelopes, from: sender))
      }
      if case .messagesFailed(let failure) = event { failRequests(failure) }
      if case .peerLeft(let peer, _, _) = event { endRequests(with: peer) }
      // Before messages of its own arrive: there may be earlier ones.
      if case .peerJoined(let peer, _) = event { catchUp(with: peer) }
    }
  }

  /// Takes the contents of messages for the layer of objects; those to be delivered.
  private func arrivals(_ messages: [NumberedMessage], from sender: NodeID) -> [ArrivedMessage] {
    let name = peer(sender.peer).name
    var (arrived, names) = ([ArrivedMessage](), MessageEnvelope.Names())
    arrived.reserveCapacity(messages.count)
    for message in messages {
      if let message = receive(message, from: sender, named: name, reusing: &names) { arrived.append(message) }
    }
    return arrived
  }

  /// Takes the content of a message for the layer of objects; an object or request that it carries is to be delivered.
  private func receive(
    _ message: NumberedMessage, from sender: NodeID, named name: String, reusing names: inout MessageEnvelope.Names
  ) -> ArrivedMessage? {
    let letter: Letter
    do throws(DecodingFailure) {
      letter = try Letter(message.bytes, reusing: &names)
    } catch {
      // Words about messages are never answered, so that two versions of the library do not answer each other endlessly.
      if Letter.carriesObject(message.bytes) {
        reply(.returned(.malformed, "\(error)", message: message.number, start: sender.incarnation), to: sender)
      }
      return nil
    }
    let cost = ProtocolLimits.cost(ofMessage: message.bytes)
    switch letter {
    case .message(var envelope):
      let isKept = envelope.fields.removeValue(forKey: MessageHistory.mark) != nil
      let mark = isKept ? keep(envelope, as: message.number, of: sender, named: name) : nil
      return ArrivedMessage(
        envelope: placed(envelope, of: sender), sender: sender, name: name, origin: .numbered(message.number),
        request: nil, cost: cost, mark: mark)
    case .request(let id, let envelope) where envelope.endpoint == MessageHistory.endpoint:
      reply(.answer(id, start: sender.incarnation, history(answering: envelope)), to: sender)
    case .request(let id, let envelope):
      let request = ServedRequest(id, of: sender) { [weak self, loop] in
        // Later: whatever releases it may be at work on the session's state.
        loop.execute { [weak self] in self?.assumeIsolated { $0.reply(.unhandled(id, of: sender), to: sender) } }
      }
      if messageDesk.requests.serve(request) {
        return ArrivedMessage(
          envelope: placed(envelope, of: sender), sender: sender, name: name, origin: .numbered(message.number),
          request: request, cost: cost)
      }
      request.withdraw()
    case .returned(let reason, let text, let message, let start): take(back: message, start, from: sender, reason, text)
    case .answer(let id, let start, var envelope):
      guard start == incarnation, messageDesk.requests.awaits(id, from: sender.peer) else { break }
      envelope = placed(envelope, of: sender)
      // The session's own questions are not of the app.
      let stop = messageDesk.requests.isOwn(id) ? nil : admit(&envelope, from: sender.peer)
      let outcome = stop.map { SessionError(.messageStopped, "middleware stopped the answer", cause: $0) }
      messageDesk.requests.finish(id, outcome.map { .failure($0) } ?? .success(envelope))
    case .failure(let id, let start, let reason, let error):
      guard start == incarnation, messageDesk.requests.awaits(id, from: sender.peer) else { break }
      messageDesk.requests.finish(id, .failure(SessionError(reason, error, of: sender.peer)))
    case .withdrawal(let id): messageDesk.requests.withdraw(id, of: sender)
    }
    return nil
  }

  /// An envelope with its placement in this peer's frame, as far as this peer knows now where the sender's is.
  func placed(_ envelope: MessageEnvelope, of sender: NodeID) -> MessageEnvelope {
    guard let transform = envelope.transform else { return envelope }
    var placed = envelope
    placed.rawTransform = transform
    placed.transform =
      driver?.read { node, _ in
        let frames = node.worldFrames
        return frames.place(transform, in: frames.frame(of: sender))
      } ?? nil
    return placed
  }

  /// Takes an unreliable object; one that nobody can read is dropped, and so is all else that comes this way.
  func takeUnreliable(_ bytes: [UInt8], key: String, from sender: NodeID) {
    guard case .message(var envelope) = try? Letter(bytes) else { return }
    envelope.fields[MessageHistory.mark] = nil
    let cost = ProtocolLimits.cost(ofMessage: bytes)
    let origin = ArrivedMessage.Origin.unreliable(key: key)
    deliver([
      ArrivedMessage(
        envelope: placed(envelope, of: sender), sender: sender, name: peer(sender.peer).name, origin: origin,
        request: nil, cost: cost)
    ])
  }

  /// Gives messages to their readers, or back.
  private func deliver(_ arrived: [ArrivedMessage]) {
    let admitted = configuration.middleware.isEmpty ? arrived : arrived.compactMap(admitted)
    for message in hub.messages.put(admitted) {
      let (type, endpoint) = (message.envelope.type, message.envelope.endpoint)
      giveBack(message, .unhandled, RemoteError("unhandled", "nothing reads \(type) at \(endpoint)"))
    }
  }

  /// A message as middleware lets it pass; nil for one that is stopped, which goes back.
  func admitted(_ arrived: ArrivedMessage) -> ArrivedMessage? {
    var admitted = arrived
    guard let error = admit(&admitted.envelope, from: arrived.sender.peer) else { return admitted }
    giveBack(arrived, .refused, RemoteError(telling: error))
    return nil
  }

  /// A message of this peer came back.
  private func take(
    back message: MessageID, _ start: UInt64, from sender: NodeID, _ reason: MessageReturn.Reason, _ text: String
  ) {
    guard start == incarnation else { return }
    let requests = messageDesk.requests.requests(to: sender.peer, in: [message])
    for number in requests {
      let error = SessionError(reason, RemoteError(reason.rawValue, text), of: sender.peer)
      messageDesk.requests.finish(number, .failure(error))
    }
    guard requests.isEmpty else { return }
    let returned = MessageReturn(message: message, receiver: peer(sender.peer), reason: reason, text: text)
    hub.publish([.messageReturned(returned)])
  }

  /// Tells the sender of a message or request that its app's counterpart did not get it.
  nonisolated func giveBack(_ arrived: ArrivedMessage, _ reason: MessageReturn.Reason, _ error: RemoteError) {
    let start = arrived.sender.incarnation
    let letter: Letter
    if let request = arrived.request {
      guard request.settle() else { return }
      letter = .failure(request.number, start: start, reason, error)
    } else {
      guard case .numbered(let number) = arrived.origin else { return }
      letter = .returned(reason, error.message, message: number, start: start)
    }
    onLoop { $0.reply(letter, to: arrived.sender) }
  }

  /// Sends a word about a message of another peer, unless too much waits for that peer already: it floods and does not read.
  private func reply(_ letter: Letter, to peer: NodeID) {
    _ = try? handle(.send(letter.bytes, as: .envelope, to: [peer.peer]))
  }

  var incarnation: UInt64? { try? read { node, _ in node.me.incarnation } }

  // MARK: Requests

  /// Sends a request and waits for its answer.
  func ask(
    _ envelope: MessageEnvelope, of peer: PeerID, timeout: Duration
  ) async throws(SessionError) -> MessageEnvelope {
    let number = messageDesk.numbers.next()
    let deadline = loop.time(after: timeout)
    let isOwn = envelope.endpoint == MessageHistory.endpoint
    messageDesk.requests.begin(number, to: peer, until: deadline, isOwn: isOwn)
    setRequestTimer(for: deadline)
    let outcome: RequestDesk.Outcome = await withTaskCancellationHandler {
      do throws(SessionError) {
        let bytes = Letter.request(number, envelope).bytes
        let message = try await transmit(Parcel(bytes, as: .envelope, to: .peer(peer)), number: number)
        messageDesk.requests.sent(number, as: message)
      } catch {
        return messageDesk.requests.cancel(number) ?? .failure(error)
      }
      return await withCheckedContinuation { messageDesk.requests.wait(number, $0) }
    } onCancel: {
      let error = SessionError(.cancelled, "the request was withdrawn")
      loop.execute { self.assumeIsolated { $0.giveUp(number, error) } }
    }
    return try outcome.get()
  }

  /// Ends the wait for an answer, and tells the peer.
  private func giveUp(_ number: UInt64, _ error: SessionError) {
    guard let peer = messageDesk.requests.finish(number, .failure(error)) else { return }
    messageDesk.cancel(number)
    _ = try? handle(.send(Letter.withdrawal(number).bytes, as: .envelope, to: [peer]))
  }

  /// Has the requests that are late at this time ended then.
  private func setRequestTimer(for deadline: UInt64?) {
    guard let deadline else { return }
    if messageDesk.requests.timer == nil {
      messageDesk.requests.timer = makeTimer { $0.endLateRequests() }
    }
    // It may fire for a request that has its answer: that costs less than to look at all of them for each answer.
    messageDesk.requests.timer?.deadline = min(messageDesk.requests.timer?.deadline ?? deadline, deadline)
  }

  private func endLateRequests() {
    for number in messageDesk.requests.late(at: loop.now) {
      giveUp(number, SessionError(.requestTimedOut, "the peer did not answer in time; try again"))
    }
    setRequestTimer(for: messageDesk.requests.deadline)
  }

  /// Messages failed, and with them the requests in them.
  private func failRequests(_ failure: UndeliveredMessages) {
    for number in messageDesk.requests.requests(to: failure.receiver, in: failure.messages) {
      let isOver = failure.reason == .ended
      let error = SessionError(
        isOver ? .ended : .notDelivered,
        "the request may not have reached \(peer(failure.receiver)): \(failure.reason.rawValue)")
      messageDesk.requests.finish(number, .failure(error))
    }
  }

  /// A peer is gone: it answers nothing and waits for nothing.
  private func endRequests(with peer: PeerID) {
    let error = SessionError(.notConnected, "\(peer.short) is gone and will not answer")
    for number in messageDesk.requests.requests(to: peer) { messageDesk.requests.finish(number, .failure(error)) }
    messageDesk.requests.withdrawAll(of: peer)
  }
}

extension Session {
  /// Answers one request, unless its sender gives up first.
  nonisolated func serve<Question, Answer>(
    _ letter: ArrivedMessage, _ handler: @escaping @Sendable (ReceivedMessage<Question>) async throws -> Message<Answer>
  ) async {
    guard letter.request != nil, let question: ReceivedMessage<Question> = open(letter) else { return }
    await answer(letter) {
      try self.seal(try await handler(question), to: .peer(letter.sender.peer), at: letter.envelope.endpoint)
    }
  }

  /// Answers one request with an envelope, unless its sender gives up first.
  nonisolated func answer(
    _ letter: ArrivedMessage, _ handler: @escaping @Sendable () async throws -> MessageEnvelope
  ) async {
    guard let request = letter.request else { return }
    let outcome = await withTaskGroup(of: Result<MessageEnvelope, any Error>?.self) { group in
      group.addTask {
        do { return .success(try await handler()) } catch { return .failure(error) }
      }
      group.addTask {
        for await _ in request.withdrawn {}
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
    // Nobody waits for it, or this side gives up and its release says so.
    if Task.isCancelled, case .failure(let error) = outcome, error is CancellationError { return }
    guard let outcome, request.settle() else { return }
    do {
      try await send(try outcome.get(), answering: letter, number: request.number)
    } catch {
      await fail(request, RemoteError(telling: error))
    }
  }

  /// Sends the answer to a request.
  private nonisolated func send(
    _ answer: MessageEnvelope, answering letter: ArrivedMessage, number: UInt64
  ) async throws {
    let sender = letter.sender
    let bytes = Letter.answer(number, start: sender.incarnation, answer).bytes
    do throws(SessionError) {
      _ = try await transmit(Parcel(bytes, as: .envelope, to: .peer(sender.peer)))
    } catch {
      guard error.code == .limitExceeded else { throw error }
      // The handler has returned: nobody else tells the app that answers.
      let what = "the answer to the request of \(sender.peer.short) at '\(letter.envelope.endpoint)' was not sent"
      hub.publish([.problem(SessionError(.limitExceeded, "\(what): \(error.message)"))])
      throw RemoteError("limit-exceeded", "the answer is longer than a message may be")
    }
  }

  /// Tells the sender of a request that it has no answer.
  private nonisolated func fail(_ request: ServedRequest, _ error: RemoteError) async {
    let letter = Letter.failure(request.number, start: request.sender.incarnation, .refused, error)
    // A sender that is gone does not wait for it.
    _ = try? await transmit(Parcel(letter.bytes, as: .envelope, to: .peer(request.sender.peer)))
  }
}

extension Letter {
  /// Instead of an answer to a request that nothing answers.
  static func unhandled(_ number: UInt64, of sender: NodeID) -> Self {
    .failure(
      number, start: sender.incarnation, .unhandled, RemoteError("unhandled", "nothing answers such requests any more"))
  }
}
