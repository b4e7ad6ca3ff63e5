import Basics
import Synchronization

/// Decides who may use the page: the browser that was given the address, and nobody else on this machine.
///
/// Every user of a machine can connect to a port of loopback. So each request but those for the page's own files shows a key
/// (RFC 6750 §2.1), and a token buys the key. The token is in the address, behind `#`, which no browser sends; it works once,
/// because the command line of a browser, with the address in it, is open to every user. A cookie would not do: browsers send
/// it to the other ports of this machine, too.
///
/// After a crash another user can take the port, whom a page must not believe. So the server begins each stream of events with
/// a second secret, which nobody but the server ever says; the key, which pages show, does not tell it.
final class PageKey: Sendable {
  /// The use that a page may make of the session.
  enum Access: CaseIterable {
    case everything
    /// It changes nothing.
    case looking
  }

  /// Words of 64 random bits in a token and in the key.
  private static let words = 2

  private let keys: [Access: String]
  /// The secret that proves the server, for a page that has shown the key.
  let proof: String
  private let tokens: Mutex<[Access: String]>
  private let used = Atomic<Int>(0)
  private let hasWindow = Atomic<Bool>(false)

  /// The keys and the first tokens, from the system's random numbers.
  init() {
    keys = Self.secrets()
    proof = Self.secret()
    tokens = Mutex(Self.secrets())
  }

  /// The token that works now.
  func currentToken(for access: Access) -> String { tokens.withLock { $0[access] ?? "" } }

  /// The tokens that were used.
  var usedTokens: Int { used.load(ordering: .relaxed) }

  /// The key for a request that shows a token, which is replaced by another; nil for any other text.
  func key(for shown: String) -> (key: String, access: Access)? {
    tokens.withLock { tokens in
      guard let access = Access.allCases.first(where: { Self.isSame(shown, tokens[$0] ?? "") }) else { return nil }
      tokens[access] = Self.secret()
      used.add(1, ordering: .relaxed)
      return keys[access].map { ($0, access) }
    }
  }

  /// Whether the page that opens now is the program's own window, which others are not: they are members of their own.
  ///
  /// It is the first one of a browser of this machine that may do everything.
  func claimWindow(_ access: Access, host: String?) -> Bool {
    guard access == .everything, let host, HTTPAccess.isLoopback(shown: host) else { return false }
    return !hasWindow.exchange(true, ordering: .relaxed)
  }

  /// The access of a request; nil for one that shows no key.
  func access(of request: HTTPRequest) -> Access? {
    guard let field = request.field("authorization"), field.hasPrefix("Bearer ") else { return nil }
    let shown = String(field.dropFirst("Bearer ".count))
    return Access.allCases.first { Self.isSame(shown, keys[$0] ?? "") }
  }

  private static func secrets() -> [Access: String] {
    Dictionary(uniqueKeysWithValues: Access.allCases.map { ($0, secret()) })
  }

  /// Whether two texts are the same, told from their hashes: how long it takes says nothing of where they differ.
  static func isSame(_ shown: String, _ secret: String) -> Bool {
    SHA256Digest(hashing: Array(shown.utf8)) == SHA256Digest(hashing: Array(secret.utf8))
  }

  /// A text that nobody can guess.
  static func secret() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<words).map { _ in
      let digits = String(random.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
