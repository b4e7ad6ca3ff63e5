import Basics
import Foundation
import Testing

/// The lines of `vectors.txt` in a folder of `Fixtures`, which a Python script beside it makes.
struct Vectors {
  /// Made by `cpace.py`.
  private static let passcode = Vectors(folder: "Passcode")
  /// Made by `code.py`.
  static let code = Vectors(folder: "Code")

  private let folder: String
  private let all: [String: [UInt8]]

  private init(folder: String) {
    self.folder = folder
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Fixtures/\(folder)/vectors.txt").standardizedFileURL
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ") }
    all = Dictionary(
      uniqueKeysWithValues: lines.compactMap { words in
        words.count == 2 ? [UInt8](hexadecimal: String(words[1])).map { (String(words[0]), $0) } : nil
      })
  }

  /// The bytes of a line about passcodes.
  static func bytes(_ name: String) throws -> [UInt8] { try passcode.bytes(name) }

  /// The bytes of a line.
  func bytes(_ name: String) throws -> [UInt8] { try #require(all[name], "\(folder)/vectors.txt has no \(name)") }
}
