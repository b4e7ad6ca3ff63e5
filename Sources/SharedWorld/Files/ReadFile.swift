import Glibc

/// Whole files, read at once.
package enum ReadFile {
  /// The bytes of the regular file at `path`.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - limit: The largest size that is read (bytes); it is compared before memory is reserved.
  /// - Throws: ``SessionError`` with the code `io` or `limit-exceeded`.
  package static func bytes(of path: String, limit: Int) throws(SessionError) -> [UInt8] {
    // Without O_NONBLOCK the opening of a pipe would wait for its writer.
    guard let file = OpenFile(path, O_RDONLY | O_NONBLOCK) else { throw failure(path) }
    var info = stat()
    guard fstat(file.descriptor, &info) == 0 else { throw failure(path) }
    guard info.st_mode & S_IFMT == S_IFREG else { throw SessionError(.io, "cannot read \(path): it is not a file") }
    guard info.st_size <= limit else {
      throw SessionError(.limitExceeded, "\(path) has \(info.st_size) bytes, the limit is \(limit)")
    }
    guard let bytes = file.readAll(limit: Int(info.st_size)) else { throw failure(path) }
    return bytes
  }

  private static func failure(_ path: String) -> SessionError {
    .system("read \(path)")
  }
}
