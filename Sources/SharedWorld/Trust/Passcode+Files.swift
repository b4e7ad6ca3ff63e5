public import Authentication
import Glibc

extension Passcode {
  /// The passcode in the file at `path`, without a line end behind it.
  ///
  /// - Throws: ``SessionError`` with the code `insecure-identity` for a file that other users may read or write,
  ///   `invalid-argument` for a text that is not a passcode, and `io`.
  public init(contentsOfFile path: String) throws(SessionError) {
    var info = stat()
    guard stat(path, &info) == 0 else {
      throw SessionError(.io, "cannot read \(path): \(String(cString: strerror(errno)))")
    }
    guard info.st_mode & 0o077 == 0 else {
      throw SessionError(
        .insecureIdentity,
        "other users have access to the passcode in \(path); take it away with: chmod 600 \(shellQuoted(path))")
    }
    var bytes = try ReadFile.bytes(of: path, limit: 4096)
    defer { bytes.wipe() }
    // In place, so that no copy is left behind.
    for end in [UInt8(ascii: "\n"), UInt8(ascii: "\r")] where bytes.last == end { bytes.removeLast() }
    do throws(Defect) {
      try self.init(utf8: bytes)
    } catch {
      throw SessionError(.invalidArgument, "\(path): \(error)", cause: error)
    }
  }
}
