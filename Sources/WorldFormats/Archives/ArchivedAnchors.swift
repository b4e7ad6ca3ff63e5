import Basics
import WorldModel

/// The anchors of an archive; what they are is decided by the chain of their classes.
enum ArchivedAnchors {
  typealias Fault = (String) -> ARKitArchiveError

  /// Reads the anchors of an `ARWorldMap`.
  static func read(
    from root: KeyedArchive.Object, _ archive: inout KeyedArchive
  ) throws(ARKitArchiveError) -> [Anchor] {
    let list = try archive.value("anchors", of: root)
    if case .null = list { return [] }
    guard let elements = try archive.elements(list) else { throw .malformedArchive("its anchors are no array") }
    guard elements.count <= Limits.anchors else {
      throw .malformedArchive("it has more than \(Limits.anchors) anchors")
    }
    var anchors: [Anchor] = []
    var known: Set<AnchorID> = []
    for (index, element) in elements.enumerated() {
      let fault: Fault = { .malformedAnchor(index + 1, $0) }
      guard let object = try archive.object(element) else { throw fault("it is no object") }
      let anchor = try anchor(object, &archive, fault)
      guard known.insert(anchor.id).inserted else { throw fault("one before it has the identifier \(anchor.id)") }
      anchors.append(anchor)
    }
    return anchors
  }

  private static func anchor(
    _ object: KeyedArchive.Object, _ archive: inout KeyedArchive, _ fault: Fault
  ) throws(ARKitArchiveError) -> Anchor {
    let transform = try archive.transform("transform", of: object, fault: fault)
    guard let transform else { throw fault("it has no transform") }
    let value = try archive.value("identifier", of: object)
    guard let identifier = try archive.object(value), identifier.classes.contains("NSUUID"),
      case .data(let range) = try archive.value("NS.uuidbytes", of: identifier),
      let id = AnchorID(bytes: archive.bytes(range))
    else { throw fault("its identifier is not 16 bytes") }
    let name = text(try archive.value("name", of: object), archive, limit: Limits.anchorName) ?? ""
    var anchor = Anchor(id: id, name: name, transform: transform)
    let classes = object.classes
    if classes.contains("ARPlaneAnchor") {
      anchor.kind = .plane(try plane(object, &archive, fault))
    } else if classes.contains("ARImageAnchor") {
      let reference = try reference("referenceImage", of: object, &archive) ?? name
      if !reference.isEmpty { anchor.kind = .image(Anchor.Image(referenceName: reference, physicalSize: .zero)) }
    } else if classes.contains("ARObjectAnchor") {
      let reference = try reference("referenceObject", of: object, &archive) ?? name
      if !reference.isEmpty { anchor.kind = .object(Anchor.Object(referenceName: reference, extent: .zero)) }
    }
    let ownKinds = ["ARAnchor", "ARPlaneAnchor", "ARImageAnchor", "ARObjectAnchor"]
    guard !ownKinds.contains(classes[0]) || (anchor.kind == .plain && classes[0] != "ARAnchor") else { return anchor }
    let extent = classes.contains("AREnvironmentProbeAnchor") ? try probeExtent(object, archive, fault) : nil
    anchor.payload = payload(of: classes[0], extent: extent)
    return anchor
  }

  /// The name of the picture or scan that an anchor refers to; nil when the archive gives none.
  private static func reference(
    _ key: String, of object: KeyedArchive.Object, _ archive: inout KeyedArchive
  ) throws(ARKitArchiveError) -> String? {
    guard let reference = try archive.object(try archive.value(key, of: object)) else { return nil }
    return text(try archive.value("name", of: reference), archive, limit: Limits.referenceName)
  }

  /// A text as the model allows it: at most `limit` bytes, characters that steer a terminal replaced.
  private static func text(_ value: KeyedArchive.Value, _ archive: KeyedArchive, limit: Int) -> String? {
    guard let text = archive.text(value, limit: limit), !text.isEmpty else { return nil }
    var cleaned = ""
    var room = limit
    for character in PlainText.cleaned(text) {
      room -= character.utf8.count
      guard room >= 0 else { break }
      cleaned.append(character)
    }
    return cleaned
  }

  /// The size of a probe (metres); nil for one without an end.
  private static func probeExtent(
    _ object: KeyedArchive.Object, _ archive: KeyedArchive, _ fault: Fault
  ) throws(ARKitArchiveError) -> SIMD3<Float>? {
    let value = try archive.value("extent", of: object)
    if case .null = value { return nil }
    guard case .data(let range) = value, [12, 16].contains(range.count) else {
      throw fault("its extent is not 3 numbers")
    }
    let numbers = archive.floats(range)
    guard numbers[..<3].allSatisfy({ $0 >= 0 }) else { throw fault("its extent is negative or no number") }
    let extent = SIMD3(numbers[0], numbers[1], numbers[2])
    return extent.isFinite ? extent : nil
  }

