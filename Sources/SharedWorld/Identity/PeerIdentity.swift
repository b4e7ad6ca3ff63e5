import Basics
import PeerProtocol
import PeerTransport
public import WorldModel

/// The identity of this device: a key pair of its own and the name that it shows to people.
///
/// The key is kept in a file, so a device is recognised when it comes back; only ``temporary(named:)`` keeps none. It is the
/// whole identity: keep the file private, and delete it to become somebody else.
public struct PeerIdentity: Sendable {
  /// The SHA-256 of the public key, which peers know this device by.
  public let peerID: PeerID
  /// The name of this device for people: 1…63 bytes of UTF-8 without control characters or bidirectional controls.
  public let name: String

  /// The key and the certificate.
  let tls: TLSIdentity

  /// Reads the identity `name` from `directory`, or makes one and keeps it there.
  ///
  /// The file is `identity-<name>.pem`, readable by its owner alone, in `$XDG_STATE_HOME/sharedworld` or
  /// `~/.local/state/sharedworld` (XDG Base Directory Specification) when `directory` is nil. Two processes that ask for a
  /// new name at once get the same identity.
  ///
  /// - Throws: ``SessionError/Code/invalidArgument`` for a bad name, ``SessionError/Code/corruptIdentity`` for a damaged
  ///   file, ``SessionError/Code/insecureIdentity`` for a file or a directory that others may use,
  ///   ``SessionError/Code/io`` when the system refuses. A file that is there is never replaced.
  public static func loadOrCreate(named name: String, in directory: String? = nil) throws(SessionError) -> PeerIdentity
  {
    try check(name: name)
    let folder = if let directory { directory } else { try IdentityStore.defaultDirectory() }
    let store = try IdentityStore(directory: folder)
    let tls = try store.loadOrCreate(fileName: IdentityStore.fileName(of: name))
    return PeerIdentity(peerID: tls.peerID, name: name, tls: tls)
  }

  /// Makes an identity that no file keeps: for tests, and for an app that nobody is to recognise when it comes back.
  ///
  /// - Throws: ``SessionError/Code/invalidArgument`` for a bad name, ``SessionError/Code/io`` when no key can be made.
  public static func temporary(named name: String) throws(SessionError) -> PeerIdentity {
    try check(name: name)
    do {
      let tls = try TLSIdentity()
      return PeerIdentity(peerID: tls.peerID, name: name, tls: tls)
    } catch {
      throw SessionError(.io, "no new key could be made", cause: error)
    }
  }

  private static func check(name: String) throws(SessionError) {
    guard (1...63).contains(name.utf8.count), PlainText.allows(name) else {
      throw SessionError(
        .invalidArgument,
        "a name has 1 to 63 bytes of UTF-8 and no character that steers a terminal or turns a line around")
    }
  }
}

extension PeerIdentity {
  /// The identity whose private key is made of a secret that somebody else keeps.
  ///
  /// - Throws: ``SessionError`` with the code `invalidArgument` for a bad name, or `io`.
  package init(named name: String, secret: [UInt8]) throws(SessionError) {
    try Self.check(name: name)
    let seed = SHA256Digest(hashing: Array("sharedworld identity\0".utf8) + secret).bytes
    do throws(TransportFailure) {
      let tls = try TLSIdentity(seed: Array(seed))
      self.init(peerID: tls.peerID, name: name, tls: tls)
    } catch {
      throw SessionError(.io, "no key could be made", cause: error)
    }
  }

  /// The key that admitted peers are told, to recognise this device's advertisements by.
  var recognitionKey: RecognitionKey {
    get throws(TransportFailure) {
      RecognitionKey(Array(try tls.derivedDigest(for: "sharedworld recognition key").bytes.prefix(RecognitionKey.size)))
    }
  }
}
