import Foundation
import PeerProtocol
import TestSupport
import Testing
import WorldModel

@testable import SharedWorld

@Suite("Attachments of sessions", .endsHangs)
struct AttachmentSessionTests {
  private static func noise(_ count: Int) -> [UInt8] {
    Array(FileHandle(forReadingAtPath: "/dev/urandom")?.readData(ofLength: count) ?? Data())
  }

  /// Waits until an attachment with this name is in some state.
  private static func attachment(
    _ name: String, _ state: SessionAttachment.State, _ events: inout Session.Events.Iterator
  ) async throws -> SessionAttachment {
    try await events.first { event in
      if case .attachmentChanged(let attachment) = event, attachment.name == name, attachment.state == state {
        attachment
      } else {
        nil
      }
    }
  }

  private static func bytes(of attachment: SessionAttachment) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: #require(attachment.path))))
  }

  @Test("what is attached comes to those who join later, also when its author has left")
  func lateJoiner() async throws {
    let bytes = Self.noise(3_000_000)
    let configuration = TestSessions.configuration()
    let author = try TestSessions.identity("alice")
    try await Session.withSession(as: TestSessions.identity("bob"), configuration: configuration) { bob in
      var bobs = bob.events.makeAsyncIterator()
      try await Session.withSession(as: author, configuration: configuration) { alice in
        let attached = try await alice.files.attach(bytes, named: "plan")
        #expect(attached.state == .here && attached.author == alice.localPeer && attached.size == bytes.count)
        _ = try await alice.join(bob.address)
        let here = try await Self.attachment("plan", .here, &bobs)
        #expect(here.id == attached.id && here.author == alice.localPeer)
        #expect(try Self.bytes(of: here) == bytes)
      }
      try await Session.withSession(as: TestSessions.identity("carol"), configuration: configuration) { carol in
        var carols = carol.events.makeAsyncIterator()
        _ = try await bob.join(carol.address)
        let here = try await Self.attachment("plan", .here, &carols)
        #expect(here.author.id == author.peerID)
        #expect(try Self.bytes(of: here) == bytes)
        #expect(await carol.files.attachments == [here])
        // Carol has never heard of the author: the list shows its name from when it is back.
        try await Session.withSession(as: author, configuration: configuration) { alice in
          _ = try await alice.join(bob.address)
          _ = try await carols.first { if case .peerJoined(alice.localPeer) = $0 { true } else { nil } }
          #expect(await carol.files.attachments.map(\.author) == [alice.localPeer])
        }
      }
    }
  }

  @Test("an attachment is removed everywhere, by its author and by the host alone")
  func detached() async throws {
    try await TestSessions.joined { alice, bob in
      var (alices, bobs) = (alice.events.makeAsyncIterator(), bob.events.makeAsyncIterator())
      _ = try await TestSessions.agreedHost([alice, bob])
      let host = try #require(await alice.state.host)
      let (first, second) = host.id == alice.localPeer.id ? (alice, bob) : (bob, alice)
      let plan = try await first.files.attach([1, 2, 3], named: "plan")
      let note = try await second.files.attach([], named: "note")
      let plans = try await Self.attachment("plan", .here, &bobs)
      let notes = try await Self.attachment("note", .here, &alices)
      let mine = second.localPeer.id == bob.localPeer.id ? plans : try await Self.attachment("plan", .here, &alices)
      let path = try #require(mine.path ?? notes.path)
      #expect(FileManager.default.fileExists(atPath: path))
      await #expect(throws: SessionError.self) { try await second.files.detach(plan.id) }
      #expect(await second.files.attachments.count == 2)
      // The host removes what others attached, and its own.
      try await first.files.detach(note.id)
      try await first.files.detach(plan.id)
      for name in ["note", "plan"] {
        _ = try await Self.attachment(name, .removed, &alices)
        _ = try await Self.attachment(name, .removed, &bobs)
      }
      for session in [alice, bob] { #expect(await session.files.attachments.isEmpty) }
      #expect(!FileManager.default.fileExists(atPath: path))
      await #expect(throws: SessionError.self) { try await first.files.detach(plan.id) }
    }
  }

  @Test("beyond the limit an attachment is listed, and comes when it is asked for", arguments: [false, true])
  func limit(ofCount: Bool) async throws {
    var configuration = TestSessions.configuration()
    if ofCount { configuration.limits.attachments = 1 } else { configuration.limits.attachmentBytes = 1000 }
    try await TestSessions.joined(second: configuration) { alice, bob, bobs in
      _ = try await alice.files.attach(Self.noise(600), named: "first")
      _ = try await Self.attachment("first", .here, &bobs)
      let second = try await alice.files.attach(Self.noise(600), named: "second")
      let listed = try await Self.attachment("second", .listed, &bobs)
      #expect(listed.id == second.id && listed.path == nil)
      try await bob.files.fetch(listed.id)
      let here = try await Self.attachment("second", .here, &bobs)
      #expect(try Self.bytes(of: here).count == 600)
    }
  }

  @Test("a full disk is told of, and the attachment stays listed")
  func diskFull() async throws {
    var configuration = TestSessions.configuration()
    configuration.storage.resourceOpening = { _, _ in Glibc.open("/dev/full", O_RDWR | O_CLOEXEC) }
    try await TestSessions.joined(second: configuration) { alice, bob, bobs in
      _ = try await alice.files.attach(Self.noise(1000), named: "plan")
      let failed = try await Self.attachment("plan", .failed(.diskFull), &bobs)
      #expect(await bob.files.attachments == [failed])
    }
  }

  @Test("a file that changes after it was attached is not given on, and its author hears of it")
  func changed() async throws {
    try await TestSessions.withFolder { folder in
      let path = folder.appending(path: "plan").path()
      try Data(Self.noise(100_000)).write(to: URL(filePath: path))
      try await TestSessions.two { alice, bob in
        var alices = alice.events.makeAsyncIterator()
        let attached = try await alice.files.attach(at: path)
        #expect(attached.path == path && attached.name == "plan")
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.write(contentsOf: Data(Self.noise(1000)))
        try file.close()
        _ = try await alice.join(bob.address)
        let failed = try await Self.attachment("plan", .failed(.unreadable), &alices)
        #expect(failed.id == attached.id)
        #expect(await bob.files.attachments.map(\.state) == [.fetching])
      }
    }
  }

  @Test("a split keeps both halves' attachments and removals, and both hold for all once it is healed")
  func split() async throws {
    let network = try MemoryNetwork(seed: 5, delay: .zero ... .milliseconds(2))
    var configuration = TestSessions.configuration()
    configuration.transport = .inMemory(network)
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: configuration) { alice in
      try await Session.withSession(as: TestSessions.identity("bob"), configuration: configuration) { bob in
        var (alices, bobs) = (alice.events.makeAsyncIterator(), bob.events.makeAsyncIterator())
        _ = try await alice.join(bob.address)
        let plan = try await alice.files.attach([1], named: "plan")
        _ = try await Self.attachment("plan", .here, &bobs)
        network.partition([alice])
        _ = try await bobs.first { if case .peerReconnecting = $0 { true } else { nil } }
        try await alice.files.detach(plan.id)
        _ = try await bob.files.attach([2], named: "note")
        #expect(await bob.files.attachments.map(\.name) == ["note", "plan"])
        network.heal()
        _ = try await Self.attachment("plan", .removed, &bobs)
        _ = try await Self.attachment("note", .here, &alices)
        for session in [alice, bob] { #expect(await session.files.attachments.map(\.name) == ["note"]) }
      }
    }
  }
}
