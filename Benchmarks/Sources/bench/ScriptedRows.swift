import Foundation

/// Rows that a script of the repository measures: it writes them to the file that `SHAREDWORLD_ROWS` names.
enum ScriptedRows {
  struct Failure: Error { let script: String }

  /// The rows of a script.
  ///
  /// - Parameter isQuiet: Whether what it prints is not shown.
  static func rows(
    of script: String, _ arguments: [String] = [], environment: [String: String] = [:], isQuiet: Bool
  ) throws -> [Row] {
    let page = FileManager.default.temporaryDirectory.appending(path: "sharedworld-rows-\(getpid())")
    defer { try? FileManager.default.removeItem(at: page) }
    let process = Process()
    process.executableURL = URL(filePath: script)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      .merging(["SHAREDWORLD_ROWS": page.path]) { $1 }
    if isQuiet { (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice) }
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(script: script) }
    return try JSONDecoder().decode([Row].self, from: Data(contentsOf: page))
  }
}
