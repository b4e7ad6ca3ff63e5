import FoundationEssentials
import PeerCLI
import SharedWorld

/// A command about files.
enum FileAct: Equatable, Sendable {
  /// Offer a file, to one peer or to all.
  case send(String, to: String?)
  /// Accept an offered file, to be put at a path.
  case accept(String, to: String)
  /// Decline an offered file.
  case decline(String)
  /// Take back an offered file, or give up one that is arriving.
  case cancel(String)
  /// Attach a file to the session.
  case attach(String)
  /// List what is attached.
  case attachments
  /// Remove an attachment.
  case detach(String)
  /// Send a file to a peer as a stream of a name.
  case sendStream(String, from: String, to: String)
  /// Accept the next stream of a name into a file.
  case acceptStream(String, into: String)
}

/// The files that others offer to this peer and that it offers, and where the user wants those that arrive.
struct FileDesk {
  private var offers: [ResourceID: ResourceOffer] = [:]
  private var sent: Set<ResourceID> = []
  private var destinations: [ResourceID: String] = [:]

  /// A peer offers a file.
  mutating func add(_ offer: ResourceOffer) { offers[offer.id] = offer }

  /// This peer offers a file.
  mutating func add(_ id: ResourceID) { sent.insert(id) }

  /// Notes where a file goes, and where another one does not.
  mutating func setDestination(_ path: String?, of id: ResourceID) { destinations[id] = path }

  /// Forgets a file that has arrived or failed.
  mutating func remove(_ id: ResourceID) {
    offers[id] = nil
    destinations[id] = nil
  }

  /// The ids of all that are known.
  var ids: [String] { sent.union(offers.keys).map(\.description) }

  /// The offer that a word of the user means.
  func offer(_ word: String) throws(ProgramFailure) -> ResourceOffer {
    let found = try find(word, among: Array(offers.keys))
    guard let offer = offers[found] else { throw Self.unknown(word) }
    return offer
  }

  /// The file, of either direction, that a word of the user means.
  func file(_ word: String) throws(ProgramFailure) -> ResourceID {
    try find(word, among: Array(sent.union(offers.keys)))
  }

  private func find(_ word: String, among ids: [ResourceID]) throws(ProgramFailure) -> ResourceID {
    switch Lookup.find(word, in: ids, by: { [$0.description] }) {
    case .found(let id): return id
    case .several(let count):
      throw ProgramFailure("ambiguous", "'\(word)' can mean \(count) files; give more of the id")
    case .nothing: throw Self.unknown(word)
    }
  }

  private static func unknown(_ word: String) -> ProgramFailure {
    ProgramFailure("unknown-resource", "no file '\(word)' is offered")
  }

  /// Moves a file that has arrived to where the user wants it; gives its path, or why it stays.
  func place(_ receipt: ResourceReceipt) throws -> String {
    guard let path = destinations[receipt.offer.id] else { return receipt.path }
    // The user named the file, so another one there gives way, as for `save`.
    if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    try FileManager.default.moveItem(atPath: receipt.path, toPath: path)
    return path
  }
}
