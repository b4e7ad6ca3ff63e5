import Foundation
import PeerProtocol
import TestSupport
import Testing
import WorldModel

@testable import SharedWorld

@Suite("Resources of sessions", .endsHangs)
struct ResourceSessionTests {
  /// Bytes that do not compress.
  private static func noise(_ count: Int) -> [UInt8] {
    Array(FileHandle(forReadingAtPath: "/dev/urandom")?.readData(ofLength: count) ?? Data())
  }

  // One reader for each test: a later one sees only what comes after it.

  private static func offer(_ events: inout Session.Events.Iterator) async throws -> ResourceOffer {
    try await events.first { if case .resourceOffered(let offer) = $0 { offer } else { nil } }
  }

  private static func receipt(_ events: inout Session.Events.Iterator) async throws -> ResourceReceipt {
    try await events.first { if case .resourceReceived(let receipt) = $0 { receipt } else { nil } }
  }

  private static func failure(_ events: inout Session.Events.Iterator) async throws -> ResourceFailure {
    try await events.first { if case .resourceFailed(_, let failure) = $0 { failure } else { nil } }
  }

  @Test("a file of 20 MB arrives as it was, in a private file, with progress on both sides")
  func largeFile() async throws {
    try await TestSessions.withFolder { folder in
      let bytes = Self.noise(20_000_003)
      let path = folder.appending(path: "scan.bin").path()
      try Data(bytes).write(to: URL(filePath: path))
      try await TestSessions.joined { alice, bob in
        var bobs = bob.events.makeAsyncIterator()
        let bobID = bob.localPeer.id
        let transfer = try await alice.files.send(at: path, to: [bobID])
        let offer = try await Self.offer(&bobs)
        #expect(offer.name == "scan.bin" && offer.size == bytes.count && offer.from == alice.localPeer)
        #expect(offer.id == transfer.id)
        try await bob.files.accept(offer)
        var (fractions, results) = ([Double](), [ResourceTransfer.Update]())
        for await update in transfer {
          if case .progress(let progress) = update {
            fractions.append(progress.fraction)
          } else {
            results.append(update)
          }
        }
        #expect(results == [.received(bob.localPeer)])
        #expect(fractions.count > 3 && fractions == fractions.sorted() && fractions.last == 1)
        let receipt = try await Self.receipt(&bobs)
        #expect(receipt.offer == offer)
        let attributes = try FileManager.default.attributesOfItem(atPath: receipt.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let moved = folder.appending(path: "mine").path()
        try FileManager.default.moveItem(atPath: receipt.path, toPath: moved)
        #expect(try Data(contentsOf: URL(filePath: moved)) == Data(bytes))
      }
    }
  }

  /// Runs `body` with two sessions of which the first has invited the second, both with a folder for resources, and the events of
  /// the second.
  private static func joined(
    resourcesIn folder: URL,
    _ body: @Sendable (Session, Session, inout Session.Events.Iterator) async throws -> Void
  ) async throws {
    var configuration = TestSessions.configuration()
    configuration.storage.resourceFolder = folder.path()
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: configuration) { alice in
      try await Session.withSession(as: TestSessions.identity("bob"), configuration: configuration) { bob in
        var bobs = bob.events.makeAsyncIterator()
        _ = try await alice.join(bob.address)
        try await body(alice, bob, &bobs)
      }
    }
  }

