import Foundation
import PeerProtocol
import TestSupport
import Testing
import WorldModel

@testable import SharedWorld

@Suite("A session that is returned to", .endsHangs)
struct StateTests {
  /// A folder for a test, removed afterwards.
  private func withFolder(_ body: (String) async throws -> Void) async throws {
    try await TestSessions.withFolder { try await body($0.path) }
  }

  /// A configuration whose session is kept in a file of `folder`, and which answers invitations so.
  private static func configuration(
    _ folder: String, _ name: String, _ decision: InvitationDecision = .decline(reason: "no")
  ) -> Session.Configuration {
    var configuration = TestSessions.configuration { _ in decision }
    configuration.storage.state = folder + "/" + name
    return configuration
  }

  @Test("after a power cut of all, all are together again, on the ports they had")
  func powerCut() async throws {
    try await withFolder { folder in
      let (alice, bob) = (try TestSessions.identity("alice"), try TestSessions.identity("bob"))
      let names = ["alice", "bob"]
      let configurations = [
        Self.configuration(folder, "alice", .accept), Self.configuration(folder, "bob", .accept),
      ]
      let ports = try await Session.withSession(as: alice, configuration: configurations[0]) { one in
        try await Session.withSession(as: bob, configuration: configurations[1]) { other in
          _ = try await one.peers.invite(other.address)
          for name in names {
            let path = folder + "/" + name
            _ = try await TestSessions.record(at: path) { $0.roster.count { $0.status == .present } == 2 }
            try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
          }
          return [one.port, other.port]
        }
      }
      for (name, identity) in zip(names, [alice, bob]) {
        let left = try NodeRecord(decoding: Array(try Data(contentsOf: URL(filePath: folder + "/" + name))))
        #expect(left == NodeRecord(peerID: identity.peerID, service: "swtest"), "who left keeps nothing")
        try FileManager.default.removeItem(atPath: folder + "/" + name)
        try FileManager.default.moveItem(atPath: folder + "/" + name + ".copy", toPath: folder + "/" + name)
      }
      let cut = [Self.configuration(folder, "alice"), Self.configuration(folder, "bob")]
      try await Session.withSession(as: alice, configuration: cut[0]) { one in
        try await Session.withSession(as: bob, configuration: cut[1]) { other in
          #expect([one.port, other.port] == ports)
          _ = try await other.first { event -> Bool? in if case .peerJoined = event { true } else { nil } }
        }
      }
    }
  }

