import Basics

extension Anchor {
  /// Refuses an anchor that breaks a limit or whose transform is not rigid.
  public func validate() throws(ModelError) {
    try Self.validate(name: name)
    try transform.validate()
    try kind.validate()
    try payload?.validate()
  }

  /// Refuses a name over ``Limits/anchorName`` bytes or with control characters; an empty name is allowed.
  package static func validate(name: String) throws(ModelError) {
    try check("name", name, limit: Limits.anchorName)
  }
}

extension Anchor.Payload {
  /// Refuses a payload whose content type or bytes are over their limits, and control characters in the content type.
  public func validate() throws(ModelError) {
    try check("content type", contentType, limit: Limits.contentType)
    try check("payload", count: bytes.count, limit: Limits.anchorPayload)
  }
}

extension Anchor.Kind {
  /// Refuses names over their limits, sizes that are negative or not finite, and outlines of one or two corners.
  public func validate() throws(ModelError) {
    switch self {
    case .plain, .participant: break
    case .plane(let plane): try plane.validate()
    case .image(let image):
      try check(reference: image.referenceName)
      try check(size: image.physicalSize, field: "physical size")
    case .object(let object):
      try check(reference: object.referenceName)
      try check(size: object.extent, field: "extent")
    case .mesh(let mesh):
      try check(reference: mesh.referenceName)
      try check(size: mesh.extent, field: "extent")
    }
  }
}

extension Anchor.Plane {
  fileprivate func validate() throws(ModelError) {
    try check(size: extent, field: "extent")
    try check("boundary", count: boundary.count, limit: Limits.planeBoundary)
    guard boundary.isEmpty || boundary.count >= 3 else { throw .outOfRange(field: "boundary") }
    guard boundary.allSatisfy(\.isFinite) else { throw .notFinite("boundary") }
  }
}

/// Refuses a count over its limit.
private func check(_ field: String, count: Int, limit: Int) throws(ModelError) {
  guard count <= limit else { throw .overLimit(field: field, limit: limit) }
}

/// Refuses the name of a reference that is empty or too long.
private func check(reference name: String) throws(ModelError) {
  guard !name.isEmpty else { throw .empty(field: "reference name") }
  try check("reference name", name, limit: Limits.referenceName)
}

/// Refuses text over its limit or with characters that no reader of the bytes accepts.
private func check(_ field: String, _ text: String, limit: Int) throws(ModelError) {
  try check(field, count: text.utf8.count, limit: limit)
  guard PlainText.allows(text) else { throw .controlCharacters(field: field) }
}

/// Refuses a size with a component that is negative or not finite.
private func check<V: SIMD>(size: V, field: String) throws(ModelError) where V.Scalar == Float {
  guard size.isFinite else { throw .notFinite(field) }
  guard size.min() >= 0 else { throw .outOfRange(field: field) }
}
