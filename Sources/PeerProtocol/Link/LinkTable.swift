/// The links of a node, oldest first, each in a place of its own where it is read and changed without being copied.
///
/// A node has about a hundred links at most, so that scanning their numbers finds one faster than hashing.
struct LinkTable: Sendable {
  /// The numbers of all links, oldest first.
  private(set) var ids: [LinkID] = []
  /// In the order of ``ids``, and a nil behind the last: the place that is lent for a number that is not there.
  private var links: [Link?] = [nil]

  /// All links, oldest first.
  var values: some Sequence<Link> { links.lazy.compactMap(\.self) }

  /// The link with this number; storing another number's link adds it as the newest, storing nil takes it out.
  subscript(id: LinkID) -> Link? {
    // Through the span, since the subscript of an array copies what it gives.
    @inline(__always) _read { yield links.span[place(of: id)] }
    @inline(__always) _modify {
      let place = place(of: id)
      defer { settle(place) }
      yield &links[place]
    }
  }

  /// Runs `body` on the link with this number, if it is there: one look for all that is read and changed of it.
  @inline(__always)
  mutating func update<R>(_ id: LinkID, _ body: (inout Link) -> R) -> R? {
    guard let place = ids.firstIndex(of: id) else { return nil }
    return body(&links[place]!)
  }

  /// Takes the link with this number out and gives it.
  mutating func removeValue(forKey id: LinkID) -> Link? {
    guard let index = ids.firstIndex(of: id) else { return nil }
    ids.remove(at: index)
    return links.remove(at: index)
  }

  @inline(__always)
  private func place(of id: LinkID) -> Int { ids.firstIndex(of: id) ?? ids.count }

  /// Follows a change at `place` that added a link or took one out.
  @inline(__always)
  private mutating func settle(_ place: Int) {
    let isPresent = links.span[place] != nil
    if isPresent != (place < ids.count) { addOrRemove(at: place) }
  }

  private mutating func addOrRemove(at place: Int) {
    if let link = links[place] {
      ids.append(link.id)
      links.append(nil)
    } else {
      ids.remove(at: place)
      links.remove(at: place)
    }
  }
}
