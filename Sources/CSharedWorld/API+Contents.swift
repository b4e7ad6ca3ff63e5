public import CSharedWorldHeaders
import SharedWorld

/// A list of anchors, with their kinds and payloads beside them.
final class AnchorBox: HandleObject {
  static let word = "a list of anchors"

  let anchors: RecordList<sw_anchor>
  let contents: RecordList<sw_anchor_content>

  init(_ list: [Anchor]) {
    anchors = RecordList(anchors: list)
    contents = RecordList(contentsOf: list)
  }
}

extension RecordList<sw_anchor> {
  /// Anchors as C sees them.
  convenience init(anchors: [Anchor]) {
    self.init(anchors.map { sw_anchor($0) }) { freeConstant($0.name) }
  }
}

extension RecordList<sw_anchor_content> {
  /// The kinds and payloads of anchors.
  convenience init(contentsOf anchors: [Anchor]) {
    self.init(anchors.map { sw_anchor_content($0) }) { $0.release() }
  }
}

extension sw_anchor_content {
  /// Kind and payload of an anchor as C sees them; what they point to must be freed.
  init(_ anchor: Anchor) {
    self.init()
    size = UInt32(MemoryLayout<sw_anchor_content>.size)
    if let attached = anchor.payload {
      content_type = UnsafePointer(copyText(attached.contentType))
      payload = UnsafePointer(copyBytes(attached.bytes))
      payload_size = attached.bytes.count
    }
    switch anchor.kind {
    case .plain: kind = UInt32(SW_KIND_PLAIN)
    case .plane(let plane): set(plane)
    case .image(let image):
      set(SW_KIND_IMAGE, image.referenceName, [image.physicalSize.x, image.physicalSize.y, 0])
    case .object(let object): set(SW_KIND_OBJECT, object.referenceName, object.extent)
    case .mesh(let part):
      set(SW_KIND_MESH, part.referenceName, part.extent)
      mesh = sw_digest(copying: part.digest?.bytes ?? [])
    case .participant(let peer):
      kind = UInt32(SW_KIND_PARTICIPANT)
      participant = sw_peer_id(copying: peer.bytes)
    }
  }

  /// Frees what it points to.
  func release() {
    for text in [content_type, reference] { freeConstant(text) }
    freeConstant(payload)
    corners?.deallocate()
  }

  private mutating func set(_ kind: Int, _ name: String, _ extent: SIMD3<Float>) {
    self.kind = UInt32(kind)
    reference = UnsafePointer(copyText(name))
    self.extent = (extent.x, extent.y, extent.z)
  }

  private mutating func set(_ plane: Anchor.Plane) {
    kind = UInt32(SW_KIND_PLANE)
    extent = (plane.extent.x, plane.extent.y, 0)
    plane_alignment = UInt32(plane.alignment.rawValue)
    plane_surface = UInt32(plane.classification.rawValue)
    guard !plane.boundary.isEmpty else { return }
    let floats = plane.boundary.flatMap { [$0.x, $0.y] }
    let copies = UnsafeMutableBufferPointer<Float>.allocate(capacity: floats.count)
    _ = copies.initialize(from: floats)
    (corners, corner_count) = (UnsafePointer(copies.baseAddress), plane.boundary.count)
  }

  /// The payload that C gives; nil for none.
  func readPayload() throws -> Anchor.Payload? {
    try CSharedWorld.payload(content_type, payload, payload_size)
  }