  @Test("what the app has not moved is gone when the session has ended")
  func temporary() async throws {
    try await TestSessions.withFolder { folder in
      try await Self.joined(resourcesIn: folder) { alice, bob, bobs in
        _ = try await alice.files.send([1, 2, 3], named: "x", to: [bob.localPeer.id])
        try await bob.files.accept(try await Self.offer(&bobs))
        let path = try await Self.receipt(&bobs).path
        #expect(FileManager.default.fileExists(atPath: path))
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()).isEmpty)
    }
  }

  @Test("a name that looks like a path is a name and never a path")
  func hostileName() async throws {
    try await TestSessions.withFolder { folder in
      var configuration = TestSessions.configuration()
      configuration.storage.resourceFolder = folder.appending(path: "").path()
      try await Session.withSession(as: TestSessions.identity("alice"), configuration: configuration) { alice in
        try await Session.withSession(as: TestSessions.identity("bob"), configuration: configuration) { bob in
          var bobs = bob.events.makeAsyncIterator()
          _ = try await alice.join(bob.address)
          let name = "../../etc/passwd"
          let transfer = try await alice.files.send([1, 2, 3], named: name, to: [bob.localPeer.id])
          let offer = try await Self.offer(&bobs)
          #expect(offer.name == name)
          try await bob.files.accept(offer)
          let receipt = try await Self.receipt(&bobs)
          #expect(receipt.path.hasPrefix(folder.path()) && receipt.path.hasSuffix("/" + transfer.id.description))
          #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()).count == 1)
        }
      }
    }
  }

  @Test(
    "a name that cannot be shown is refused, and made from a path it is cleaned",
    arguments: ["", "a\u{202e}b", "a\nb", String(repeating: "ü", count: 128)])
  func badName(_ name: String) async throws {
    try await TestSessions.joined { alice, bob in
      let error = await #expect(throws: SessionError.self) {
        try await alice.files.send([1], named: name, to: [bob.localPeer.id])
      }
      #expect(error?.code == .invalidArgument)
    }
    #expect(ResourceName.allows(ResourceName.cleaned(name)))
  }

  @Test("a declined offer ends with the peer that declined it")
  func declined() async throws {
    try await TestSessions.joined { alice, bob in
      var bobs = bob.events.makeAsyncIterator()
      let transfer = try await alice.files.send(Self.noise(1000), named: "x", to: [bob.localPeer.id])
      let offer = try await Self.offer(&bobs)
      await bob.files.decline(offer)
      #expect(await transfer.results() == [bob.localPeer.id: .declined])
      let error = await #expect(throws: SessionError.self) {
        try await bob.files.accept(
          ResourceOffer(id: transfer.id, from: alice.localPeer, name: "x", size: 1000))
      }
      #expect(error?.code == .unknownResource)
    }
  }

  @Test("the sender takes an offer back, before and after it was accepted", arguments: [false, true])
  func withdrawn(isAccepted: Bool) async throws {
    try await TestSessions.joined { alice, bob in
      var bobs = bob.events.makeAsyncIterator()
      let transfer = try await alice.files.send(Self.noise(8_000_000), named: "x", to: [bob.localPeer.id])
      let offer = try await Self.offer(&bobs)
      if isAccepted {
        try await bob.files.accept(offer)
        _ = try await bobs.first { if case .resourceProgress = $0 { true } else { nil } }
      }
      await alice.files.cancel(transfer.id)
      #expect(await transfer.results() == [bob.localPeer.id: .withdrawn])
      let failure = try await Self.failure(&bobs)
      #expect(failure == .withdrawn)
    }
  }

  @Test("the receiver gives a resource up in the middle, and its file is gone")
  func cancelled() async throws {
    try await TestSessions.withFolder { folder in
      try await Self.joined(resourcesIn: folder) { alice, bob, bobs in
        let transfer = try await alice.files.send(Self.noise(8_000_000), named: "x", to: [bob.localPeer.id])
        try await bob.files.accept(try await Self.offer(&bobs))
        _ = try await bobs.first { if case .resourceProgress = $0 { true } else { nil } }
        await bob.files.cancel(transfer.id)
        #expect(await transfer.results() == [bob.localPeer.id: .cancelled])
        let failure = try await Self.failure(&bobs)
        #expect(failure == .cancelled)
        let made = try FileManager.default.contentsOfDirectory(atPath: folder.path())
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: made[0]).path())
        #expect(left.isEmpty)
      }
    }
  }

  @Test("a full disk is told of on both sides, and the session goes on")
  func diskFull() async throws {
    var configuration = TestSessions.configuration()
    // The device that refuses every byte as a full disk does.
    configuration.storage.resourceOpening = { _, _ in Glibc.open("/dev/full", O_RDWR | O_CLOEXEC) }
    try await TestSessions.joined(second: configuration) { alice, bob, bobs in
      let transfer = try await alice.files.send(Self.noise(1_000_000), named: "x", to: [bob.localPeer.id])
      try await bob.files.accept(try await Self.offer(&bobs))
      #expect(await transfer.results() == [bob.localPeer.id: .diskFull])
      let failure = try await Self.failure(&bobs)
      #expect(failure == .diskFull)
      try await alice.send([7])
      _ = try await bobs.first { if case .message([7], _) = $0 { true } else { nil } }
    }
  }

  @Test("a file that changes while it is sent ends with a failure, not with other bytes")
  func changed() async throws {
    try await TestSessions.withFolder { folder in
      let path = folder.appending(path: "x").path()
      try Data(Self.noise(2_000_000)).write(to: URL(filePath: path))
      try await TestSessions.joined { alice, bob in
        var bobs = bob.events.makeAsyncIterator()
        let transfer = try await alice.files.send(at: path, to: [bob.localPeer.id])
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seek(toOffset: 1_000_000)
        try file.write(contentsOf: Data(Self.noise(1000)))
        try file.close()
        try await bob.files.accept(try await Self.offer(&bobs))
        #expect(await transfer.results() == [bob.localPeer.id: .unreadable])
        let failure = try await Self.failure(&bobs)
        #expect(failure == .unreadable)
      }
    }
  }

  @Test("an empty file arrives, and so do no bytes", arguments: [false, true])
  func empty(isFile: Bool) async throws {
    try await TestSessions.withFolder { folder in
      let path = folder.appending(path: "none").path()
      try Data().write(to: URL(filePath: path))
      try await TestSessions.joined { alice, bob in
        var bobs = bob.events.makeAsyncIterator()
        let bobID = bob.localPeer.id
        let transfer =
          isFile
          ? try await alice.files.send(at: path, to: [bobID])
          : try await alice.files.send([], named: "none", to: [bobID])
        let offer = try await Self.offer(&bobs)
        #expect(offer.name == "none" && offer.size == 0)
        try await bob.files.accept(offer)
        let progress = try await bobs.first { if case .resourceProgress(let progress) = $0 { progress } else { nil } }
        #expect(progress.fraction == 1)
        let path = try await Self.receipt(&bobs).path
        #expect(try Data(contentsOf: URL(filePath: path)).isEmpty)
        #expect(await transfer.results() == [bobID: nil])
      }
    }
  }

  @Test("a connection that breaks in the middle, twice, loses nothing that has come")
  func brokenConnection() async throws {
    let network = try MemoryNetwork(delay: .milliseconds(1) ... .milliseconds(2))
    var configuration = TestSessions.configuration()
    configuration.transport = .inMemory(network)
    let bytes = Self.noise(12_000_000)
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: configuration) { alice in
      try await Session.withSession(as: TestSessions.identity("bob"), configuration: configuration) { bob in
        var bobs = bob.events.makeAsyncIterator()
        _ = try await alice.join(bob.address)
        let transfer = try await alice.files.send(bytes, named: "x", to: [bob.localPeer.id])
        try await bob.files.accept(try await Self.offer(&bobs))
        var before = 0
        for part in [0.2, 0.6] {
          let here = try await bobs.first { event in
            if case .resourceProgress(let progress) = event, progress.fraction > part { progress.bytes } else { nil }
          }
          #expect(here > before && here < bytes.count)
          before = here
          network.disconnect(alice, bob)
        }
        while true {
          let event = try await bobs.first { $0 }
          if case .resourceProgress(let progress) = event {
            #expect(progress.bytes >= before)
          } else if case .resourceReceived(let receipt) = event {
            #expect(try Data(contentsOf: URL(filePath: receipt.path)) == Data(bytes))
            break
          } else if case .resourceFailed(_, let failure) = event {
            Issue.record("\(failure.word)")
            break
          }
        }
        #expect(await transfer.results() == [bob.localPeer.id: nil])
      }
    }
  }

  /// Joins `alice` with a session that has a cache, which ends when it has so much of what it is offered, or all of it; bytes of
  /// the resource that it had by then, and bytes that came over its connection.
  private static func fetch(
    _ bytes: [UInt8], of alice: Session, cache folder: String, upTo part: Double
  ) async throws -> (had: Int, came: Int) {
    var configuration = TestSessions.configuration()
    configuration.storage.mapCache = MapCache(folder: folder)
    return try await Session.withSession(as: TestSessions.identity("bob"), configuration: configuration) { bob in
      var bobs = bob.events.makeAsyncIterator()
      _ = try await alice.join(bob.address)
      _ = try await alice.files.send(bytes, named: "x", to: [bob.localPeer.id])
      try await bob.files.accept(try await offer(&bobs))
      let had = try await bobs.first { event in
        if case .resourceProgress(let progress) = event, progress.fraction >= part { progress.bytes } else { nil }
      }
      if part == 1 {
        let path = try await receipt(&bobs).path
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(bytes))
      }
      return (had, await bob.state.peers.reduce(0) { $0 + Int($1.bytesReceived) })
    }
  }

  @Test("after a restart of the receiver only that comes which its cache does not have")
  func resumedFromCache() async throws {
    let bytes = Self.noise(16 * ProtocolLimits.chunk)
    try await TestSessions.withFolder { folder in
      let cache = folder.appending(path: "cache").path()
      try await Session.withSession(as: TestSessions.identity("alice"), configuration: TestSessions.configuration()) {
        alice in
        let first = try await Self.fetch(bytes, of: alice, cache: cache, upTo: 0.4)
        #expect(first.had < bytes.count)
        let second = try await Self.fetch(bytes, of: alice, cache: cache, upTo: 1)
        #expect(second.came < bytes.count - first.had + ProtocolLimits.chunk)
        let third = try await Self.fetch(bytes, of: alice, cache: cache, upTo: 1)
        #expect(third.came < ProtocolLimits.chunk)
      }
    }
  }

  @Test("what is no file and what has no receiver is refused")
  func refused() async throws {
    try await TestSessions.joined { alice, bob in
      let peers = [bob.localPeer.id]
      let none = await #expect(throws: SessionError.self) { try await alice.files.send(at: "/nowhere/x", to: peers) }
      #expect(none?.code == .io)
      let folder = await #expect(throws: SessionError.self) { try await alice.files.send(at: "/tmp", to: peers) }
      #expect(folder?.code == .invalidArgument)
      let nobody = await #expect(throws: SessionError.self) { try await alice.files.send([1], named: "x", to: []) }
      #expect(nobody?.code == .invalidArgument)
      let stranger = await #expect(throws: SessionError.self) {
        try await alice.files.send([1], named: "x", to: [TestSessions.identity("eve").peerID])
      }
      #expect(stranger?.code == .unknownPeer)
    }
  }

  @Test("a receiver that leaves, and a sender that leaves, end a resource for the other one", arguments: [false, true])
  func peerLeaves(isSender: Bool) async throws {
    try await TestSessions.joined { alice, bob in
      var bobs = bob.events.makeAsyncIterator()
      let transfer = try await alice.files.send(Self.noise(1000), named: "x", to: [bob.localPeer.id])
      _ = try await Self.offer(&bobs)
      if isSender {
        await alice.leave()
        let failure = try await Self.failure(&bobs)
        #expect(failure == .left)
        #expect(await transfer.results() == [bob.localPeer.id: .ended])
      } else {
        await bob.leave()
        #expect(await transfer.results() == [bob.localPeer.id: .left])
      }
    }
  }

  @Test("three receivers of one resource all get it")
  func several() async throws {
    let bytes = Self.noise(6_000_000)
    try await TestSessions.joined { alice, bob in
      try await Session.withSession(
        as: TestSessions.identity("carol"), configuration: TestSessions.configuration()
      ) { carol in
        _ = try await alice.join(carol.address)
        let transfer = try await alice.files.send(
          bytes, named: "x", to: [bob.localPeer.id, carol.localPeer.id])
        try await withThrowingTaskGroup(of: Bool.self) { group in
          for session in [bob, carol] {
            group.addTask {
              var events = session.events.makeAsyncIterator()
              try await session.files.accept(Self.offer(&events))
              let path = try await Self.receipt(&events).path
              return try Data(contentsOf: URL(filePath: path)) == Data(bytes)
            }
          }
          for try await isEqual in group { #expect(isEqual) }
        }
        let results = await transfer.results()
        #expect(results.count == 2 && results.values.allSatisfy { $0 == nil })
      }
    }
  }
}
