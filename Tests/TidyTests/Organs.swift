import Testing

/// Organs know each other by the turn alone, and each part of the mesh has one writer.
@Suite("Organs of the node")
struct Organs {
  /// The organs, which are also the names of their folders.
  static let all: Set<Substring> = [
    "Comparison", "Coordination", "FrameAlignment", "Governance", "Handshake", "Links", "LivePoses", "MapExchange",
    "Membership", "Messages", "Ownership", "Pairing", "Registers", "Replication", "Resources",
  ]

  /// The one organ that publishes each part of the mesh.
  static let writers: [Substring: Substring] = [
    "links": "Links", "graph": "Coordination", "reign": "Coordination", "roster": "Membership", "rules": "Membership",
    "standings": "Membership", "governance": "Governance", "compared": "Comparison",
    "isFetchingMap": "MapExchange", "frames": "FrameAlignment",
  ]

  /// The files of each organ.
  private static let files = Repository.swift.compactMap { file -> (organ: Substring, file: SourceFile)? in
    let parts = file.path.split(separator: "/")
    guard file.module == "PeerProtocol", parts.count > 3, all.contains(parts[2]) else { return nil }
    return (parts[2], file)
  }

  @Test("no organ names another")
  func strangers() {
    #expect(Set(Self.files.map(\.organ)) == Self.all, "a folder of an organ is missing")
    report(
      Self.files.flatMap { organ, file in
        Self.others(than: organ, in: file.code).map { other, line in
          let advice = "\(organ) names \(other): read the turn's mesh, or send a notice"
          return Finding(path: file.path, line: line, advice: advice)
        }
      })
  }

  @Test("each part of the mesh is published by its organ alone")
  func publishers() {
    var published: Set<Substring> = []
    for (organ, file) in Self.files {
      for (part, line) in Self.published(in: file.code) {
        published.insert(part)
        if Self.writers[part] != organ {
          report([Finding(path: file.path, line: line, advice: "\(organ) does not own \(part) of the mesh")])
        }
      }
    }
    #expect(published == Set(Self.writers.keys))
  }

  @Test("the page of the architecture has a row for each organ, and for nothing else")
  func table() throws {
    let page = Repository.text("Documentation/architecture.md")
    let rows = try #require(page.split(separator: "| organ | owns |\n|---|---|\n", maxSplits: 1).last)
    let listed = rows.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("| `") }
      .compactMap { $0.split(separator: "`").dropFirst().first }
    #expect(listed.count == Set(listed).count, "an organ has two rows")
    let wrong = Set(listed).symmetricDifference(Self.all)
    #expect(wrong.isEmpty, "Documentation/architecture.md: the rows and Organs.all differ by \(wrong.sorted())")
  }

  @Test("time passes for every organ of the node")
  func visited() {
    let node = Repository.text("Sources/PeerProtocol/Node/Node.swift")
    let held = node.matches(of: #/  var (\w+)(?:: | = )Watched\W/#)
    let visited = node.matches(of: #/visits\(&(\w+), in/#)
    #expect(held.count == Self.all.count)
    #expect(held.map(\.1).sorted() == visited.map(\.1).sorted())
  }

  @Test("a name inside another one is no organ, a method of an organ's own publishes nothing")
  func recognized() {
    let code = "let a: LinksTable\nLinks.open()\nturn.mesh.publish(roster: roster)\npublish(in: &turn)\n"
    #expect(Self.others(than: "Ownership", in: code).map(\.line) == [2])
    #expect(Self.others(than: "Links", in: code).isEmpty)
    #expect(Self.published(in: code).map(\.part) == ["roster"])
  }

  private static func others(than organ: Substring, in code: String) -> [(name: Substring, line: Int)] {
    code.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { number, line in
      line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.filter { $0 != organ && all.contains($0) }
        .map { ($0, number + 1) }
    }
  }

  private static func published(in code: String) -> [(part: Substring, line: Int)] {
    code.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { number, line in
      line.ranges(of: "mesh.publish(").map { (line[$0.upperBound...].prefix { $0 != ":" }, number + 1) }
    }
  }
}