  /// The payload of an anchor whose class has no kind of its own here: the JSON of an ``ARKitAnchor``.
  private static func payload(of name: String, extent: SIMD3<Float>?) -> Anchor.Payload {
    let escaped = PlainText.cleaned(name).map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
    let size = extent.map { ",\"extent\":[\($0.x),\($0.y),\($0.z)]" } ?? ""
    return Anchor.Payload(contentType: "application/json", bytes: Array("{\"class\":\"\(escaped)\"\(size)}".utf8))
  }
}

extension ArchivedAnchors {
  /// Reads what a plane anchor has beside its transform.
  private static func plane(
    _ object: KeyedArchive.Object, _ archive: inout KeyedArchive, _ fault: Fault
  ) throws(ARKitArchiveError) -> Anchor.Plane {
    var box: [SIMD2<Float>] = []
    for key in ["center", "extent"] {
      guard let numbers = archive.floats(try archive.value(key, of: object), count: 4) else {
        throw fault("its \(key) is not 4 numbers")
      }
      guard numbers[..<3].allSatisfy({ $0.magnitude <= KeyedArchive.farthest }) else {
        throw fault("its \(key) is not finite or too large")
      }
      box.append([numbers[0], numbers[2]])
    }
    guard box[1].min() >= 0 else { throw fault("its extent is negative") }
    var plane = Anchor.Plane(extent: box[1])
    if case .integer(let alignment) = try archive.value("alignment", of: object) {
      plane.alignment = alignment == 0 ? .horizontal : alignment == 1 ? .vertical : .any
    }
    if case .integer(let code) = try archive.value("classification", of: object) {
      plane.classification = UInt8(exactly: code).flatMap { .init(rawValue: $0) } ?? .none
    }
    if let geometry = try archive.object(try archive.value("geometry", of: object)) {
      plane.boundary = try boundary(geometry, &archive, fault)
    }
    // The model's rectangle lies about the origin; ARKit's lies about its centre.
    if plane.boundary.isEmpty, box[0] != .zero {
      plane.boundary = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map { box[0] + $0 * box[1] / 2 }
    }
    return plane
  }

  /// The outline of a plane: its vertices, of which at most ``Limits/planeBoundary`` are kept, evenly spread.
  private static func boundary(
    _ geometry: KeyedArchive.Object, _ archive: inout KeyedArchive, _ fault: Fault
  ) throws(ARKitArchiveError) -> [SIMD2<Float>] {
    let vertices = try archive.value("vertexData", of: geometry)
    if case .null = vertices { return [] }
    guard case .data(let range) = vertices, range.count.isMultiple(of: 16) else {
      throw fault("the vertices of its geometry are not 4 numbers each")
    }
    try archive.spend(range)
    let count = range.count / 16
    try checkTriangles(geometry, &archive, vertices: count, fault)
    if case .integer(let corners) = try archive.value("boundaryVertexCount", of: geometry), corners != count {
      throw fault("its boundary has \(corners) corners, and its geometry \(count)")
    }
    guard count >= 3 else { return [] }
    let numbers = archive.floats(range)
    guard numbers.allSatisfy({ $0.magnitude <= KeyedArchive.farthest }) else {
      throw fault("a vertex of its geometry is not finite or too far away")
    }
    let kept = min(count, Limits.planeBoundary)
    return (0..<kept).map { place in
      let vertex = place * count / kept
      return [numbers[4 * vertex], numbers[4 * vertex + 2]]
    }
  }

  private static func checkTriangles(
    _ geometry: KeyedArchive.Object, _ archive: inout KeyedArchive, vertices: Int, _ fault: Fault
  ) throws(ARKitArchiveError) {
    guard case .data(let range) = try archive.value("triangleData", of: geometry) else { return }
    try archive.spend(range)
    guard range.count.isMultiple(of: 6) else { throw fault("the triangles of its geometry are not 3 numbers each") }
    let bytes = archive.bytes(range)
    for place in stride(from: range.lowerBound, to: range.upperBound, by: 2) {
      guard Int(bytes[place]) | Int(bytes[place + 1]) << 8 < vertices else {
        throw fault("a triangle of its geometry has a corner that is no vertex")
      }
    }
  }
}
