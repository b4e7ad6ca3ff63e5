import Basics
import Glibc
import WorldModel

/// The file of the addresses at which known peers could last be dialled, beside a ``PinStore``: for networks without discovery.
///
/// It is text, one peer a line: the id and its addresses. It decides nothing, since a dial expects the key; so a line that
/// cannot be read is skipped.
struct AddressBook: Sendable {
  /// Addresses of one peer.
  static let addressLimit = 4
  /// The largest file that is read (bytes).
  private static let sizeLimit = 1024 * 1024
  private static let title = "# Where the peers of this device were last. One a line: id, addresses."

  let path: String

  /// The book of the peers in a store.
  init(beside store: PinStore) { path = store.path + ".addresses" }

  /// The addresses of a peer, none for one that is not in the book.
  ///
  /// - Throws: ``SessionError`` with the code `io` or `limit-exceeded`.
  @concurrent
  func addresses(of peer: PeerID) async throws(SessionError) -> [SocketAddress] {
    try lines().last { $0.peer == peer }?.addresses ?? []
  }

  /// Records the addresses of a peer; the peer that was recorded longest ago goes when there are too many.
  ///
  /// - Throws: ``SessionError`` with the code `io` or `limit-exceeded`.
  func record(_ addresses: [SocketAddress], of peer: PeerID) throws(SessionError) {
    let lock = try FileLock.take(for: path)
    defer { withExtendedLifetime(lock) {} }
    let line = Line(peer: peer, addresses: Array(addresses.prefix(Self.addressLimit)))
    var lines = try lines()
    guard !line.addresses.isEmpty, lines.last(where: { $0.peer == peer }) != line else { return }
    lines = (lines.filter { $0.peer != peer } + [line]).suffix(PinStore.limit)
    let text = Self.title + "\n" + lines.map { "\($0.text)\n" }.joined()
    try AtomicFile.write(Array(text.utf8), to: path, permissions: 0o600, isAlone: true)
  }

  private struct Line: Equatable {
    let peer: PeerID
    let addresses: [SocketAddress]

    init(peer: PeerID, addresses: [SocketAddress]) {
      (self.peer, self.addresses) = (peer, addresses)
    }

    init?(_ text: Substring) {
      let words = text.split(separator: " ")
      guard let peer = words.first.flatMap({ PeerID(String($0)) }) else { return nil }
      let addresses = words.dropFirst().compactMap { SocketAddress(String($0)) }
      self.init(peer: peer, addresses: Array(addresses.prefix(AddressBook.addressLimit)))
    }

    var text: String { ([peer.description] + addresses.map(\.description)).joined(separator: " ") }
  }

  private func lines() throws(SessionError) -> [Line] {
    guard access(path, F_OK) == 0 || errno != ENOENT else { return [] }
    let bytes = try ReadFile.bytes(of: path, limit: Self.sizeLimit)
    return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).compactMap(Line.init)
  }
}
