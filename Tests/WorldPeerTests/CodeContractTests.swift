import Foundation
import SharedWorld
import TestSupport
import Testing

/// Two processes whose users compare codes, with real TCP and real TLS.
@Suite("Codes of worldpeer", .endsHangs)
struct CodeContractTests {
  /// Two peers that show a code: the first asks for it, the second dials.
  private static func compare(
    in folder: URL, _ body: (_ ann: PeerProcess, _ bob: PeerProcess) async throws -> Void
  ) async throws {
    let ann = try PeerProcess("ann", in: folder, ["--trust", "code", "--accept", "all"])
    let port = try #require(try await ann.event("ready").port)
    let bob = try PeerProcess("bob", in: folder, ["--connect", "127.0.0.1:\(port)"])
    let (one, two) = (try await ann.event("code"), try await bob.event("code"))
    #expect(one.code == two.code && one.code?.utf8.count == 6)
    #expect(one.name == "bob" && two.name == "ann")
    try await body(ann, bob)
  }

  @Test("both users confirm: the peers join, and the key is recorded for the next time")
  func confirmed() async throws {
    try await withFolder { folder in
      try await Self.compare(in: folder) { ann, bob in
        #expect(try await ann.ask("confirm eve").code == "no-code")
        #expect(try await ann.ask("confirm bob").event == "answer")
        #expect(try await bob.ask("confirm ann").event == "answer")
        #expect(try await ann.event("code-ended").confirmed == true)
        #expect(try await ann.event("peer-joined").name == "bob")
        #expect(try await bob.event("peer-joined").name == "ann")
        let store = try PinStore(beside: folder.appending(path: "ann").path)
        try await until { try store.pins().map(\.name) == ["bob"] }
        for peer in [ann, bob] {
          try peer.send("quit")
          #expect(try await peer.status() == 0)
        }
      }
      // With the recorded key nobody is asked.
      let ann = try PeerProcess("ann", in: folder, ["--trust", "code", "--accept", "all"])
      let port = try #require(try await ann.event("ready").port)
      let bob = try PeerProcess("bob", in: folder, ["--connect", "127.0.0.1:\(port)"])
      #expect(try await ann.event("peer-joined").name == "bob")
      try ann.send("quit")
      #expect(try await ann.lines { $0.event == "code" }.isEmpty)
      try bob.send("quit")
      #expect(try await bob.status() == 0)
    }
  }

  @Test("a user who rejects ends the connection for both, and the invitation is not made again")
  func rejected() async throws {
    try await withFolder { folder in
      try await Self.compare(in: folder) { ann, bob in
        #expect(try await ann.ask("reject bob").event == "answer")
        #expect(try await bob.event("code-ended").confirmed == false)
        #expect(try await bob.line { $0.event == "error" && $0.command == nil }.code == "code-refused")
        #expect(try await bob.ask("confirm ann").code == "no-code")
        for peer in [ann, bob] {
          try peer.send("quit")
          _ = try await peer.status()
        }
      }
      #expect(try PinStore(beside: folder.appending(path: "ann").path).pins().isEmpty)
    }
  }
}
