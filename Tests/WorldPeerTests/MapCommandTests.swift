import Dispatch
import Foundation
import SharedWorld
import Synchronization
import TestSupport
import Testing

/// Commands about maps, with a provider in this process that a test can stop in the middle.
@Suite("Commands about maps on their way", .endsHangs)
struct MapCommandTests {
  @Test("a peer stops fetching a map, and tells when it has its place in another one")
  func cancelAndRelocalize() async throws {
    try await withFolder { folder in
      try await Session.withSession(as: try identity(in: folder), configuration: Self.configuration) { ann in
        let large = try await ann.share(try Self.largeMap())
        let bob = try await stopped(ann) {
          try PeerProcess("bob", in: folder, ["--connect", "127.0.0.1:\(ann.port)"])
        } whileFetching: { bob in
          // On a busy machine the link may be lost in between: then nothing is on its way until it is made anew.
          try await until { try await bob.ask("cancel-map").mapID == large.description }
          let again = try await bob.ask("cancel-map")
          let lost = try await bob.ask("relocalized")
          #expect(again.code == "no-map" && lost.code == "no-map")
        }
        let small = try await ann.share(WorldMap(cloud: FeatureCloud(positions: [[1, 2, 3]], identifiers: [1])))
        #expect(try await bob.ask("wait map").event == "answer")
        let found = try await bob.ask("relocalized")
        #expect(found.mapID == small.description && found.relocalized == true)
        await ann.frames.setRelocalized(true)
        let told = try await bob.line { $0.event == "map-status" && $0.stage == "claimed" }
        #expect(told.name == "ann" && told.mapID == small.description)
        #expect(try await bob.ask("relocalized no").relocalized == false)
      }
    }
  }

  @Test("a map in which nobody would find a place is sent where that is asked for, and its sender hears who has it")
  func gate() async throws {
    try await withFolder { folder in
      let path = folder.appending(path: "corner.worldmap")
      let corner = WorldMap(
        anchors: [Anchor(name: "door")], cloud: FeatureCloud(positions: [[1, 2, 3], [1, 2, 4]], identifiers: [1, 2]))
      try Data(try corner.encoded()).write(to: path)
      let ann = try PeerProcess("ann", in: folder, ["--accept", "all", "--map", path.path])
      let port = try #require(try await ann.event("ready").port)
      let bob = try PeerProcess("bob", in: folder, ["--connect", "127.0.0.1:\(port)"])
      try await ann.ask("wait peers 1")
      #expect(try await ann.ask("send-map").code == "map-not-ready")
      #expect(try await bob.ask("anchors").event == "answer")
      let sent = try await ann.ask("send-map --force")
      #expect(try await bob.event("map-received").mapID == sent.mapID)
      let told = try await ann.line { $0.event == "map-status" && $0.stage == "received" }
      #expect(told.name == "bob" && told.mapID == sent.mapID)
    }
  }

  /// Starts a peer and runs a body while the session's loop stands still in the middle of sending it a map.
  private func stopped(
    _ session: Session, _ start: @Sendable () async throws -> PeerProcess,
    whileFetching body: (PeerProcess) async throws -> Void
  ) async throws -> PeerProcess {
    let gate = Gate()
    return try await withThrowingTaskGroup { group in
      // On the session's own thread: while this waits, next to nothing is sent, a window of the map every few seconds. Nothing at
      // all would be taken for the end of the link where the machine has much else to do.
      group.addTask(executorPreference: session.executor) {
        for await event in session.events {
          guard case .peerMapChanged(_, let status) = event, case .transferring = status.stage else { continue }
          while !gate.stop(for: .milliseconds(500)) { await Task.yield() }
          return
        }
      }
      defer { gate.open() }
      let peer = try await start()
      await gate.reached()
      try await body(peer)
      gate.open()
      try await group.waitForAll()
      return peer
    }
  }

  private func identity(in folder: URL) throws -> PeerIdentity {
    try PeerIdentity.loadOrCreate(named: "ann", in: folder.appending(path: "ann").path)
  }

  private static var configuration: Session.Configuration {
    var configuration = Session.Configuration()
    configuration.discovery.mode = .none
    configuration.listen = PeerAddress(host: "127.0.0.1", port: 0)
    configuration.invitations.incoming = .all
    return configuration
  }

  /// Ten megabytes that do not compress: forty chunks, of which a receiver asks for eight at a time.
  private static func largeMap() throws -> WorldMap {
    let count = 20_000
    var random = SystemRandomNumberGenerator()
    let words = (0..<(count * 64)).map { _ in random.next() as UInt64 }
    let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
    let channels = FeatureCloud.Channels(descriptors: .init(kind: "noise", size: 512, bytes: bytes))
    let cloud = FeatureCloud(
      positions: (0..<count).map { [Float($0), 0, 0] }, identifiers: (0..<UInt64(count)).map { $0 }, channels: channels)
    return WorldMap(cloud: cloud)
  }
}

/// Where a thread stops until a test lets it go on.
private final class Gate: Sendable {
  private let barrier = DispatchSemaphore(value: 0)
  private let arrival = AsyncStream<Void>.makeStream()

  /// Stops the calling thread until ``open()``, or for so long; whether it is open.
  func stop(for time: DispatchTimeInterval) -> Bool {
    arrival.continuation.finish()
    return barrier.wait(timeout: .now() + time) == .success
  }

  /// Returns once a thread is at ``stop()``.
  func reached() async {
    for await _ in arrival.stream {}
  }

  func open() { barrier.signal() }
}
