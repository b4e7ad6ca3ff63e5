import Glibc

/// A file that is closed when it is dropped.
struct OpenFile: ~Copyable {
  let descriptor: Int32

  /// Opens `path`; nil when the system refuses, and `errno` says why.
  init?(_ path: String, _ flags: Int32, mode: mode_t = 0o600) {
    // Nothing may be closed on failure, since that would overwrite errno.
    let opened = open(path, flags | O_CLOEXEC, mode)
    guard opened >= 0 else { return nil }
    descriptor = opened
  }

  /// Takes over what `open` returned; nil for a failure, and `errno` still says why.
  init?(descriptor: Int32) {
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// The content up to `limit` bytes; nil when the system refuses.
  func readAll(limit: Int) -> [UInt8]? {
    var refused = false
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
      while filled < limit {
        let count = read(descriptor, buffer.baseAddress.map { $0 + filled }, limit - filled)
        if count < 0, errno == EINTR { continue }
        refused = count < 0
        if count <= 0 { break }
        filled += count
      }
    }
    return refused ? nil : bytes
  }

  /// Writes everything; false when the system refuses.
  func writeAll(_ bytes: [UInt8]) -> Bool {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        write(descriptor, $0.baseAddress.map { $0 + written }, bytes.count - written)
      }
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return false }
      written += count
    }
    return true
  }
}
