import Foundation
import TestSupport
import Testing

@Suite("Files between worldpeers", .endsHangs)
struct FileCommandTests {
  @Test("a file is offered, accepted and put where the user wants it; another one is declined")
  func files() async throws {
    try await withFolder { folder in
      let (ann, bob) = try await two(in: folder)
      let (source, copy) = (folder.appending(path: "source"), folder.appending(path: "copy"))
      let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
      try bytes.write(to: source)

      let sent = try #require(try await ann.ask("send-file '\(source.path())' bob").resourceID)
      #expect(try await bob.event("file-offered").resourceID == sent)
      #expect(try await bob.ask("accept-file \(sent) '\(copy.path())'").event == "answer")
      #expect(try await bob.event("file-received").path == copy.path())
      #expect(try Data(contentsOf: copy) == bytes)
      #expect(try await ann.event("file-settled").reason == nil)

      try Data("other".utf8).write(to: source)
      let other = try #require(try await ann.ask("send-file '\(source.path())'").resourceID)
      try await bob.line { $0.event == "file-offered" && $0.resourceID == other }
      #expect(try await bob.ask("decline-file \(other)").event == "answer")
      let refused = try await ann.line { $0.event == "file-settled" && $0.resourceID == other }
      #expect(refused.reason == "declined")
      #expect(try await bob.ask("accept-file ffff x").code == "unknown-resource")
    }
  }

  @Test("a stream carries a file to a peer that accepts its name, and one that nobody accepts is refused")
  func streams() async throws {
    try await withFolder { folder in
      let (ann, bob) = try await two(in: folder)
      let (source, copy) = (folder.appending(path: "source"), folder.appending(path: "copy"))
      let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
      try bytes.write(to: source)

      #expect(try await ann.ask("send-stream log '\(source.path())' bob").code == "unhandled")
      #expect(try await bob.ask("accept-stream log '\(copy.path())'").event == "answer")
      #expect(try await ann.ask("send-stream log '\(source.path())' bob").event == "answer")
      #expect(try await bob.event("stream-received").path == copy.path())
      #expect(try Data(contentsOf: copy) == bytes)
      #expect(try await ann.event("stream-sent").name == "bob")
      // One command accepts one stream.
      #expect(try await ann.ask("send-stream log '\(source.path())' bob").code == "unhandled")
      #expect(try await ann.ask("send-stream log '\(folder.path())/nothing' bob").code == "io")
    }
  }

  @Test("an attached file comes to a later peer by itself, and goes when it is detached")
  func attachments() async throws {
    try await withFolder { folder in
      let (ann, bob) = try await two(in: folder)
      // A newcomer to a session of two does not become its host, as it might to one of a single peer.
      for peer in [ann, bob] { try await peer.ask("wait host") }
      try await until { try await ann.ask("status").host == bob.ask("status").host }
      let source = folder.appending(path: "plan.txt")
      let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
      try bytes.write(to: source)
      let attached = try #require(try await ann.ask("attach '\(source.path())'").resourceID)

      let port = try #require(try await ann.event("ready").port)
      let cat = try PeerProcess("cat", in: folder, ["--connect", "127.0.0.1:\(port)"])
      let here = try await cat.line { $0.event == "attachment-changed" && $0.state == "here" }
      #expect(here.resourceID == attached)
      #expect(try Data(contentsOf: URL(filePath: #require(here.path))) == bytes)
      #expect(try await cat.ask("attachments").attachments?.map(\.file) == ["plan.txt"])
      #expect(try await cat.ask("detach plan.txt").code == "not-host")
      #expect(try await ann.ask("detach plan.txt").event == "answer")
      try await cat.line { $0.event == "attachment-changed" && $0.state == "removed" }
      #expect(try await cat.ask("attachments").attachments?.isEmpty == true)
    }
  }

  /// Ann, who takes everybody, and bob, who is linked to her.
  private func two(in folder: URL) async throws -> (PeerProcess, PeerProcess) {
    let ann = try PeerProcess("ann", in: folder, ["--accept", "all"])
    let port = try #require(try await ann.event("ready").port)
    let bob = try PeerProcess("bob", in: folder, ["--connect", "127.0.0.1:\(port)"])
    for peer in [ann, bob] { try await peer.ask("wait peers 1") }
    return (ann, bob)
  }
}
