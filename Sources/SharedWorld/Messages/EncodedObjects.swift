package import WorldModel

/// An object of another peer, still encoded: for the C library, which knows the names of types and not the types.
package struct ReceivedEnvelope: Sendable {
  let arrived: ArrivedMessage

  /// The object, as middleware let it pass.
  package var envelope: MessageEnvelope { arrived.envelope }
  /// The sender.
  package var sender: Peer { arrived.peer }
}

/// Encoded objects of one type at some endpoints, messages or requests; it begins when it is made, as ``MessageStream`` does.
package struct EnvelopeStream: Sendable {
  let letters: ArrivedMessages

  /// Calls `handler` for each message, one after the other, until the session has ended or the task is cancelled.
  package func handle(_ handler: (ReceivedEnvelope) async -> Void) async {
    for await letter in letters { await handler(ReceivedEnvelope(arrived: letter)) }
  }

  /// Answers requests as ``RequestStream/answer(_:)-((ReceivedMessage<Question>)->Answer)`` does, with envelopes.
  package func respond(_ handler: @escaping @Sendable (ReceivedEnvelope) async throws -> MessageEnvelope) async {
    let session = letters.session
    await letters.serve(atOnce: RequestStream<String>.answersAtOnce) { letter in
      await session.answer(letter) {
        let answer = try await handler(ReceivedEnvelope(arrived: letter))
        return try session.dispatch(answer, to: .peer(letter.sender.peer))
      }
    }
  }
}

extension Session {
  /// Sends an encoded object without waiting, as ``Session/Messages/sendNow(_:to:mode:)`` sends bytes.
  package func sendNow(
    encoded envelope: MessageEnvelope, to audience: MessageAudience, mode: MessageMode
  ) throws(SessionError) -> MessageID {
    try transmitNow(Parcel(dispatch(envelope, to: audience), to: audience, mode: mode))
  }

  /// Refuses an object that no receiver would read.
  package nonisolated func check(encoded envelope: MessageEnvelope) throws(SessionError) { try envelope.validate() }

  /// The encoded objects of a type with this name at some endpoints, from now on.
  ///
  /// - Parameter answering: Whether requests are read, not messages.
  package nonisolated func encodedObjects(
    of type: String, at pattern: String, answering: Bool
  ) -> EnvelopeStream {
    EnvelopeStream(letters: arrivals(named: type, at: pattern, answering: answering))
  }

  /// Sends an encoded request and waits for its answer, as ``Session/Messages/request(_:from:at:expecting:timeout:)->Answer`` does.
  package func request(
    encoded envelope: MessageEnvelope, of peer: PeerID, timeout: Duration
  ) async throws(SessionError) -> MessageEnvelope {
    try await ask(try dispatch(envelope, to: .peer(peer)), of: peer, timeout: timeout)
  }
}