  /// The kind that C gives.
  func readKind() throws -> Anchor.Kind {
    let size = SIMD3(extent.0, extent.1, extent.2)
    switch Int(kind) {
    case SW_KIND_PLAIN: return .plain
    case SW_KIND_PLANE:
      guard let alignment = Anchor.Plane.Alignment(rawValue: UInt8(clamping: plane_alignment)),
        let surface = Anchor.Plane.Classification(rawValue: UInt8(clamping: plane_surface))
      else { throw Failure.argument("plane_alignment or plane_surface has no such value") }
      guard (0...Limits.planeBoundary).contains(corner_count) else {
        throw Failure.argument("a plane has at most \(Limits.planeBoundary) corners")
      }
      let floats = try items(corners, 2 * corner_count, "corners")
      let boundary = stride(from: 0, to: floats.count, by: 2).map { SIMD2(floats[$0], floats[$0 + 1]) }
      return .plane(
        Anchor.Plane(
          alignment: alignment, classification: surface, extent: SIMD2(size.x, size.y), boundary: boundary))
    case SW_KIND_IMAGE:
      let name = try text(reference, "reference")
      return .image(Anchor.Image(referenceName: name, physicalSize: SIMD2(size.x, size.y)))
    case SW_KIND_OBJECT: return .object(Anchor.Object(referenceName: try text(reference, "reference"), extent: size))
    case SW_KIND_MESH:
      let digest = mesh.array.allSatisfy { $0 == 0 } ? nil : SHA256Digest(bytes: mesh.array)
      return .mesh(Anchor.Mesh(referenceName: try text(reference, "reference"), digest: digest, extent: size))
    default: throw Failure.argument("kind has no such value, or is one that no program places")
    }
  }
}

/// A payload as C gives it; nil for none.
private func payload(
  _ type: UnsafePointer<CChar>?, _ data: UnsafePointer<UInt8>?, _ size: Int
) throws -> Anchor.Payload? {
  guard let type = try optionalText(type, "content_type") else { return nil }
  return Anchor.Payload(contentType: type, bytes: try bytes(data, size, "payload"))
}

/// Kind and payload of an anchor of a list.
@c @implementation
public func sw_anchor_list_content(_ anchors: OpaquePointer?, _ index: Int) -> UnsafePointer<sw_anchor_content>? {
  try? object(anchors, as: AnchorBox.self).contents.pointer(to: index)
}

/// An anchor as C gives it; without `content` it is a place without a payload.
func placedAnchor(
  _ name: UnsafePointer<CChar>?, _ transform: UnsafePointer<Float>?, _ content: UnsafePointer<sw_anchor_content>?
) throws -> Anchor {
  let known = try content.map { try sized($0, sw_anchor_content(), "content") } ?? sw_anchor_content()
  return Anchor(
    name: try text(name, "name"), transform: try CSharedWorld.transform(transform), kind: try known.readKind(),
    payload: try known.readPayload())
}

/// Places an anchor of a kind and with a payload.
@c @implementation
public func sw_session_place_with(
  _ session: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ transform: UnsafePointer<Float>?,
  _ content: UnsafePointer<sw_anchor_content>?, _ anchor: UnsafeMutablePointer<sw_anchor_id>?
) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    guard content != nil else { throw Failure.argument("content is NULL") }
    let placed = try placedAnchor(name, transform, content)
    let id = try running.wait { try await $0.place(placed) }
    anchor?.pointee = sw_anchor_id(copying: id.bytes)
  }
}

/// Gives an anchor another kind.
@c @implementation
public func sw_session_set_kind(
  _ session: OpaquePointer?, _ anchor: UnsafePointer<sw_anchor_id>?, _ content: UnsafePointer<sw_anchor_content>?
) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    let id = try anchorID(anchor)
    let kind = try sized(content, sw_anchor_content(), "content").readKind()
    try running.wait { try await $0.world.setKind(kind, of: id) }
  }
}

/// Replaces the payload of an anchor.
@c @implementation
public func sw_session_set_payload(
  _ session: OpaquePointer?, _ anchor: UnsafePointer<sw_anchor_id>?, _ content_type: UnsafePointer<CChar>?,
  _ data: UnsafePointer<UInt8>?, _ size: Int
) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    let id = try anchorID(anchor)
    let payload = try payload(content_type, data, size)
    try running.wait { try await $0.world.setPayload(payload, of: id) }
  }
}

