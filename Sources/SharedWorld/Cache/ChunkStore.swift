import Basics
import Glibc
import PeerProtocol
import WorldModel

/// Verified chunks of maps and resources in a folder, so that what was here once need not travel again.
///
/// A file is named by the hash of the raw bytes and nothing else, has mode 0600 and holds one byte of codec and the
/// chunk as it is stored. Nothing in the folder is believed: a chunk is proven each time it is read, and a file that
/// does not hold what its name says is removed. When the folder has reached its limit the files that were not used for
/// the longest time go.
actor ChunkStore {
  /// Opens a file as ``OpenFile`` does; a test puts another in its place to have it fail.
  typealias Opening = @Sendable (_ path: String, _ flags: Int32) -> Int32

  private struct Entry {
    var size: Int
    /// Rises with each use.
    var use: Int
  }

  private let folder: String
  private let limit: Int
  private let opening: Opening
  /// The files in the folder, by name; nil before it was looked at.
  private var entries: [String: Entry]?
  private var total = 0
  private var uses = 0

  /// A cache in the folder at `path`, which is made if there is none (mode 0700).
  init(
    folder path: String, limit: Int,
    opening: @escaping Opening = { Glibc.open($0, $1 | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600) }
  ) {
    folder = path
    self.limit = limit
    self.opening = opening
  }

  /// The chunk whose raw bytes have this hash and size; nil when it is not here, or not as it should be.
  ///
  /// - Throws: ``SessionError`` with the code `io` when the system refuses to read it.
  func chunk(_ hash: SHA256Digest, rawSize: Int) throws(SessionError) -> StoredChunk? {
    try lookAround()
    let name = Self.name(of: hash)
    guard entries?[name] != nil else { return nil }
    guard let file = OpenFile(descriptor: opening(path(name), O_RDWR)) else {
      if errno == ENOENT { return forget(name) }
      throw failure("read")
    }
    guard let bytes = file.readAll(limit: ProtocolLimits.chunk + 2) else { throw failure("read") }
    guard let codec = bytes.first.flatMap(StoredChunk.Codec.init(rawValue:)) else { return drop(name) }
    let chunk = StoredChunk(codec: codec, bytes: Array(bytes.dropFirst()))
    guard let raw = try? chunk.expanded(to: rawSize), SHA256Digest(hashing: raw) == hash else { return drop(name) }
    futimens(file.descriptor, nil)
    uses += 1
    entries?[name]?.use = uses
    return chunk
  }

  /// Keeps a proven chunk, and makes room for it.
  ///
  /// - Throws: ``SessionError`` with the code `io` when the system refuses, as on a full disk; nothing is left behind.
  func keep(_ chunk: StoredChunk, under hash: SHA256Digest) throws(SessionError) {
    try lookAround()
    let name = Self.name(of: hash)
    let size = chunk.bytes.count + 1
    guard entries?[name] == nil, size <= limit else { return }
    makeRoom(for: size)
    let draft = path("draft")
    unlink(draft)
    guard let file = OpenFile(descriptor: opening(draft, O_WRONLY | O_CREAT | O_EXCL)) else { throw failure("write") }
    // No flush: what a power cut leaves is proven before it is used.
    guard file.writeAll([chunk.codec.rawValue]), file.writeAll(chunk.bytes), rename(draft, path(name)) == 0 else {
      let failure = failure("write")
      unlink(draft)
      throw failure
    }
    uses += 1
    entries?[name] = Entry(size: size, use: uses)
    total += size
  }

  /// Looks at the folder once, and makes it if need be.
  private func lookAround() throws(SessionError) {
    guard entries == nil else { return }
    _ = try PrivateFolder(path: folder)
    var found: [(name: String, size: Int, time: timespec)] = []
    for name in try names() {
      var info = stat()
      guard lstat(path(name), &info) == 0, info.st_mode & S_IFMT == S_IFREG else { continue }
      found.append((name, Int(info.st_size), info.st_mtim))
    }
    found.sort { ($0.time.tv_sec, $0.time.tv_nsec, $0.name) < ($1.time.tv_sec, $1.time.tv_nsec, $1.name) }
    entries = [:]
    for file in found {
      uses += 1
      entries?[file.name] = Entry(size: file.size, use: uses)
      total += file.size
    }
    makeRoom(for: 0)
  }

  /// The files in the folder that may be chunks.
  private func names() throws(SessionError) -> [String] {
    guard let directory = opendir(folder) else { throw failure("read") }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { raw in
        raw.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.utf8.count == 64, [UInt8](hexadecimal: name)?.hexadecimal == name { names.append(name) }
    }
    return names
  }

  /// Removes what was not used for the longest time until there is room.
  private func makeRoom(for size: Int) {
    guard total + size > limit, let order = entries?.sorted(by: { $0.value.use < $1.value.use }) else { return }
    for (name, _) in order {
      guard total + size > limit else { return }
      _ = drop(name)
    }
  }

  private func drop(_ name: String) -> StoredChunk? {
    unlink(path(name))
    return forget(name)
  }

  private func forget(_ name: String) -> StoredChunk? {
    total -= entries?.removeValue(forKey: name)?.size ?? 0
    return nil
  }

  private func path(_ name: String) -> String { folder + "/" + name }

  private static func name(of hash: SHA256Digest) -> String { hash.description }

  private func failure(_ verb: String) -> SessionError {
    .system("\(verb) the cache of maps in \(folder)")
  }
}
