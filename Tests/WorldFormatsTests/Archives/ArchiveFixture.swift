import Foundation

@testable import WorldFormats

/// An archive of Fixtures/Archives, and what `make.py` says a reader must find in it.
struct ArchiveFixture {
  static let refused = [
    "corner", "cycle", "deep", "fan", "infinite", "other", "plain", "reference", "scale", "short-matrix", "skew",
    "twice",
  ]
  static let partial = [
    "later-name", "later-layout", "later-archive", "left-over", "cut", "empty", "huge-count", "wrapped",
  ]

  static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appending(path: "\(name).arexperience")))
  }

  /// The lines of the text beside an archive that begin with `word`, without it.
  static func lines(_ name: String, _ word: String) throws -> [[Substring]] {
    try String(contentsOf: folder.appending(path: "\(name).txt"), encoding: .utf8).split(separator: "\n")
      .map { $0.split(separator: " ") }.filter { $0[0] == word }.map { Array($0.dropFirst()) }
  }

  private static var folder: URL {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Fixtures/Archives")
  }
}

extension SIMD3 where Scalar == Float {
  /// Three numbers of a line.
  init(words: some Collection<Substring>) {
    let numbers = words.compactMap { Float($0) }
    self.init(numbers[0], numbers[1], numbers[2])
  }

  /// The distance to another point.
  func distance(to other: Self) -> Float { ((self - other) * (self - other)).sum().squareRoot() }
}
