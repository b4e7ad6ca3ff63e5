/// A named place in the world that peers share.
public struct Anchor: Hashable, Sendable, Identifiable {
  /// The app's name of this anchor; never reused.
  public let id: AnchorID
  /// Where it is.
  public var transform: Transform
  /// The name for people: UTF-8, at most ``Limits/anchorName`` bytes.
  public var name: String
  /// The kind of thing that it marks.
  public var kind: Kind
  /// Data of the app, if any.
  public var payload: Payload?
  /// The peer that placed it, once it is part of a session.
  public var creator: PeerID?
  /// When it was placed; nil outside a session.
  public var createdAt: SessionTime?
}

extension Anchor {
  /// A new anchor; it is checked when it is placed or saved.
  public init(
    id: AnchorID = AnchorID(), name: String, transform: Transform = .identity, kind: Kind = .plain,
    payload: Payload? = nil, creator: PeerID? = nil, createdAt: SessionTime? = nil
  ) {
    // The compiler makes a struct of this size in its place by the initialiser of all members alone; one that sets each of
    // them makes it elsewhere and copies it. The order of the members tells the two apart.
    self.init(
      id: id, transform: transform, name: name, kind: kind, payload: payload, creator: creator, createdAt: createdAt)
  }
}

extension Anchor {
  /// Data of the app that travels with an anchor.
  public struct Payload: Hashable, Sendable {
    /// The media type of the bytes, such as `application/json`, at most ``Limits/contentType`` bytes.
    public var contentType: String
    /// At most ``Limits/anchorPayload`` bytes.
    public var bytes: [UInt8]

    /// A payload; it is checked when its anchor is placed or saved.
    public init(contentType: String, bytes: [UInt8]) {
      self.contentType = contentType
      self.bytes = bytes
    }
  }
}
