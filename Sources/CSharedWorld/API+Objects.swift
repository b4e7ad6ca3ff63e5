public import CSharedWorldHeaders
import SharedWorld

/// An object as C gives it.
///
/// - Parameter endpoint: The place that it goes to, instead of its own.
private func envelope(
  _ object: UnsafePointer<sw_object>?, at endpoint: String? = nil
) throws -> MessageEnvelope {
  let known = try sized(object, sw_object(), "object")
  return MessageEnvelope(
    endpoint: try endpoint ?? text(known.endpoint, "endpoint"), type: try text(known.type, "type"),
    contentType: try optionalText(known.content_type, "content_type") ?? "application/json",
    fields: try pairs(known.fields, known.field_count, "fields"),
    transform: known.transform == nil ? nil : try transform(known.transform),
    bytes: try bytes(known.bytes, known.byte_count, "bytes"))
}

/// Sends an object, or refuses it at once.
@c @implementation
public func sw_session_send_object(
  _ session: OpaquePointer?, _ object: UnsafePointer<sw_object>?, _ delivery: UnsafePointer<sw_delivery>?,
  _ number: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  attempt {
    let running = try CSharedWorld.object(session, as: RunningSession.self)
    let envelope = try envelope(object)
    let (audience, mode) = try CSharedWorld.delivery(delivery)
    let sent = try running.wait { try await $0.sendNow(encoded: envelope, to: audience, mode: mode) }
    number?.pointee = sent.number
  }
}

/// Begins to read the objects, or the requests, of a type at some endpoints.
private func subscribe(
  _ session: OpaquePointer?, _ type: UnsafePointer<CChar>?, _ endpoints: UnsafePointer<CChar>?, answering: Bool,
  _ subscription: UnsafeMutablePointer<UInt64>?,
  _ body: (RunningSession) -> @Sendable (EnvelopeStream, UInt64) async -> Void
) -> sw_status {
  attempt {
    let subscription = try output(subscription, "subscription")
    let running = try object(session, as: RunningSession.self)
    let type = try text(type, "type")
    guard (1...MessageEnvelope.nameLimit).contains(type.utf8.count) else {
      throw Failure.argument("the name of a type has 1 to \(MessageEnvelope.nameLimit) bytes")
    }
    let pattern = try optionalText(endpoints, "endpoints") ?? "**"
    // It begins before this function returns.
    let stream = try running.wait { $0.encodedObjects(of: type, at: pattern, answering: answering) }
    let read = body(running)
    subscription.pointee = try running.subscribe { _, number in await read(stream, number) }
  }
}

/// Reads objects.
@c @implementation
public func sw_session_read_objects(
  _ session: OpaquePointer?, _ type: UnsafePointer<CChar>?, _ endpoints: UnsafePointer<CChar>?,
  _ subscription: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  subscribe(session, type, endpoints, answering: false, subscription) { running in
    { [events = running.events] objects, number in
      await objects.handle { received in
        var event = OwnEvent(SW_EVENT_OBJECT, number)
        (event.peer, event.name, event.envelope) = (received.sender.id, received.sender.name, received.envelope)
        _ = await events.put(event)
      }
    }
  }
}

/// Reads requests, which C answers.
@c @implementation
public func sw_session_serve_requests(
  _ session: OpaquePointer?, _ type: UnsafePointer<CChar>?, _ endpoints: UnsafePointer<CChar>?,
  _ subscription: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  subscribe(session, type, endpoints, answering: true, subscription) { running in
    { [events = running.events, requests = running.desk.requests, operations = running.operations] questions, _ in
      await questions.respond { received in
        let number = operations.number()
        var event = OwnEvent(SW_EVENT_REQUEST, number)
        (event.peer, event.name, event.envelope) = (received.sender.id, received.sender.name, received.envelope)
        requests.announce(number)
        guard await events.put(event) else {
          requests.withdraw(number)
          throw CancellationError()
        }
        guard let answer = await requests.decide(number) else {
          events.post(OwnEvent(SW_EVENT_REQUEST_WITHDRAWN, number))
          throw CancellationError()
        }
        var envelope = try answer.get()
        envelope.endpoint = received.envelope.endpoint
        return envelope
      }
    }
  }
}

/// Answers a request.
@c @implementation
public func sw_session_respond(
  _ session: OpaquePointer?, _ request: UInt64, _ answer: UnsafePointer<sw_object>?
) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    let envelope = try envelope(answer, at: "answer")
    try running.wait { try $0.check(encoded: envelope) }
    try settle(request, of: running, .success(envelope))
  }
}

/// Answers a request by an error.
@c @implementation
public func sw_session_refuse(
  _ session: OpaquePointer?, _ request: UInt64, _ code: UnsafePointer<CChar>?, _ message: UnsafePointer<CChar>?
) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    try settle(request, of: running, .failure(try remoteError(code, message)))
  }
}

private func settle(
  _ request: UInt64, of running: RunningSession, _ answer: Result<MessageEnvelope, RemoteError>
) throws {
  guard running.desk.requests.answer(request, answer) else {
    throw Failure.argument("no request \(request) waits for an answer, or its sender has withdrawn it")
  }
}

/// Asks a member.
@c @implementation
public func sw_session_request(
  _ session: OpaquePointer?, _ peer: UnsafePointer<sw_peer_id>?, _ question: UnsafePointer<sw_object>?,
  _ timeout: UInt32, _ operation: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  begin(session, operation) {
    let id = try peerID(peer)
    let envelope = try envelope(question)
    let patience = try duration(timeout, default: 10_000, most: 3_600_000)
    return { session, done in
      done.peer = id
      done.envelope = try await session.request(encoded: envelope, of: id, timeout: patience)
    }
  }
}
