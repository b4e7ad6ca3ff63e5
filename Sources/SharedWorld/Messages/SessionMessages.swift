public import WorldModel

extension Session.Messages {
  /// Messages of bytes, and what became of messages: those of ``Session/events`` that are about this part, with the same bounds.
  public var events: Session.Events { Session.Events(hub: session.hub, part: .messages) }

  /// Sends a message to some members, to all, or to a group.
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
  ///   - audience: the receivers; all are every member that has joined and not left, and every peer whose connection is being
  ///     made because one of the two has accepted the other.
  ///   - mode: the promise about the delivery.
  /// - Returns: The number of the message, which ``Event/messagesFailed(_:)`` names.
  /// - Throws: ``SessionError`` with the code `limitExceeded`, `invalidArgument` (a key that is not allowed), `unknownPeer`
  ///   (nobody gets the message then), `cancelled` (the task was cancelled while the call waited, and nobody gets the message)
  ///   or `ended`.
  @discardableResult
  public nonisolated(nonsending) func send(
    _ bytes: [UInt8], to audience: MessageAudience = .all, mode: MessageMode = .reliable
  ) async throws(SessionError) -> MessageID {
    try await session.send(bytes, to: audience, mode: mode)
  }

  /// Sends a message like ``Session/Messages/send(_:to:mode:)``, without waiting.
  ///
  /// - Throws: ``SessionError`` with the code `wouldBlock` (too many messages to one of the receivers, or in all, are on
  ///   their way, and nobody gets this one), `limitExceeded`, `invalidArgument`, `unknownPeer` or `ended`.
  @discardableResult
  public nonisolated(nonsending) func sendNow(
    _ bytes: [UInt8], to audience: MessageAudience = .all, mode: MessageMode = .reliable
  ) async throws(SessionError) -> MessageID {
    try await session.callNow { session throws(SessionError) in try session.sendNow(bytes, to: audience, mode: mode) }
  }

  /// Sends an object as ``Session/Messages/send(_:to:mode:)`` sends bytes.
  ///
  /// A receiver that does not read such objects, or cannot decode this one, returns it: ``Event/messageReturned(_:)``. An
  /// unreliable one is dropped there.
  /// - Parameters:
  ///   - object: Its encoded form and what goes with it have at most 60 KiB, in the unreliable mode at most
  ///     16 KiB.
  ///   - audience: The receivers.
  ///   - endpoint: The place in their apps, such as `draw`.
  ///   - mode: The promise about the delivery.
  /// - Returns: The number of the message.
  /// - Throws: ``SessionError`` with the code `invalidArgument` (it cannot be encoded), `message-stopped` (by middleware),
  ///   or what ``Session/Messages/send(_:to:mode:)`` throws.
  @discardableResult
  public func send<Object: Codable & Sendable>(
    _ object: Object, to audience: MessageAudience, at endpoint: String, mode: MessageMode = .reliable
  ) async throws(SessionError) -> MessageID {
    try await session.send(object, to: audience, at: endpoint, mode: mode)
  }

  /// Sends an object with a placement or header fields, as ``Session/Messages/send(_:to:at:mode:)-(Object,_,_,_)`` does.
  ///
  /// - Throws: The errors of ``Session/Messages/send(_:to:at:mode:)-(Object,_,_,_)``.
  @discardableResult
  public func send<Object>(
    _ message: Message<Object>, to audience: MessageAudience, at endpoint: String, mode: MessageMode = .reliable
  ) async throws(SessionError) -> MessageID {
    try await session.send(message, to: audience, at: endpoint, mode: mode)
  }

  /// Sends an object without waiting, as ``Session/Messages/sendNow(_:to:mode:)`` sends bytes.
  ///
  /// - Throws: ``SessionError`` with the code `wouldBlock`, or what ``Session/Messages/send(_:to:at:mode:)-(Object,_,_,_)`` throws.
  @discardableResult
  public nonisolated(nonsending) func sendNow<Object: Codable & Sendable>(
    _ object: Object, to audience: MessageAudience, at endpoint: String, mode: MessageMode = .reliable
  ) async throws(SessionError) -> MessageID {
    try await session.callNow { session throws(SessionError) in
      try session.sendNow(object, to: audience, at: endpoint, mode: mode)
    }
  }

  /// The messages of one type at some endpoints, from now on.
  ///
  ///     for await message in session.messages.of(LabelEvent.self, at: "draw") { show(message.object) }
  ///
  /// - Parameters:
  ///   - type: The type of the objects; the sender's type has the same name (``NamedMessageObject``).
  ///   - pattern: An endpoint, where `*` between slashes stands for any one word and `**` at the end for any words.
  public func of<Object: Codable & Sendable>(
    _ type: Object.Type, at pattern: String = "**"
  ) -> MessageStream<Object> {
    MessageStream(letters: session.arrivals(of: type, at: pattern, answering: false))
  }

