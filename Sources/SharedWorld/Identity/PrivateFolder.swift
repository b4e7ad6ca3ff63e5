import Glibc

/// A folder whose files belong to this user alone.
package struct PrivateFolder {
  /// The largest file read (bytes); an identity has about 700.
  static let fileLimit = 16 * 1024

  private let path: String

  /// Opens the folder at `path`, making it and its parents (mode 0700) when they are missing.
  package init(path: String) throws(SessionError) {
    self.path = path
    try Self.make(path)
    var info = stat()
    guard stat(path, &info) == 0 else { throw .system("look at \(path)") }
    guard info.st_mode & S_IFMT == S_IFDIR else { throw SessionError(.io, "\(path) is not a directory") }
    try PrivateFile.check(
      info, path, forbidding: info.st_mode & S_ISVTX == 0 ? 0o022 : 0, repair: "chmod 700", code: .insecureIdentity)
  }

  /// The path of a file in this folder.
  package func path(of name: String) -> String { path + "/" + name }

  /// Reads a whole identity after checking that it is private; nil when there is none.
  package func read(_ name: String) throws(SessionError) -> [UInt8]? {
    try PrivateFile.identity.read(path(of: name), limit: Self.fileLimit)?.bytes
  }

  /// Writes a file of mode 0600 so that it appears in one step; the lock must be held.
  package func write(_ bytes: [UInt8], to name: String) throws(SessionError) {
    try AtomicFile.write(bytes, to: path(of: name), permissions: 0o600, isAlone: true)
  }

  /// Waits for the folder's lock, which is held until it is released or dropped.
  package func lock() throws(SessionError) -> FolderLock {
    let path = path(of: ".lock")
    guard let file = try PrivateFile.identity.open(path, O_RDWR | O_CREAT) else {
      throw .system("open \(path)")
    }
    guard file.awaitLock() else { throw .system("lock \(path)") }
    return FolderLock(file: file)
  }

  private static func make(_ path: String) throws(SessionError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.dropLast().lastIndex(of: "/"), slash > path.startIndex else {
      throw .system("create \(path)")
    }
    try make(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .system("create \(path)") }
  }
}

/// A lock between processes on a folder.
package struct FolderLock: ~Copyable {
  private let file: OpenFile

  fileprivate init(file: consuming OpenFile) {
    self.file = file
  }

  /// Lets the next process in.
  package consuming func release() {}
}
