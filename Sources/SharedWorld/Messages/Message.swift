import Synchronization
public import WorldModel

/// An object that an app sends, with the place in the world that it belongs to and fields for what stands around it.
///
///     try await session.send(Message(Stroke(colour: "red"), transform: tip), to: .all, at: "draw")
public struct Message<Object: Codable & Sendable>: Sendable {
  /// The object.
  public var object: Object
  /// A rigid placement in the world, in this peer's frame; nil for an object without one, and for one of a peer whose frame is not
  /// aligned with this peer's.
  ///
  /// One with a scale is refused: send that as a field, or in the object.
  public var transform: Transform?
  /// The placement in the frame of the peer that sent it; nil for an object without one, and for one of this peer.
  public internal(set) var rawTransform: Transform?
  /// Header fields: at most ``MessageEnvelope/fieldLimit``, for middleware and apps alike.
  public var fields: [String: String]

  /// A message.
  public init(_ object: Object, transform: Transform? = nil, fields: [String: String] = [:]) {
    self.object = object
    self.transform = transform
    self.fields = fields
  }
}

/// A message of another peer.
public struct ReceivedMessage<Object: Codable & Sendable>: Sendable {
  /// The object, its placement and its fields.
  public let message: Message<Object>
  /// The sender.
  public let sender: Peer
  /// The endpoint that it was sent to.
  public let endpoint: String

  /// The object.
  public var object: Object { message.object }
  /// Its placement in the world, in this peer's frame, if it has one and the sender's frame is aligned with this peer's.
  public var transform: Transform? { message.transform }
  /// Its placement in the sender's frame, if it has one.
  public var rawTransform: Transform? { message.rawTransform }
  /// Its header fields.
  public var fields: [String: String] { message.fields }
}

/// The receivers of a message.
public enum MessageAudience: Hashable, Sendable {
  /// Every member that has joined and not left.
  case all
  /// These members.
  case peers([PeerID])
  /// The other members that are in a group when the message is accepted (``Session/Messages/join(group:)``): none is no error.
  case group(String)

  /// One member.
  public static func peer(_ peer: PeerID) -> Self { .peers([peer]) }
}

/// An object whose name on the network is not the name of its Swift type.
///
/// Without this a type is known by its name without module and outer types, so that apps that share no code can talk.
public protocol NamedMessageObject {
  /// The name: 1 to ``MessageEnvelope/nameLimit`` bytes of UTF-8, the same in every version of the app.
  static var messageName: String { get }
}

extension MessageEnvelope {
  /// The names of the types that were asked for, because the runtime makes each out of a mirror.
  private static let names = Mutex<[ObjectIdentifier: String]>([:])

  /// The name of a type on the network.
  static func name(of type: Any.Type) -> String {
    if let named = type as? any NamedMessageObject.Type { return named.messageName }
    let id = ObjectIdentifier(type)
    if let known = names.withLock({ $0[id] }) { return known }
    let name = String(describing: type)
    names.withLock { $0[id] = name }
    return name
  }
}
