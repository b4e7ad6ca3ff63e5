import WorldModel

/// The bytes that count towards the limit on a set: those whose number an author chooses.
extension NewAnchor {
  var stateBytes: Int { name.utf8.count + kind.byteCount + (payload?.byteCount ?? 0) }
}

extension Entry {
  var stateBytes: Int { name.utf8.count + (extras?.stateBytes ?? 0) }
}

extension Extras {
  var stateBytes: Int { kind.byteCount + (payload?.byteCount ?? 0) }
}

extension Anchor.Payload {
  var byteCount: Int { contentType.utf8.count + bytes.count }
}

extension Anchor.Kind {
  /// Bytes of names and outlines.
  var byteCount: Int {
    switch self {
    case .plain, .participant: 0
    case .plane(let plane): plane.boundary.count * 8
    case .image(let image): image.referenceName.utf8.count
    case .object(let object): object.referenceName.utf8.count
    case .mesh(let mesh): mesh.referenceName.utf8.count
    }
  }
}