  /// The messages of one type at some endpoints from now on, and before them those of others that members have kept.
  ///
  /// While the stream is held, this session keeps the latest messages: those that it sends to all, and those that others send to
  /// all who keep them too. A member that joins and reads the same type and pattern in this way is told them, each once and those of
  /// each sender in order, whoever has left meanwhile. So give all peers the same call. Messages to some members are not kept.
  ///
  /// Messages of others wait while members are asked, 10 s at most each time that somebody joins. A kept message comes from a
  /// member that says who sent it, and nothing proves that: a member that lies may tell invented ones, so many that others have
  /// no room, but hides none that others send. A message of over 48 KiB is not kept.
  ///
  ///     for await line in session.messages.of(Line.self, at: "chat", keep: .last(1000)) { show(line.object) }
  public func of<Object: Codable & Sendable>(
    _ type: Object.Type, at pattern: String = "**", keep retention: MessageRetention
  ) -> MessageStream<Object> {
    MessageStream(letters: session.arrivals(of: type, at: pattern, keep: retention))
  }

  /// Sends a request to a peer and waits for its answer.
  ///
  /// The peer answers with ``Session/Messages/requests(_:at:)``. When this call is cancelled or times out, so is the task that answers.
  /// - Parameters:
  ///   - question: The object to be answered.
  ///   - peer: A member.
  ///   - endpoint: The place in its app.
  ///   - type: The type of the answer.
  ///   - timeout: How long to wait, the way to the peer and back included.
  /// - Throws: ``SessionError`` with the code `request-timed-out`; `unhandled` (nothing there answers such requests);
  ///   `undecodable` (either side cannot decode what it got); `request-failed` (the other side's error is the cause, a
  ///   ``RemoteError``); `not-delivered` or `not-connected` (the peer is gone); `cancelled`; or what
  ///   ``Session/Messages/send(_:to:at:mode:)-(Object,_,_,_)`` throws.
  public func request<Question: Codable & Sendable, Answer: Codable & Sendable>(
    _ question: Question, from peer: PeerID, at endpoint: String, expecting type: Answer.Type = Answer.self,
    timeout: Duration = .seconds(10)
  ) async throws(SessionError) -> Answer {
    try await request(Message(question), from: peer, at: endpoint, expecting: type, timeout: timeout).object
  }

  /// Sends a request with a placement or header fields, and returns the answer with those of the other side.
  ///
  /// - Throws: The errors of ``Session/Messages/request(_:from:at:expecting:timeout:)->Answer``.
  public func request<Question, Answer>(
    _ question: Message<Question>, from peer: PeerID, at endpoint: String, expecting type: Answer.Type = Answer.self,
    timeout: Duration = .seconds(10)
  ) async throws(SessionError) -> Message<Answer> {
    let envelope = try session.seal(question, to: .peer(peer), at: endpoint)
    let answer = try await session.ask(envelope, of: peer, timeout: timeout)
    do {
      return try session.decode(answer)
    } catch {
      throw SessionError(.undecodable, "the answer of \(peer.short) cannot be decoded as \(type)", cause: error)
    }
  }

  /// The requests of one type at some endpoints, from now on: ``RequestStream/answer(_:)-((ReceivedMessage<Question>)->Answer)`` answers them.
  ///
  /// - Parameters:
  ///   - type: The type of the questions.
  ///   - pattern: As of ``Session/Messages/of(_:at:)``. The reader that began first gets a request that several would take.
  public func requests<Question: Codable & Sendable>(
    _ type: Question.Type, at pattern: String = "**"
  ) -> RequestStream<Question> {
    RequestStream(letters: session.arrivals(of: type, at: pattern, answering: true))
  }

  /// Joins a group: from now on this peer gets the messages that are sent to ``MessageAudience/group(_:)`` of that name, as
  /// soon as their sender knows of it.
  ///
  /// Every member knows who is in which group, and all agree within a moment after they can reach each other. A group
  /// exists while somebody is in it. A peer that restarts is in none.
  /// - Parameter group: 1 to 63 bytes of UTF-8 without control characters.
  /// - Throws: ``SessionError`` with the code `invalidArgument`, `limitExceeded` (a peer is in at most 16 groups) or `ended`.
  public nonisolated(nonsending) func join(group: String) async throws(SessionError) {
    try await session.setGroup(group, isIn: true)
  }

  /// Leaves a group; a no-op when this peer is not in it.
  ///
  /// A message that was sent to the group before the sender knew of this arrives nevertheless.
  /// - Throws: ``SessionError`` with the code `invalidArgument` or `ended`.
  public nonisolated(nonsending) func leave(group: String) async throws(SessionError) {
    try await session.setGroup(group, isIn: false)
  }

  /// The groups, and the members that are in each, this peer included, as this peer knows them.
  public nonisolated(nonsending) var groups: [String: Set<PeerID>] { get async { await session.groups } }
}
