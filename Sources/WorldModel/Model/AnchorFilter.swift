/// A filter of anchors: those that meet every condition that is set.
public struct AnchorFilter: Hashable, Sendable {
  /// The kinds of anchors, without their associated values.
  @nonexhaustive
  public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// ``Anchor/Kind/plain``.
    case plain
    /// ``Anchor/Kind/plane(_:)``.
    case plane
    /// ``Anchor/Kind/image(_:)``.
    case image
    /// ``Anchor/Kind/object(_:)``.
    case object
    /// ``Anchor/Kind/mesh(_:)``.
    case mesh
    /// ``Anchor/Kind/participant(_:)``.
    case participant
  }

  /// A ball in the world.
  public struct Region: Hashable, Sendable {
    /// Its middle (metres).
    public var center: SIMD3<Float>
    /// Its radius (metres).
    public var radius: Float

    /// A ball.
    public init(center: SIMD3<Float>, radius: Float) {
      self.center = center
      self.radius = radius
    }

    /// Whether `point` is in it.
    public func contains(_ point: SIMD3<Float>) -> Bool {
      let way = point - center
      return (way * way).sum() <= radius * radius
    }
  }

  /// A prefix of the name; nil for any.
  public var namePrefix: String?
  /// The peer that placed it; nil for any.
  public var creator: PeerID?
  /// The owner (a device belongs to its peer); nil for any or none.
  public var owner: PeerID?
  /// The kind; nil for any.
  public var kind: Kind?
  /// Where it is; nil for anywhere.
  public var region: Region?

  /// A filter; without arguments it lets everything through.
  public init(
    namePrefix: String? = nil, creator: PeerID? = nil, owner: PeerID? = nil, kind: Kind? = nil, region: Region? = nil
  ) {
    self.namePrefix = namePrefix
    self.creator = creator
    self.owner = owner
    self.kind = kind
    self.region = region
  }

  /// Every anchor.
  public static let all = AnchorFilter()

  /// Whether an anchor of `owner` (nil for none) meets every condition.
  public func matches(_ anchor: Anchor, owner: PeerID? = nil) -> Bool {
    guard self.owner == nil || self.owner == owner else { return false }
    guard namePrefix.map(anchor.name.hasPrefix) ?? true, creator.map({ $0 == anchor.creator }) ?? true,
      kind.map({ $0 == anchor.kind.filterKind }) ?? true
    else { return false }
    return region?.contains(anchor.transform.translation) ?? true
  }
}

extension Anchor.Kind {
  /// The kind without its associated value.
  package var filterKind: AnchorFilter.Kind {
    switch self {
    case .plain: .plain
    case .plane: .plane
    case .image: .image
    case .object: .object
    case .mesh: .mesh
    case .participant: .participant
    }
  }
}