/// The static anchors of a map.
@c @implementation
public func sw_map_anchors(_ map: OpaquePointer?, _ anchors: UnsafeMutablePointer<OpaquePointer?>?) -> sw_status {
  attempt {
    let anchors = try output(anchors, "anchors")
    anchors.pointee = handle(AnchorBox(try object(map, as: MapBox.self).map.anchors))
  }
}

/// The devices of other peers.
@c @implementation
public func sw_session_participants(
  _ session: OpaquePointer?, _ anchors: UnsafeMutablePointer<OpaquePointer?>?
) -> sw_status {
  attempt {
    let anchors = try output(anchors, "anchors")
    anchors.pointee = handle(
      AnchorBox(try object(session, as: RunningSession.self).wait { await $0.world.participants }))
  }
}

/// Says which live poses are wanted.
@c @implementation
public func sw_session_set_interest(_ session: OpaquePointer?, _ interest: UnsafePointer<sw_interest>?) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    var filter = AnchorFilter.all
    if interest != nil {
      let known = try sized(interest, sw_interest(), "interest")
      if known.kinds != 0 {
        guard let kind = AnchorFilter.Kind(rawValue: UInt8(clamping: known.kinds - 1)) else {
          throw Failure.argument("kinds has no such value")
        }
        filter.kind = kind
      }
      filter.namePrefix = try optionalText(known.name_prefix, "name_prefix")
      filter.creator = known.creator == nil ? nil : try peerID(known.creator)
      filter.owner = known.owner == nil ? nil : try peerID(known.owner)
      if known.radius != 0 {
        let center = SIMD3(known.center.0, known.center.1, known.center.2)
        filter.region = AnchorFilter.Region(center: center, radius: known.radius)
      }
    }
    let wanted = filter
    try running.wait { try await $0.world.setInterest(wanted) }
  }
}

/// Finds the nearest surface under a point of the screen.
@c @implementation
public func sw_map_hit_test(
  _ map: OpaquePointer?, _ pose: UnsafePointer<Float>?, _ focal_length: Float, _ aspect_ratio: Float, _ x: Float,
  _ y: Float, _ hit: UnsafeMutablePointer<sw_hit>?, _ found: UnsafeMutablePointer<Int32>?
) -> sw_status {
  attempt {
    let (hit, found) = (try output(hit, "hit"), try output(found, "found"))
    try checkRoom(hit, "hit")
    let map = try object(map, as: MapBox.self).map
    let place = try transform(pose)
    guard place.isRigid, focal_length > 0, focal_length.isFinite, aspect_ratio > 0, aspect_ratio.isFinite else {
      throw Failure.argument("the pose is not rigid, or focal_length or aspect_ratio is not over 0")
    }
    let camera = PinholeCamera(pose: place, focalLength: focal_length, aspectRatio: aspect_ratio)
    guard let nearest = HitTest(map).results(at: SIMD2(x, y), through: camera).first else {
      found.pointee = 0
      return
    }
    give(sw_hit(nearest), to: hit)
    found.pointee = 1
  }
}

extension sw_hit {
  /// A hit as C sees it.
  fileprivate init(_ result: HitTest.Result) {
    self.init()
    kind =
      switch result.kind {
      case .plane: UInt32(SW_HIT_PLANE)
      case .featurePoints: UInt32(SW_HIT_FEATURE_POINTS)
      case .extendedPlane: UInt32(SW_HIT_EXTENDED_PLANE)
      }
    let floats = result.transform.floats
    withUnsafeMutableBytes(of: &transform) { place in floats.withUnsafeBytes { place.copyBytes(from: $0) } }
    distance = result.distance
    has_anchor = result.anchor == nil ? 0 : 1
    anchor = sw_anchor_id(copying: result.anchor?.bytes ?? [])
  }
}
