import WorldModel

/// One map that is held, whole or in part: its announcement, and the content that it is.
@dynamicMemberLookup
package struct MapHolding: Sendable {
  /// The announcement.
  package let announcement: MapAnnouncement
  /// The chunks, and from whom the rest comes.
  package var content: ContentHolding

  /// A map to be fetched, from the chunk at `start` on.
  package init(fetching announcement: MapAnnouncement, from start: Int = 0) {
    self.announcement = announcement
    content = ContentHolding(fetching: announcement.head, from: start)
  }

  /// A map that is held whole.
  package init(_ package: MapPackage, manifest: ContentManifest, announcement: MapAnnouncement) {
    self.announcement = announcement
    content = ContentHolding(manifest, chunks: package.chunks)
  }

  /// A part of its content.
  package subscript<T>(dynamicMember path: KeyPath<ContentHolding, T>) -> T { content[keyPath: path] }

  /// The map's parts; nil until it is complete.
  package var package: MapPackage? {
    guard content.isComplete, let manifest = content.manifest else { return nil }
    return MapPackage(names: manifest.names, chunks: content.chunks.compactMap { $0 })
  }
}
