import Glibc
import PeerProtocol

/// An open file of a resource, read and written at places by several workers.
final class ResourceFile: Sendable {
  private let descriptor: Int32

  /// Takes over what `open` returned; nil for a failure, and `errno` still says why.
  init?(descriptor: Int32) {
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// The size of a regular file (bytes); nil for anything else.
  var size: Int? {
    var info = stat()
    guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(info.st_size)
  }

  /// So many bytes from a place, fewer at the end of the file; nil when the system refuses.
  func read(_ count: Int, at offset: Int) -> [UInt8]? {
    var isRefused = false
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let more = pread(descriptor, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(offset + filled))
        if more < 0, errno == EINTR { continue }
        isRefused = more < 0
        if more <= 0 { break }
        filled += more
      }
    }
    return isRefused ? nil : bytes
  }

  /// Writes bytes to a place.
  func write(_ bytes: [UInt8], at offset: Int) throws(ResourceFailure) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress.map { $0 + written }, bytes.count - written, off_t(offset + written))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure(errno) }
      written += count
    }
  }

  /// Writes a chunk of the cache, which has proven it, to its place.
  func write(_ chunk: StoredChunk, at wanted: ChunkSearch.Wanted) throws(ResourceFailure) {
    let raw: [UInt8]
    do throws(ChunkFailure) { raw = try chunk.expanded(to: wanted.name.size) } catch { throw .unreadable }
    try write(raw, at: wanted.offset)
  }

  /// Takes the room for a whole file, where the file system can tell at once whether there is any.
  func reserve(_ size: Int) throws(ResourceFailure) {
    guard posix_fallocate(descriptor, 0, off_t(size)) == ENOSPC else { return }
    throw .diskFull
  }

  /// The failure that a number of the system stands for.
  private static func failure(_ number: Int32) -> ResourceFailure {
    switch number {
    case ENOSPC, EDQUOT, EFBIG: .diskFull
    default: .unwritable
    }
  }
}

/// The bytes of a resource that this peer offers, or has received.
enum ResourceSource: Sendable {
  case file(ResourceFile)
  case bytes([UInt8])

  /// So many bytes from a place, fewer at the end; nil when the system refuses.
  func read(_ count: Int, at offset: Int) -> [UInt8]? {
    switch self {
    case .file(let file): file.read(count, at: offset)
    case .bytes(let bytes): Array(bytes.dropFirst(offset).prefix(count))
    }
  }

  /// The chunk that is to be sent; nil when it cannot be read as it was offered.
  func chunk(_ load: ChunkLoad) -> StoredChunk? {
    guard let raw = read(load.name.size, at: load.offset), load.name.names(raw) else { return nil }
    return StoredChunk(compressing: raw[...])
  }

  /// The sizes and hashes of all chunks; the bytes are read once, a chunk at a time.
  ///
  /// - Throws: ``SessionError`` with the code `io`, `limit-exceeded` or `cancelled`.
  func names() throws(SessionError) -> [ChunkName] {
    var (names, offset) = ([ChunkName](), 0)
    while true {
      if Task.isCancelled { throw SessionError(.cancelled, "the resource was not offered") }
      guard let raw = read(ProtocolLimits.chunk, at: offset) else {
        throw SessionError(.io, "the resource cannot be read: \(String(cString: strerror(errno)))")
      }
      if !raw.isEmpty { names.append(ChunkName(naming: raw)) }
      offset += raw.count
      guard offset <= ProtocolLimits.resource else {
        throw SessionError(.limitExceeded, "a resource has at most \(ProtocolLimits.resource) bytes")
      }
      guard raw.count == ProtocolLimits.chunk else { break }
    }
    return names
  }
}
