public import Basics

extension Anchor {
  /// The kind of thing that an anchor marks.
  ///
  /// The content of a kind has memory of its own, so that plain anchors, which are most, are small.
  @nonexhaustive
  public enum Kind: Hashable, Sendable {
    /// A place.
    case plain
    /// A flat surface; the anchor's y axis is its normal.
    indirect case plane(Plane)
    /// A known picture; it lies in the anchor's x–z plane, its top towards −z.
    indirect case image(Image)
    /// A known scanned object; its centre is the anchor's origin.
    indirect case object(Object)
    /// Part of a reconstructed mesh that is kept elsewhere.
    indirect case mesh(Mesh)
    /// Another peer's device; the transform is its pose, the camera looking along −z.
    indirect case participant(PeerID)
  }

  /// A flat surface, in the anchor's x–z plane.
  public struct Plane: Hashable, Sendable, Codable {
    /// How the surface lies relative to gravity.
    @nonexhaustive
    public enum Alignment: UInt8, Hashable, Sendable, CaseIterable {
      /// At any angle.
      case any = 0
      /// Across gravity, such as a floor.
      case horizontal = 1
      /// Along gravity, such as a wall.
      case vertical = 2
    }

    /// The kind of object that the surface belongs to.
    @nonexhaustive
    public enum Classification: UInt8, Hashable, Sendable, CaseIterable {
      /// Not known.
      case none = 0
      /// A wall.
      case wall = 1
      /// The floor.
      case floor = 2
      /// The ceiling.
      case ceiling = 3
      /// A table top.
      case table = 4
      /// A seat.
      case seat = 5
      /// A window.
      case window = 6
      /// A door.
      case door = 7
    }

    /// How it lies.
    public var alignment: Alignment
    /// The kind of object that the surface belongs to.
    public var classification: Classification
    /// Width along x and depth along z of the rectangle about the anchor's origin (metres, not negative).
    public var extent: SIMD2<Float>
    /// The outline: corners (x, z) in order (metres), none or 3 to ``Limits/planeBoundary``.
    public var boundary: [SIMD2<Float>]

    /// A surface; it is checked with its anchor.
    public init(
      alignment: Alignment = .any, classification: Classification = .none, extent: SIMD2<Float>,
      boundary: [SIMD2<Float>] = []
    ) {
      self.alignment = alignment
      self.classification = classification
      self.extent = extent
      self.boundary = boundary
    }
  }

  /// A known picture that was recognised.
  public struct Image: Hashable, Sendable, Codable {
    /// The name of the reference picture, at most ``Limits/referenceName`` bytes.
    public var referenceName: String
    /// Width and height of the real picture (metres, not negative).
    public var physicalSize: SIMD2<Float>

    /// A picture; it is checked with its anchor.
    public init(referenceName: String, physicalSize: SIMD2<Float>) {
      self.referenceName = referenceName
      self.physicalSize = physicalSize
    }
  }

  /// A known scanned object that was recognised.
  public struct Object: Hashable, Sendable, Codable {
    /// The name of the reference scan, at most ``Limits/referenceName`` bytes.
    public var referenceName: String
    /// Its size along the anchor's axes (metres, not negative).
    public var extent: SIMD3<Float>

    /// An object; it is checked with its anchor.
    public init(referenceName: String, extent: SIMD3<Float>) {
      self.referenceName = referenceName
      self.extent = extent
    }
  }

  /// A reference to a mesh that is kept elsewhere, such as in a resource sent beside the map.
  public struct Mesh: Hashable, Sendable, Codable {
    /// The name of the mesh, at most ``Limits/referenceName`` bytes.
    public var referenceName: String
    /// The hash of the mesh's bytes, when it is known.
    public var digest: SHA256Digest?
    /// Its size along the anchor's axes (metres, not negative).
    public var extent: SIMD3<Float>

    /// A mesh; it is checked with its anchor.
    public init(referenceName: String, digest: SHA256Digest? = nil, extent: SIMD3<Float>) {
      self.referenceName = referenceName
      self.digest = digest
      self.extent = extent
    }
  }
}
