import Glibc
import PeerCLI
import SharedWorld

/// The commands of earlier runs, in a file of this user alone; several processes may add to it.
struct HistoryFile: Sendable {
  private let path: String

  /// The file in the folder of the user's state; nil without one.
  static var standard: HistoryFile? {
    guard let folder = try? PrivateFolder(path: IdentityStore.defaultDirectory()) else { return nil }
    return HistoryFile(path: folder.path(of: "history"))
  }

  init(path: String) { self.path = path }

  /// The commands of the file; one that has grown is shortened.
  func load() -> CommandHistory {
    guard let bytes = try? ReadFile.bytes(of: path, limit: CommandHistory.fileLimit) else { return CommandHistory() }
    let history = CommandHistory(text: String(decoding: bytes, as: UTF8.self))
    let text = Array(history.text.utf8)
    // Half as much again as is kept: not at each start.
    if bytes.count > text.count + text.count / 2 { try? AtomicFile.write(text, to: path, permissions: 0o600) }
    return history
  }

  /// Adds a command; the history of a full disk is given up in silence.
  func append(_ line: String) {
    let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    let bytes = Array((line + "\n").utf8)
    guard fchmod(file, 0o600) == 0 else { return }
    // One call, so that the lines of two processes do not mix.
    _ = write(file, bytes, bytes.count)
  }
}
