import AnchorReplication
import Basics
import Foundation
@testable import PeerProtocol
import Testing
import WorldModel

/// `Fixtures/Wire/alignment.txt`: words about frames and where the frames lie by them, made from the page by `alignment.py`.
@Suite("Where frames lie, as a second program found it")
struct GoldenAlignmentTests {
  private struct Case {
    let name: String
    var book = FrameBook()
    var solution: FrameSolution { FrameSolution(book, .all) }
    /// Lines of what follows, as words.
    var expected: [[String]] = []
  }

  private static func cases() throws -> [Case] {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Fixtures/Wire/alignment.txt").standardizedFileURL
    var cases: [Case] = []
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
      let words = line.split(separator: " ").map(String.init)
      switch words[0] {
      case "case": cases.append(Case(name: words[1]))
      case "declarations":
        let body = try bytes(words[2])
        var reader = ByteReader(body.span)
        let list = try DeclarationList(reading: &reader)
        try reader.finish()
        cases[cases.count - 1].book.set(list, of: try node(words[1]))
      case "measurement":
        let word = SpreadWord(
          .measurements, by: try node(words[1]), key: try bytes(words[2]), version: 1, body: try bytes(words[3]))
        cases[cases.count - 1].book.set(try FrameMeasurement(word))
      default: cases[cases.count - 1].expected.append(words)
      }
    }
    return cases
  }

  private static func bytes(_ text: String) throws -> [UInt8] { try #require([UInt8](hexadecimal: text)) }

  /// A start of a peer whose id begins as the owner of frames does.
  private static func node(_ text: String) throws -> NodeID {
    let bytes = try bytes(text)
    var reader = ByteReader(bytes.span)
    let actor = try reader.readActor()
    return NodeID(
      peer: PeerID(SHA256Digest(words: SIMD4(actor.peerPrefix, 0, 0, 0))), incarnation: actor.incarnation)
  }

  private static func frame(_ text: some StringProtocol) throws -> WorldFrame {
    let bytes = try bytes(String(text))
    var reader = ByteReader(bytes.span)
    return try WorldFrame(reading: &reader)
  }

  @Test("every pair of frames lies where it does there, and the same measurements are held back")
  func agree() throws {
    let cases = try Self.cases()
    #expect(cases.count > 30)
    for one in cases {
      let solution = one.solution
      var heldBack: [FrameMeasurement.Key] = []
      for words in one.expected {
        if words[0] == "held-back" {
          let (source, target) = (words[2].prefix(40), words[2].dropFirst(40))
          heldBack.append(
            FrameMeasurement.Key(
              source: try Self.frame(source), target: try Self.frame(target), observer: try Self.node(words[1]).actor))
          continue
        }
        let relation = solution.relation(from: try Self.frame(words[1]), to: try Self.frame(words[2]))
        guard words[0] == "lies" else {
          #expect(relation == nil, "\(one.name): \(words)")
          continue
        }
        let motion = try #require(relation?.motion, "\(one.name): \(words)")
        let points = [SIMD3<Double>(0, 0, 0), [1, 0, 0], [0, 1, 0]].map(motion.act)
        let numbers = points.flatMap { [$0.x, $0.y, $0.z] }
        for (number, word) in zip(numbers, words.dropFirst(3)) {
          #expect(abs(number - (Double(word) ?? .nan)) < 0.001, "\(one.name): \(words)")
        }
      }
      #expect(solution.contradictions == heldBack.sorted(), "\(one.name)")
    }
  }
}
