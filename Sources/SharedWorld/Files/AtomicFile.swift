import Glibc

/// Files that appear in one step, complete and safe from a power cut.
package enum AtomicFile {
  /// Writes `bytes` to the file at `path`, replacing what was there.
  ///
  /// They go to a draft beside it, which is flushed to the disk and then renamed, and the folder is flushed too:
  /// a program that opens the file, now or after a crash, sees the old content or the new, never a part. A symbolic link is
  /// followed, or replaced where nobody else writes the file.
  ///
  /// - Parameters:
  ///   - bytes: The whole content.
  ///   - path: The file; its folder must exist.
  ///   - permissions: The mode bits, such as 0o644; the process's mask does not apply.
  ///   - isAlone: Whether nobody else writes this file: then what a crash left of a draft is replaced by the next, else each
  ///     draft has a name of its own.
  ///   - renaming: Renames as the system does; a test puts another in its place to have it fail.
  /// - Throws: ``SessionError`` with the code `io`, or `diskFull`; the old file is then untouched and no draft is left.
  package static func write(
    _ bytes: [UInt8], to path: String, permissions: UInt16 = 0o644, isAlone: Bool = false,
    renaming: (String, String) -> Int32 = { rename($0, $1) }
  ) throws(SessionError) {
    let final = isAlone ? path : resolved(path)
    let slash = final.lastIndex(of: "/")
    let folder = slash.map { $0 == final.startIndex ? "/" : String(final[..<$0]) } ?? "."
    let name = slash.map { String(final[final.index(after: $0)...]) } ?? final
    guard !name.isEmpty, name != ".", name != ".." else {
      throw SessionError(.io, "cannot write \(path): it names a folder, not a file")
    }
    // Names are at most 255 bytes long, and the draft's must fit too.
    let label = String(decoding: name.utf8.prefix(200), as: UTF8.self)
    let draft = "\(folder)/.\(label)\(isAlone ? "" : ".\(UInt64.random(in: 0 ... .max))").draft"
    if isAlone { unlink(draft) }
    guard let file = OpenFile(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW) else { throw failure("create", path) }
    guard file.writeAll(bytes), fchmod(file.descriptor, mode_t(permissions)) == 0, fsync(file.descriptor) == 0,
      renaming(draft, final) == 0
    else {
      let failure = failure("write", path)
      unlink(draft)
      throw failure
    }
    guard let directory = OpenFile(folder, O_RDONLY | O_DIRECTORY), fsync(directory.descriptor) == 0 else {
      throw failure("flush the folder of", path)
    }
  }

  /// Where a symbolic link at `path` leads; `path` itself when there is none.
  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  private static func failure(_ verb: String, _ path: String) -> SessionError {
    .system("\(verb) \(path)")
  }
}
