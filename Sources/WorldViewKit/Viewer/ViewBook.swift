import FoundationEssentials
import PeerCLI
package import SharedWorld

/// The choices of this device's user for maps that were in view, in a file beside the identity: a map's own bytes belong to all.
package struct ViewBook {
  /// An entry about a map.
  package struct Entry: Codable, Equatable {
    /// The axis that points up.
    package var up: String?
    /// The place in the frame of the map's file that is (0, 0, 0) of the map.
    package var origin: [Double]?

    package init(up: String? = nil, origin: [Double]? = nil) { (self.up, self.origin) = (up, origin) }
  }

  /// The maps that are kept, the latest last.
  private struct Page: Codable {
    var maps: [String] = []
    var entries: [String: Entry] = [:]
  }

  /// More maps than that push the oldest out.
  private static let limit = 500
  /// The largest file that is read (bytes).
  private static let sizeLimit = 1 << 20

  private let path: String?

  /// The book in a folder; nil is the usual one.
  package init(in folder: String?) {
    path = (folder ?? (try? IdentityStore.defaultDirectory())).map { $0 + "/views.json" }
  }

  /// The entry about a map; a file that cannot be read counts as none.
  package subscript(map: MapID) -> Entry { read().entries[map.description] ?? Entry() }

  /// Keeps something of a map.
  package func record(_ map: MapID, _ change: (inout Entry) -> Void) throws(SessionError) {
    guard let path else { return }
    var page = read()
    change(&page.entries[map.description, default: Entry()])
    page.maps.removeAll { $0 == map.description }
    page.maps.append(map.description)
    for old in page.maps.dropLast(Self.limit) { page.entries[old] = nil }
    page.maps = page.maps.suffix(Self.limit)
    guard let bytes = try? JSONEncoder().encode(page) else { return }
    try AtomicFile.write(Array(bytes), to: path)
  }

  private func read() -> Page {
    guard let path, let bytes = try? ReadFile.bytes(of: path, limit: Self.sizeLimit) else { return Page() }
    return (try? JSONDecoder().decode(Page.self, from: Data(bytes))) ?? Page()
  }
}
