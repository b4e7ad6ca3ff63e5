extension Anchor.Kind: Codable {
  private enum CodingKeys: CodingKey {
    case type, peer
  }

  /// Decodes an object whose `type` is the name of the case, beside the properties of that kind.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self =
      switch try container.decode(AnchorFilter.Kind.self, forKey: .type) {
      case .plain: .plain
      case .plane: .plane(try Anchor.Plane(from: decoder))
      case .image: .image(try Anchor.Image(from: decoder))
      case .object: .object(try Anchor.Object(from: decoder))
      case .mesh: .mesh(try Anchor.Mesh(from: decoder))
      case .participant: .participant(try container.decode(PeerID.self, forKey: .peer))
      }
  }

  /// Encodes the name of the case as `type`, and the properties of the kind beside it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(filterKind, forKey: .type)
    switch self {
    case .plain: break
    case .plane(let plane): try plane.encode(to: encoder)
    case .image(let image): try image.encode(to: encoder)
    case .object(let object): try object.encode(to: encoder)
    case .mesh(let mesh): try mesh.encode(to: encoder)
    case .participant(let peer): try container.encode(peer, forKey: .peer)
    }
  }
}
