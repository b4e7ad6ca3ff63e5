import Glibc

/// A kind of file that belongs to this user alone.
struct PrivateFile {
  static let identity = PrivateFile(
    name: "the identity", insecure: .insecureIdentity, damaged: .corruptIdentity, tooLarge: .corruptIdentity)
  static let journal = PrivateFile(name: "the journal")
  static let state = PrivateFile(name: "the state")
  /// A file that somebody else, such as a manager of secrets, may have put there by a link.
  static let passcode = PrivateFile(name: "the passcode", insecure: .insecureIdentity, followsLinks: true)
  /// Others may read it where its owner lets them, but not write who is trusted.
  static let pins = PrivateFile(name: "the file of known peers", followsLinks: true, forbidden: 0o022)

  /// The name of the file in errors.
  let name: String
  /// The code of the error when others have access.
  var insecure = SessionError.Code.insecureFile
  /// The code of the error when it is no regular file.
  var damaged = SessionError.Code.io
  /// The code of the error when it is too large to be one.
  var tooLarge = SessionError.Code.limitExceeded
  /// Whether a symbolic link is followed; what it leads to is looked at then.
  var followsLinks = false
  /// The bits of the mode that it must not have.
  var forbidden: mode_t = 0o077

  /// Opens the regular file at `path` of this user, to whom alone it is open as far as ``forbidden`` says.
  ///
  /// No symbolic link is followed unless ``followsLinks``, since it could lead the writing elsewhere, and no pipe holds up the opening.
  ///
  /// - Parameters:
  ///   - path: The file; with `O_CREAT` among the flags it gets mode 0600 where it is missing.
  ///   - flags: As `open(2)` takes them.
  /// - Returns: Nil when there is no file.
  /// - Throws: ``SessionError`` with the code ``insecure``, ``damaged`` or `io`.
  func open(_ path: String, _ flags: Int32) throws(SessionError) -> OpenFile? {
    guard let file = OpenFile(path, flags | (followsLinks ? 0 : O_NOFOLLOW) | O_NONBLOCK) else {
      switch errno {
      case ENOENT where flags & O_CREAT == 0: return nil
      case ELOOP: throw SessionError(insecure, "\(name) \(path) is a symbolic link; name the file that it leads to")
      case EISDIR: throw SessionError(damaged, "\(name) \(path) is a folder; name a file")
      default: throw failure("open", path)
      }
    }
    var info = stat()
    guard fstat(file.descriptor, &info) == 0 else { throw failure("look at", path) }
    guard info.st_mode & S_IFMT == S_IFREG else { throw SessionError(damaged, "\(name) \(path) is not a file") }
    try Self.check(info, path, forbidding: forbidden, repair: "chmod 600", code: insecure)
    return file
  }

  /// Reads the whole file at `path`; nil when there is none.
  ///
  /// - Parameter limit: The largest size that is read (bytes).
  /// - Throws: ``SessionError`` as ``open(_:_:)``, and with the code ``tooLarge``.
  func read(_ path: String, limit: Int) throws(SessionError) -> (bytes: [UInt8], modified: timespec)? {
    guard let file = try open(path, O_RDONLY) else { return nil }
    var info = stat()
    guard fstat(file.descriptor, &info) == 0 else { throw failure("look at", path) }
    guard info.st_size <= limit else {
      throw SessionError(tooLarge, "\(name) \(path) has \(info.st_size) bytes, the limit is \(limit)")
    }
    guard let bytes = file.readAll(limit: Int(info.st_size)) else { throw failure("read", path) }
    return (bytes, info.st_mtim)
  }

  /// Refuses a file or a folder of another user, or one whose mode has one of `bits`.
  ///
  /// A folder of root is accepted, since root can do everything anyway.
  static func check(
    _ info: stat, _ path: String, forbidding bits: mode_t, repair: String, code: SessionError.Code
  ) throws(SessionError) {
    guard info.st_uid == geteuid() || (info.st_uid == 0 && info.st_mode & S_IFMT == S_IFDIR) else {
      throw SessionError(
        code, "\(path) belongs to another user; take it over with: sudo chown $(id -u) \(shellQuoted(path))")
    }
    guard info.st_mode & bits == 0 else {
      throw SessionError(
        code, "other users have access to \(path); take it away with: \(repair) \(shellQuoted(path))")
    }
  }

  private func failure(_ doing: String, _ path: String) -> SessionError {
    .system("\(doing) \(name) \(path)")
  }
}

/// `text` as one word for a POSIX shell.
func shellQuoted(_ text: String) -> String {
  "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
