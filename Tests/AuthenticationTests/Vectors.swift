import Basics
import Foundation
import Testing

/// The lines of `Fixtures/Passcode/vectors.txt`, which `cpace.py` makes.
enum Vectors {
  private static let all: [String: [UInt8]] = {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Fixtures/Passcode/vectors.txt").standardizedFileURL
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ") }
    return Dictionary(
      uniqueKeysWithValues: lines.compactMap { words in
        words.count == 2 ? [UInt8](hexadecimal: String(words[1])).map { (String(words[0]), $0) } : nil
      })
  }()

  /// The bytes of a line.
  static func bytes(_ name: String) throws -> [UInt8] { try #require(all[name], "vectors.txt has no \(name)") }
}
