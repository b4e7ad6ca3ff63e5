import Glibc
import PeerProtocol

/// The folder of a session's resources that are on their way and of those that the app has not moved (mode 0700).
///
/// A file is named by the resource's id and nothing else, and has mode 0600. No name of a peer is part of any path.
final class ResourceFolder: Sendable {
  /// Opens a file; a test puts another in its place to have it fail.
  typealias Opening = @Sendable (_ path: String, _ flags: Int32) -> Int32

  private let path: String
  private let opening: Opening

  /// A new folder in the one at `parent`.
  init(in parent: String, opening: @escaping Opening) throws(SessionError) {
    var template = Array((parent + "/sharedworld-resources-XXXXXX").utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    guard let made else { throw .system("make a folder in \(parent)") }
    path = made
    self.opening = opening
  }

  /// Where the file of a resource is.
  func path(of id: ResourceID) -> String { path + "/" + id.description }

  /// Makes the file of a resource, with room for all of it.
  func make(_ id: ResourceID, size: Int) throws(SessionError) -> ResourceFile {
    let path = path(of: id)
    guard let file = ResourceFile(descriptor: opening(path, O_RDWR | O_CREAT | O_EXCL)) else {
      throw .system("make \(path)")
    }
    do throws(ResourceFailure) {
      try file.reserve(size)
    } catch {
      unlink(path)
      throw SessionError(.diskFull, "there is no room for \(size) bytes in \(self.path)", cause: error)
    }
    return file
  }

  /// Removes the file of a resource.
  func remove(_ id: ResourceID) { unlink(path(of: id)) }

  /// Removes the folder with what is left in it.
  func remove(_ ids: [ResourceID]) {
    for id in ids { remove(id) }
    rmdir(path)
  }

  /// Opens a file of this folder, which is never a symbolic link.
  static let open: Opening = { Glibc.open($0, $1 | O_CLOEXEC | O_NOFOLLOW, 0o600) }
}
