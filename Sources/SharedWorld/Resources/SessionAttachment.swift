public import PeerProtocol

/// A file or bytes that belong to the session: every member has them, those that come later too.
public struct SessionAttachment: Hashable, Sendable, Identifiable {
  /// How far an attachment has come at this peer.
  @nonexhaustive
  public enum State: Hashable, Sendable {
    /// It is not here, and comes when ``Session/Files/fetch(_:)`` asks for it.
    case listed
    /// It is fetched, as soon as a member that is connected has some of it.
    case fetching
    /// All of it is here.
    case here
    /// It did not come, or cannot be read here any more; ``Session/Files/fetch(_:)`` tries again.
    case failed(ResourceFailure)
    /// It was removed from the session.
    case removed
  }

  /// Names the attachment.
  public let id: ResourceID
  /// The peer that attached it; its name is the beginning of its key where this session has not heard of it.
  public private(set) var author: Peer
  /// The name that its author gave it: text for people and never a path, like ``ResourceOffer/name``.
  public let name: String
  /// Its bytes.
  public let size: Int
  /// How far it has come here.
  public internal(set) var state: State
  /// The file with its bytes, to be read and left where it is; nil while they are not here, and of bytes that this peer has attached.
  ///
  /// The file of another peer's attachment (mode 0600) is removed with the attachment, or when the session ends.
  public internal(set) var path: String?

  init(_ offer: ResourceOffer, _ state: State, path: String? = nil) {
    (id, author, name, size) = (offer.id, offer.from, offer.name, offer.size)
    (self.state, self.path) = (state, path)
  }

  /// The offer to which it corresponds.
  var offer: ResourceOffer { ResourceOffer(id: id, from: author, name: name, size: size) }

  /// The same with its author's latest name.
  func attached(by author: Peer) -> Self {
    var attachment = self
    attachment.author = author
    return attachment
  }

  /// Whether its bytes are here or on their way.
  var takesRoom: Bool { state == .fetching || state == .here }
}
