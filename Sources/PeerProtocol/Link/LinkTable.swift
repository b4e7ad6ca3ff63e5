/// The links of a node, oldest first, each in a place of its own where it is changed without being copied.
///
/// A node has about a hundred links at most, so that scanning their numbers finds one faster than hashing.
struct LinkTable: Sendable {
  /// The numbers of all links, oldest first.
  private(set) var ids: [LinkID] = []
  /// In the order of ``ids``; never nil, but the subscript can only lend in place what has its own type.
  private var links: [Link?] = []

  /// All links, oldest first.
  var values: some Sequence<Link> { links.lazy.compactMap(\.self) }

  /// The link with this number; storing another number's link adds it as the newest, storing nil takes it out.
  subscript(id: LinkID) -> Link? {
    _read {
      if let index = ids.firstIndex(of: id) { yield links[index] } else { yield nil }
    }
    _modify {
      if let index = ids.firstIndex(of: id) {
        yield &links[index]
        if links[index] == nil { remove(at: index) }
      } else {
        var link: Link?
        yield &link
        if let link { append(link) }
      }
    }
  }

  /// Takes the link with this number out and gives it.
  mutating func removeValue(forKey id: LinkID) -> Link? {
    guard let index = ids.firstIndex(of: id) else { return nil }
    ids.remove(at: index)
    return links.remove(at: index)
  }

  private mutating func append(_ link: Link) {
    ids.append(link.id)
    links.append(link)
  }

  private mutating func remove(at index: Int) {
    ids.remove(at: index)
    links.remove(at: index)
  }
}
