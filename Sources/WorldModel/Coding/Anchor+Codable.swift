import Basics

extension Anchor: Codable {
  private enum CodingKeys: CodingKey {
    case id, name, transform, kind, payload, creator, createdAt
  }

  /// Decodes an anchor; a kind that is left out is ``Kind/plain``.
  ///
  /// - Throws: `DecodingError`, also for an anchor that ``validate()`` refuses.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try container.decode(AnchorID.self, forKey: .id), name: try container.decode(String.self, forKey: .name),
      transform: try container.decode(Transform.self, forKey: .transform),
      kind: try container.decodeIfPresent(Kind.self, forKey: .kind) ?? .plain,
      payload: try container.decodeIfPresent(Payload.self, forKey: .payload),
      creator: try container.decodeIfPresent(PeerID.self, forKey: .creator),
      createdAt: try container.decodeIfPresent(UInt64.self, forKey: .createdAt).map(SessionTime.init))
    do {
      try validate()
    } catch {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "anchor \(id) is not allowed: \(error)",
          underlyingError: error))
    }
  }

  /// Encodes the anchor as an object with the names of its properties; what is nil is left out.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(name, forKey: .name)
    try container.encode(transform, forKey: .transform)
    try container.encode(kind, forKey: .kind)
    try container.encodeIfPresent(payload, forKey: .payload)
    try container.encodeIfPresent(creator, forKey: .creator)
    try container.encodeIfPresent(createdAt?.milliseconds, forKey: .createdAt)
  }
}

extension Anchor.Payload: Codable {
  private enum CodingKeys: CodingKey {
    case contentType, bytes
  }

  /// Decodes a content type, and bytes in hexadecimal.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let bytes = [UInt8](hexadecimal: try container.decode(String.self, forKey: .bytes)) else {
      throw DecodingError.dataCorruptedError(
        forKey: .bytes, in: container, debugDescription: "the bytes of a payload are hexadecimal digits, two a byte")
    }
    self.init(contentType: try container.decode(String.self, forKey: .contentType), bytes: bytes)
  }

  /// Encodes the content type, and the bytes in lower-case hexadecimal, as ids and digests are.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(contentType, forKey: .contentType)
    try container.encode(bytes.hexadecimal, forKey: .bytes)
  }
}
