import Foundation
import TestSupport
import Testing

@Suite("Commands about frames", .endsHangs)
struct FrameCommandTests {
  @Test("two peers with frames of their own touch two corners, and then see each other's anchors where they are")
  func touch() async throws {
    try await withFolder { folder in
      let kitchen = try PeerProcess("kitchen", in: folder, ["--frame", "0,0,0,0", "--accept", "all"])
      let port = try #require(try await kitchen.line { $0.event == "ready" }.port)
      let porch = try PeerProcess("porch", in: folder, ["--frame", "3,0,-2,0", "--connect", "127.0.0.1:\(port)"])
      #expect(try await porch.ask("wait peers 1").event == "answer")
      #expect(try await kitchen.ask("wait peers 1").event == "answer")
      #expect(try await kitchen.ask("place tap 1 1 1 all").event == "answer")
      // Nothing lines the frames up yet, so the anchor has no place.
      #expect(try await porch.ask("anchors").anchors?.names == [])
      for (corner, here, there) in [("door", "0 1 0", "-3 1 2"), ("window", "2 1.5 3", "-1 1.5 5")] {
        #expect(try await kitchen.ask("touch \(corner) \(here)").event == "answer")
        #expect(try await porch.ask("touch \(corner) \(there)").event == "answer")
      }
      let seen = try await porch.line { $0.event == "alignment-changed" && $0.state == "aligned" }
      let matrix = try #require(seen.matrix)
      #expect(seen.name == "kitchen" && matrix.count == 16)
      #expect(abs(matrix[3] + 3) < 0.001 && abs(matrix[11] - 2) < 0.001)
      let names = try await porch.ask("anchors").anchors?.names
      #expect(names?.contains("tap") == true)
    }
  }

  @Test("a scan needs a map in which it is found, and a frame of the device's own")
  func refusals() async throws {
    try await withFolder { folder in
      let path = folder.appending(path: "points.xyz").path
      try Data("0 0 0\n1 0 0\n0 1 0\n".utf8).write(to: URL(filePath: path))
      let shared = try PeerProcess("shared", in: folder)
      #expect(try await shared.ask("relocalize \(path)").code == "invalid-argument")
      let framed = try PeerProcess("framed", in: folder, ["--frame", "1,0,0,90"])
      #expect(try await framed.ask("relocalize \(path)").code == "invalid-argument")
      #expect(try await framed.ask("keep-aligned \(path)").code == "invalid-argument")
      #expect(try await framed.ask("alignment").event == "answer")
    }
  }
}

extension FrameCommandTests {
  /// Two peers in frames of their own that see each other.
  private func two(in folder: URL) async throws -> (PeerProcess, PeerProcess) {
    let kitchen = try PeerProcess("kitchen", in: folder, ["--frame", "0,0,0,0", "--accept", "all"])
    let port = try #require(try await kitchen.line { $0.event == "ready" }.port)
    let porch = try PeerProcess("porch", in: folder, ["--frame", "3,0,-2,90", "--connect", "127.0.0.1:\(port)"])
    for peer in [kitchen, porch] { #expect(try await peer.ask("wait peers 1").event == "answer") }
    return (kitchen, porch)
  }

  @Test("two devices that are held together at two places line up, and the residual is shown at once")
  func meet() async throws {
    try await withFolder { folder in
      let (kitchen, porch) = try await two(in: folder)
      #expect(try await kitchen.ask("meet porch").code == "no-pose")
      // Where porch sees x = 3 + z', z = −2 − x' of the kitchen.
      for (number, (here, there)) in [("4 1 -3 0", "1 1 1 -90"), ("6 1 -4 0", "2 1 3 -90")].enumerated() {
        // Clocks of peers differ at first, and a device glides from pose to pose: these two have been nowhere before.
        for peer in [kitchen, porch] { #expect(try await peer.ask("pose none").event == "answer") }
        #expect(try await kitchen.ask("pose \(here)").event == "answer")
        #expect(try await porch.ask("pose \(there)").event == "answer")
        // The first pose leaves before what is edited after it; one soon after another waits for its turn.
        #expect(try await porch.ask("place p\(number) 0 0 0 all").event == "answer")
        if number > 0 {
          let place = here.split(separator: " ").prefix(3).compactMap { Float($0) }
          _ = try await kitchen.line { line in
            line.event == "participant-moved" && line.position?.coordinates.count == 3
              && zip(line.position?.coordinates ?? [], place).allSatisfy { abs($0 - $1) < 0.01 }
          }
        }
        let met = try await kitchen.ask("meet porch")
        let alignment = try #require(met.peers?.alignments?.first)
        #expect(alignment.state == "aligned" && alignment.residual < 0.001)
        let matrix = try #require(alignment.matrix)
        #expect(abs(matrix[3] - 3) < 0.001 && abs(matrix[11] + 2) < 0.001)
      }
      #expect(try await kitchen.ask("place k2 0 0 0 all").event == "answer")
      let aligned = try await porch.ask("align kitchen")
      #expect(aligned.by == "meeting" && aligned.peers?.alignments?.first?.state == "aligned")
    }
  }

  @Test("align takes touched points first, and says what is missing where nothing is known")
  func align() async throws {
    try await withFolder { folder in
      let (kitchen, porch) = try await two(in: folder)
      #expect(try await porch.ask("align kitchen").code == "not-determined")
      #expect(try await porch.ask("align nobody").code == "unknown-peer")
      for (corner, here, there) in [("door", "4 1 -3", "1 1 1"), ("window", "6 1 -4", "2 1 3")] {
        #expect(try await kitchen.ask("touch \(corner) \(here)").event == "answer")
        #expect(try await kitchen.ask("place after-\(corner) 0 0 0 all").event == "answer")
        #expect(try await porch.ask("touch \(corner) \(there)").event == "answer")
      }
      let aligned = try await porch.ask("align kitchen")
      let alignment = try #require(aligned.peers?.alignments?.first)
      #expect(aligned.by == "touches" && alignment.state == "aligned" && alignment.residual < 0.001)
    }
  }
}
