import AnchorReplication
import Basics
import Foundation
import Testing
import WorldModel

@testable import PeerProtocol

/// The table "When it becomes a member's" of Documentation/Protocol/lifecycle.md, beside what a node sends.
@Suite struct LifecyclePageTests {
  /// The types of each row, in order.
  private static let rows: [[UInt8]] = {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Documentation/Protocol/lifecycle.md").standardizedFileURL
    let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { line in
      guard let row = line.firstMatch(of: /^\| \d+ \| ([\d, ]+) \|/) else { return nil }
      return row.1.split(separator: ", ").compactMap { UInt8($0) }
    }
  }()

  /// What a node that has something of everything sends to a peer when that one's link becomes a member's.
  private static func sent() throws -> [FrameType] {
    var probe = NodeProbe(recognitionKey: Sample.recognitionKey, signs: true, owns: true)
    _ = probe.join(1, NodeProbe.peer(1))
    let removed = probe.join(2, NodeProbe.peer(2))
    probe.wait(.seconds(1), keeping: [removed])
    probe.input(.kick(NodeProbe.peer(2)))
    probe.input(.setLocked(true))
    probe.input(.setLocked(false))
    probe.input(.setGroup("a", isIn: true))
    probe.input(.beginFrame(isShared: false))
    probe.input(.setInterest(AnchorFilter(namePrefix: "a")))
    probe.input(.share(MapPackage(map: [1, 2, 3]), anchors: [], with: nil))
    probe.input(.attach(ResourcePackage(name: "x", names: [ChunkName(naming: [1])])))
    let link = probe.join(3, NodeProbe.peer(3))
    let types = try probe.frames(on: link).compactMap(\.type)
    let start = try #require(types.firstIndex(of: .admit)) + 1
    // After the vector comes news of this very link.
    let end = try #require(types.firstIndex(of: .vector))
    return types[start...end].filter { $0 != .charter }
  }

  @Test func `a creator sends what the table says, in its order`() throws {
    let types = try Self.sent()
    var row = 0
    for type in types {
      let next = Self.rows.indices.first { $0 >= row && Self.rows[$0].contains(type.rawValue) }
      row = try #require(next, "\(type) has no row after row \(row + 1)")
    }
    let due: [FrameType] = [
      .recognition, .statements, .roster, .words, .linkAnnouncement, .interest, .mapAnnounce, .chunkHave, .vector,
    ]
    #expect(Set(due).subtracting(types).isEmpty)
  }
}
