/// Where an anchor that is being dragged, or a peer's device, is at the moment.
///
/// Live poses come up to 60 times a second and a newer one replaces an older one that was not read yet. They are lost
/// rather than late: draw between two of them by ``sessionTime``.
public struct LivePose: Hashable, Sendable {
  /// The dragged anchor, or the id under which the peer's device is shown.
  public let anchor: AnchorID
  /// The peer that drags it, or whose device it is.
  public let peer: Peer
  /// Where it is.
  public let transform: Transform
  /// When it was there.
  public let sessionTime: SessionTime
  /// Counts the live poses of this peer; a higher one is newer.
  public let sequence: UInt64
}

/// An edit of this peer that did not last.
public struct LostEdit: Hashable, Sendable {
  /// The value that the edit had written.
  @nonexhaustive
  public enum Value: Hashable, Sendable {
    /// A place.
    case transform(Transform)
    /// A name.
    case name(String)
    /// Data of the app, or none.
    case payload(Anchor.Payload?)
    /// Bits of the app.
    case flags(UInt32)
    /// A grant of ownership.
    case ownership
    /// A kind of thing.
    case kind(Anchor.Kind)
  }

  /// Which anchor.
  public let anchor: AnchorID
  /// The value that is no more.
  public let value: Value
  /// Whose edit stands instead; nil when that is not known.
  public let author: Peer?
}
