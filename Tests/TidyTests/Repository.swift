import Foundation
import Testing

/// The working tree that this test was built from.
enum Repository {
  /// The top folder, found from where this file lies.
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Every file below the top folder but for what tools make, in order of path.
  static let files: [SourceFile] = {
    let made: Set<String> = [".build", ".git", "demo-out", "browser-out", "dist-out", "examples-out", "__pycache__"]
    let keys: [URLResourceKey] = [.isRegularFileKey, .isDirectoryKey]
    guard let walk = FileManager.default.enumerator(at: root, includingPropertiesForKeys: keys) else { return [] }
    var found: [SourceFile] = []
    for case let url as URL in walk {
      let kind = try? url.resourceValues(forKeys: Set(keys))
      if made.contains(url.lastPathComponent) || url.lastPathComponent.hasPrefix(".build-") {
        if kind?.isDirectory == true { walk.skipDescendants() }
      } else if kind?.isRegularFile == true {
        found.append(SourceFile(path: String(url.path.dropFirst(root.path.count + 1)), url: url))
      }
    }
    return found.sorted { $0.path < $1.path }
  }()

  /// The Swift files, in order of path.
  static let swift = files.filter { $0.path.hasSuffix(".swift") }

  /// The files that people write by hand, in order of path.
  static let written = files.filter { file in
    let endings = [".swift", ".sh", ".py", ".md", ".h", ".c", ".modulemap", ".txt", "Makefile", ".ci/run"]
    return !file.path.hasPrefix("Fixtures/") && endings.contains { file.path.hasSuffix($0) }
  }

  /// One file by its path.
  static func text(_ path: String) -> String {
    SourceFile(path: path, url: root.appending(path: path)).text
  }
}

/// One file of the repository.
struct SourceFile {
  /// The path from the top folder, with slashes.
  let path: String
  let url: URL

  /// What it says in code alone, for Swift: comments and strings are blank, lines stay where they are.
  let code: String

  init(path: String, url: URL) {
    self.path = path
    self.url = url
    code = path.hasSuffix(".swift") ? Scrubber.code(of: Self.read(url)) : ""
  }

  /// What it says, or nothing when it is not text.
  var text: String { Self.read(url) }

  private static func read(_ url: URL) -> String { (try? String(contentsOf: url, encoding: .utf8)) ?? "" }

  /// The module of a file below Sources, nil elsewhere.
  var module: String? {
    let parts = path.split(separator: "/")
    return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
  }
}

/// A place that breaks a rule, and what to do about it.
struct Finding: CustomStringConvertible {
  let path: String
  let line: Int
  let advice: String

  var description: String { "\(path):\(line): \(advice)" }
}

/// Fails once for each finding, so that a reader sees every place at once.
func report(_ findings: [Finding]) {
  for finding in findings { Issue.record("\(finding)") }
}
