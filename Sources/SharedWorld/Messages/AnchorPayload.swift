public import WorldModel

extension Anchor.Payload {
  /// A payload that holds an object, for ``Anchor/decodePayload(_:with:)``.
  ///
  /// - Throws: ``SessionError`` with the code `invalidArgument` when the object cannot be encoded.
  public init(_ object: some Encodable, with coder: some ObjectCoder = JSONObjectCoder()) throws(SessionError) {
    do {
      self.init(contentType: coder.contentType, bytes: try coder.encode(object))
    } catch {
      throw SessionError(.invalidArgument, "the payload cannot be encoded", cause: error)
    }
  }
}

extension Anchor {
  /// The object of the payload.
  ///
  /// - Throws: ``SessionError`` with the code `corruptData` when there is no payload, one of another content type, or one
  ///   that holds no such object.
  public func decodePayload<Object: Decodable>(
    _ type: Object.Type = Object.self, with coder: some ObjectCoder = JSONObjectCoder()
  ) throws(SessionError) -> Object {
    guard let payload else { throw SessionError(.corruptData, "anchor \(id) has no payload") }
    guard payload.contentType == coder.contentType else {
      throw SessionError(
        .corruptData, "the payload of anchor \(id) is \(payload.contentType), not \(coder.contentType)")
    }
    do {
      return try coder.decode(type, from: payload.bytes)
    } catch {
      throw SessionError(.corruptData, "the payload of anchor \(id) holds no \(type)", cause: error)
    }
  }
}
