import Glibc
import SharedWorld

/// Reads and writes `.worldmap` files.
enum MapFile {
  /// The largest file read (bytes).
  private static let limit = 1 << 30

  static func load(_ path: String) throws -> WorldMap {
    let file = try Descriptor(path, O_RDONLY)
    var info = stat()
    guard fstat(file.number, &info) == 0 else { throw failure("look at", path) }
    guard info.st_mode & S_IFMT == S_IFREG else { throw SessionError(.io, "\(path) is not a file") }
    guard info.st_size <= limit else { throw SessionError(.limitExceeded, "\(path) has more than \(limit) bytes") }
    var content = [UInt8](repeating: 0, count: Int(info.st_size))
    var filled = 0
    while filled < content.count {
      let count = content.withUnsafeMutableBytes { read(file.number, $0.baseAddress! + filled, $0.count - filled) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure("read", path) }
      filled += count
    }
    do {
      return try WorldMap(decoding: content)
    } catch {
      throw SessionError(.corruptData, "\(path): \(error)", cause: error)
    }
  }

  /// Writes the whole file or leaves the old one.
  static func save(_ map: WorldMap, to path: String) throws {
    let content: [UInt8]
    do {
      content = try map.encoded()
    } catch {
      throw SessionError(.invalidArgument, "the map cannot be encoded: \(error)", cause: error)
    }
    let draft = "\(path).\(getpid()).new"
    do {
      try write(content, to: draft)
      guard rename(draft, path) == 0 else { throw failure("write", path) }
    } catch {
      unlink(draft)
      throw error
    }
  }

  private static func write(_ content: [UInt8], to path: String) throws {
    let file = try Descriptor(path, O_WRONLY | O_CREAT | O_TRUNC)
    var written = 0
    while written < content.count {
      let count = content.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress! + written, $0.count - written) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure("write", path) }
      written += count
    }
    guard fsync(file.number) == 0 else { throw failure("write", path) }
  }

  fileprivate static func failure(_ doing: String, _ path: String) -> SessionError {
    SessionError(.io, "cannot \(doing) \(path): \(String(cString: strerror(errno)))")
  }
}

/// An open file, closed when it is dropped.
private struct Descriptor: ~Copyable {
  let number: Int32

  init(_ path: String, _ flags: Int32) throws {
    number = open(path, flags | O_CLOEXEC, 0o644)
    guard number >= 0 else { throw MapFile.failure("open", path) }
  }

  deinit {
    close(number)
  }
}
