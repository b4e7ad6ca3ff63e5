import Foundation

/// The standard streams.
enum Console {
  /// Writes to standard output; false when that cannot take it, such as a full disk.
  static func output(_ text: String) -> Bool {
    (try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))) != nil
  }

  /// Writes to standard error; there is nowhere left to report a failure.
  static func error(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
