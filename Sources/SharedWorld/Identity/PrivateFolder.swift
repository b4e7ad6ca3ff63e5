import Glibc

/// A folder whose files belong to this user alone.
struct PrivateFolder {
  /// The largest file read (bytes); an identity has about 700.
  static let fileLimit = 16 * 1024

  private let path: String

  /// Opens the folder at `path`, making it and its parents (mode 0700) when they are missing.
  init(path: String) throws(SessionError) {
    self.path = path
    try Self.make(path)
    var info = stat()
    guard stat(path, &info) == 0 else { throw Self.failure("cannot look at", path) }
    guard info.st_mode & S_IFMT == S_IFDIR else { throw SessionError(.io, "\(path) is not a directory") }
    try Self.check(info, path, forbidding: info.st_mode & S_ISVTX == 0 ? 0o022 : 0, repair: "chmod 700")
  }

  /// The path of a file in this folder.
  func path(of name: String) -> String { path + "/" + name }

  /// Reads a whole file after checking that it is private; nil when there is none.
  func read(_ name: String) throws(SessionError) -> [UInt8]? {
    let path = path(of: name)
    guard let file = OpenFile(path, O_RDONLY | O_NOFOLLOW) else {
      if errno == ENOENT { return nil }
      throw Self.failure("cannot open", path)
    }
    var info = stat()
    guard fstat(file.descriptor, &info) == 0 else { throw Self.failure("cannot look at", path) }
    guard info.st_mode & S_IFMT == S_IFREG else { throw SessionError(.corruptIdentity, "\(path) is not a file") }
    try Self.check(info, path, forbidding: 0o077, repair: "chmod 600")
    guard info.st_size <= Self.fileLimit else {
      throw SessionError(.corruptIdentity, "\(path) is too large to be an identity; move it away to become a new peer")
    }
    guard let bytes = file.readAll(limit: Self.fileLimit) else { throw Self.failure("cannot read", path) }
    return bytes
  }

  /// Writes a file of mode 0600 so that it appears in one step, complete and safe from a power cut.
  func write(_ bytes: [UInt8], to name: String) throws(SessionError) {
    let final = path(of: name)
    let draft = final + ".new"
    // The lock is held, so a draft is what a crash left behind.
    unlink(draft)
    guard let file = OpenFile(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW) else {
      throw Self.failure("cannot create", draft)
    }
    guard fchmod(file.descriptor, 0o600) == 0, file.writeAll(bytes), fsync(file.descriptor) == 0,
      rename(draft, final) == 0
    else {
      let failure = Self.failure("cannot write", final)
      unlink(draft)
      throw failure
    }
    guard let folder = OpenFile(path, O_RDONLY | O_DIRECTORY), fsync(folder.descriptor) == 0 else {
      throw Self.failure("cannot save", path)
    }
  }

  /// Waits for the folder's lock, which is held until it is released or dropped.
  func lock() throws(SessionError) -> FolderLock {
    let path = path(of: ".lock")
    guard let file = OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW) else { throw Self.failure("cannot open", path) }
    while flock(file.descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw Self.failure("cannot lock", path) }
    }
    return FolderLock(file: file)
  }

  private static func make(_ path: String) throws(SessionError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.dropLast().lastIndex(of: "/"), slash > path.startIndex else {
      throw failure("cannot create", path)
    }
    try make(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("cannot create", path) }
  }

  private static func check(
    _ info: stat, _ path: String, forbidding bits: mode_t, repair: String
  ) throws(SessionError) {
    guard info.st_uid == geteuid() || (info.st_uid == 0 && info.st_mode & S_IFMT == S_IFDIR) else {
      throw SessionError(
        .insecureIdentity,
        "\(path) belongs to another user; take it over with: sudo chown $(id -u) \(shellQuoted(path))")
    }
    guard info.st_mode & bits == 0 else {
      throw SessionError(
        .insecureIdentity, "other users have access to \(path); take it away with: \(repair) \(shellQuoted(path))")
    }
  }

  private static func failure(_ doing: String, _ path: String) -> SessionError {
    SessionError(.io, "\(doing) \(path): \(String(cString: strerror(errno)))")
  }
}

/// A lock between processes on a folder.
struct FolderLock: ~Copyable {
  private let file: OpenFile

  fileprivate init(file: consuming OpenFile) {
    self.file = file
  }

  /// Lets the next process in.
  consuming func release() {}
}

/// `text` as one word for a POSIX shell.
func shellQuoted(_ text: String) -> String {
  "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
