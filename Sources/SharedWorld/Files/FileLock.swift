import Glibc

/// A lock that all processes take before they replace a file; it is released with the last reference.
enum FileLock {
  /// Waits for the lock of the file at `path`, which is a file of its own beside it (`.lock`).
  static func take(for path: String) throws(SessionError) -> OpenFile {
    guard let lock = OpenFile(path + ".lock", O_RDWR | O_CREAT | O_NOFOLLOW) else { throw failure(path) }
    guard lock.awaitLock() else { throw failure(path) }
    return lock
  }

  private static func failure(_ path: String) -> SessionError {
    .system("lock \(path).lock")
  }
}

extension OpenFile {
  /// Waits for the lock of the file, which is held until the file is closed; false where the system refuses it.
  func awaitLock() -> Bool {
    while flock(descriptor, LOCK_EX) != 0 { guard errno == EINTR else { return false } }
    return true
  }
}
