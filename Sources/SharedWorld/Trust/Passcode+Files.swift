public import Authentication

extension Passcode {
  /// The passcode in the file at `path`, without a line end behind it.
  ///
  /// - Throws: ``SessionError`` with the code `insecure-identity` for a file of another user, or one that others may read or write,
  ///   `invalid-argument` for a text that is not a passcode, `limit-exceeded` and `io`.
  public init(contentsOfFile path: String) throws(SessionError) {
    guard var (bytes, _) = try PrivateFile.passcode.read(path, limit: 4096) else {
      throw SessionError(.io, "cannot read \(path): there is no such file")
    }
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
