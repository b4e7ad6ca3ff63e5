import Authentication
import Basics
import Glibc
import PeerTransport

/// A folder of identity files.
package struct IdentityStore {
  private let folder: PrivateFolder

  /// Opens the folder, making it and its parents when they are missing.
  init(directory: String) throws(SessionError) {
    folder = try PrivateFolder(path: directory)
  }

  /// `$XDG_STATE_HOME/sharedworld`, else `~/.local/state/sharedworld`; a relative path in the variable is ignored, as
  /// the specification asks.
  package static func defaultDirectory() throws(SessionError) -> String {
    if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") { return state + "/sharedworld" }
    if let home = environment("HOME"), home.hasPrefix("/") { return home + "/.local/state/sharedworld" }
    throw SessionError(.io, "neither XDG_STATE_HOME nor HOME is set; name the identity's directory instead")
  }

  private static func environment(_ variable: String) -> String? {
    getenv(variable).map { String(cString: $0) }
  }

  /// A file name for any display name: the name itself where it is plain, else a tilde and a hash of it.
  static func fileName(of name: String) -> String {
    let isPlain = name.utf8.allSatisfy { byte in
      let character = Character(UnicodeScalar(byte))
      return character.isASCII && (character.isLetter || character.isNumber || "-_".contains(character))
    }
    let label = isPlain ? name : "~" + SHA256Digest(hashing: Array(name.utf8)).bytes.prefix(8).hexadecimal
    return "identity-\(label).pem"
  }

  /// Reads the identity in `fileName`, or makes one under a lock that every process takes.
  func loadOrCreate(fileName: String) throws(SessionError) -> TLSIdentity {
    // A file appears in one step and complete, so reading it needs no lock.
    if let identity = try load(fileName) { return identity }
    let lock = try folder.lock()
    // Another process may have been faster.
    if let identity = try load(fileName) { return identity }
    do {
      let identity = try TLSIdentity()
      var text = try identity.pem()
      defer { text.wipe() }
      try folder.write(text, to: fileName)
      lock.release()
      return identity
    } catch let error as SessionError {
      throw error
    } catch {
      throw SessionError(.io, "no new key could be made", cause: error)
    }
  }

  private func load(_ fileName: String) throws(SessionError) -> TLSIdentity? {
    guard var text = try folder.read(fileName) else { return nil }
    defer { text.wipe() }
    do {
      return try TLSIdentity(pem: text)
    } catch {
      let path = folder.path(of: fileName)
      throw SessionError(
        .corruptIdentity,
        "\(path) is damaged: \(error). Restore it from a backup, or move it away to become a new peer: "
          + "mv \(shellQuoted(path)) \(shellQuoted(path + ".damaged"))",
        cause: error)
    }
  }
}