  @Test("a file that is no sound state, or another's, or in use, is refused with what to do, and left as it is")
  func refusals() async throws {
    try await withFolder { folder in
      let alice = try TestSessions.identity("alice")
      let path = folder + "/alice"
      let sound = NodeRecord(peerID: alice.peerID, service: "swtest").encoded
      let other = NodeRecord(peerID: try TestSessions.identity("bob").peerID, service: "swtest").encoded
      let service = NodeRecord(peerID: alice.peerID, service: "chess").encoded
      var later = sound
      later[4] = 9
      let cases: [([UInt8], SessionError.Code, String)] = [
        (Array("a letter".utf8), .corruptData, "no state"), (Array(sound.dropLast()), .corruptData, "damaged"),
        ([], .corruptData, "no state"), (later, .corruptData, "layout 9"), (other, .identityMismatch, "another file"),
        (service, .otherService, "another file"),
        ([UInt8](repeating: 1, count: ProtocolLimits.record + 1), .limitExceeded, path),
      ]
      for (bytes, code, text) in cases {
        try TestSessions.write(Data(bytes), privatelyTo: path)
        let error = await #expect(throws: SessionError.self) {
          try await Session.withSession(as: alice, configuration: Self.configuration(folder, "alice")) { _ in }
        }
        #expect(error?.code == code && error?.message.contains(text) == true, "\(error.debugDescription)")
        if code == .corruptData { #expect(error?.message.contains("mv '\(path)' '\(path).damaged'") == true) }
        #expect(FileManager.default.contents(atPath: path) == Data(bytes))
      }
      try FileManager.default.removeItem(atPath: path)
      try await Session.withSession(as: alice, configuration: Self.configuration(folder, "alice")) { _ in
        let used = await #expect(throws: SessionError.self) {
          try await Session.withSession(as: alice, configuration: Self.configuration(folder, "alice")) { _ in }
        }
        #expect(used?.code == .io && used?.message.contains("in use") == true)
      }
      let nowhere = await #expect(throws: SessionError.self) {
        try await Session.withSession(as: alice, configuration: Self.configuration(folder + "/no", "alice")) { _ in }
      }
      #expect(nowhere?.code == .io)
    }
  }

  @Test("what was alive within the grace time is returned to, also when the clock went back; what is older is not")
  func grace() async throws {
    try await withFolder { folder in
      let peer = try TestSessions.identity("alice").peerID
      let path = folder + "/alice"
      let file = try StateFile(path: path)
      var record = NodeRecord(peerID: peer, service: "swtest")
      record.epoch = 5
      try await file.write(record)
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.uint16Value == 0o600)
      let written = try #require(attributes[.modificationDate] as? Date).timeIntervalSince1970
      func found(_ seconds: Int) async throws -> NodeRecord? {
        let now = timespec(tv_sec: Int(written) + seconds, tv_nsec: 0)
        return try await file.record(of: peer, service: "swtest", within: .seconds(600), at: now)
      }
      #expect(try await found(600) == record)
      #expect(try await found(601) == nil)
      #expect(try await found(-1_000_000) == record)
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: path)
      #expect(try await found(0) == nil)
      await file.touch()
      #expect(try await found(0) == record, "a session that is alive does not grow old")
    }
  }

  @Test("a rename that fails leaves the state as it was, and no draft")
  func failedRename() async throws {
    try await withFolder { folder in
      let record = NodeRecord(peerID: try TestSessions.identity("alice").peerID, service: "old")
      let path = folder + "/alice"
      try AtomicFile.write(record.encoded, to: path)
      let file = try StateFile(path: path) { _, _ in
        errno = EIO
        return -1
      }
      let error = await #expect(throws: SessionError.self) {
        try await file.write(NodeRecord(peerID: record.peerID, service: "new"))
      }
      #expect(error?.code == .io)
      #expect(FileManager.default.contents(atPath: path) == Data(record.encoded))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["alice", "alice.lock"])
    }
  }

  @Test("what a process left that was killed before the rename hinders nobody")
  func abandonedDraft() async throws {
    try await withFolder { folder in
      let peer = try TestSessions.identity("alice").peerID
      let path = folder + "/alice"
      let (old, newer) = (NodeRecord(peerID: peer, service: "old"), NodeRecord(peerID: peer, service: "newer"))
      try AtomicFile.write(old.encoded, to: path, permissions: 0o600)
      try Data(newer.encoded.dropLast()).write(to: URL(filePath: folder + "/.alice.draft"))
      let file = try StateFile(path: path)
      #expect(try await file.record(of: peer, service: "old", within: .seconds(600)) == old)
      try await file.close(newer)
      #expect(FileManager.default.contents(atPath: path) == Data(newer.encoded))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["alice", "alice.lock"])
      try await file.write(old)
      #expect(FileManager.default.contents(atPath: path) == Data(newer.encoded), "closed")
      _ = try StateFile(path: path)
    }
  }

  @Test("a disk that takes nothing is told of, and the session goes on")
  func fullDisk() async throws {
    try await withFolder { folder in
      let inner = folder + "/inner"
      try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true)
      let alice = try TestSessions.identity("alice")
      try await Session.withSession(as: alice, configuration: Self.configuration(inner, "alice")) { session in
        _ = try await TestSessions.record(at: inner + "/alice") { $0.epoch == 1 }
        try FileManager.default.removeItem(atPath: inner)
        try await session.peers.lock()
        let problem = try await session.first { event -> SessionError? in
          if case .problem(let error) = event { error } else { nil }
        }
        #expect(problem.code == .io)
        try await session.peers.unlock()
        try await session.place(Anchor(name: "lamp"))
      }
    }
  }
}
