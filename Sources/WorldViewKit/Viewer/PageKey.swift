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
  /// Words of 64 random bits in a token and in the key.
  private static let words = 2

  private let key: String
  /// The secret that proves the server, for a page that has shown the key.
  let proof: String
  private let token: Mutex<String>

  /// A key and a first token, from the system's random numbers.
  init() {
    key = Self.secret()
    proof = Self.secret()
    token = Mutex(Self.secret())
  }

  /// The token that works now.
  var currentToken: String { token.withLock { $0 } }

  /// The key for a request that shows the token, which is replaced by another; nil for any other text.
  func key(for shown: String) -> String? {
    token.withLock { token in
      guard Self.isSame(shown, token) else { return nil }
      token = Self.secret()
      return key
    }
  }

  /// Whether a request shows the key.
  func admits(_ request: HTTPRequest) -> Bool {
    guard let field = request.field("authorization"), field.hasPrefix("Bearer ") else { return false }
    return Self.isSame(String(field.dropFirst("Bearer ".count)), key)
  }

  /// Whether two texts are the same, told from their hashes: how long it takes says nothing of where they differ.
  private static func isSame(_ shown: String, _ secret: String) -> Bool {
    SHA256Digest(hashing: Array(shown.utf8)) == SHA256Digest(hashing: Array(secret.utf8))
  }

  private static func secret() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<words).map { _ in
      let digits = String(random.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
