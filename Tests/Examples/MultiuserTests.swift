import Foundation
import SharedWorld
import TestSupport
import Testing
import WorldFormats

@Suite("Creating a multiuser AR experience", .endsHangs)
struct MultiuserTests {
  /// The room as alice's device maps it, and as bob's does, whose world begins elsewhere and is turned by about 37°.
  private static let room = SyntheticRoom(seed: 7, pointCount: 8_000).map()
  private static let origin = Transform(
    x: [0.8, 0, -0.6], y: [0, 1, 0], z: [0.6, 0, 0.8], translation: [2, 0, -1])

  private static func seenByBob() throws -> WorldMap {
    try SyntheticRoom(seed: 7, pointCount: 3_000, walk: 1).map().transformed(by: origin.inverse)
  }

  /// Waits for a screen.
  @discardableResult
  private static func wait(
    _ app: MultiuserExperience, until isShown: (MultiuserExperience.Screen) -> Bool
  ) async throws -> MultiuserExperience.Screen {
    for await screen in app.screens where isShown(screen) { return screen }
    throw CancellationError()
  }

  @Test func `two devices join by themselves, one sends its map, the other finds its place in it, and both tap`()
    async throws
  {
    let network = try MemoryNetwork()
    let storage = FileManager.default.temporaryDirectory.appending(path: "sharedworld-multiuser-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: storage, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: storage) }
    try await MultiuserExperience.launch("alice", on: network, storage: storage.path() + "/a") { alice in
      try await Self.wait(alice) { $0.message == "Initializing AR session." && $0.mappingStatus == .notAvailable }
      await alice.update(WorldMap())
      try await Self.wait(alice) { $0.message.hasPrefix("Move around to map the environment") }
      await alice.update(Self.room)
      try await Self.wait(alice) { $0.mappingStatus.allowsSharing && !$0.isSendMapEnabled && $0.message.isEmpty }
      await #expect(throws: SessionError.self) { try await alice.sendMap() }

      try await MultiuserExperience.launch("bob", on: network, storage: storage.path() + "/b") { bob in
        try await Self.wait(alice) { $0.message == "Connected with bob." && $0.isSendMapEnabled }
        let few = WorldMap(cloud: try Self.seenByBob().cloud.selecting([0, 1, 2]))
        await bob.update(few)
        try await Self.wait(bob) { $0.message == "Connected with alice." && !$0.isSendMapEnabled }
        #expect(few.mappingStatus != .notAvailable && !few.mappingStatus.allowsSharing)

        try await alice.sendMap()
        try await Self.wait(bob) { $0.message == "Received map from alice." }
        await bob.update(try Self.seenByBob())
        try await Self.wait(bob) { $0.message.isEmpty && $0.isSendMapEnabled }

        try await alice.tap(at: [0.5, 0.5], through: .framing(Self.room))
        let one = try await Self.wait(alice) { $0.pandas.count == 1 }
        let seen = try await Self.wait(bob) { $0.pandas.count == 1 }
        #expect(Self.gap(one.pandas[0], Self.origin.act(on: seen.pandas[0])) < 0.02)
        try await bob.tap(at: [0.4, 0.6], through: .framing(try Self.seenByBob()))
        let both = try await Self.wait(bob) { $0.pandas.count == 2 }
        let back = try await Self.wait(alice) { $0.pandas.count == 2 }
        let pairs = zip(Self.sorted(both.pandas.map(Self.origin.act(on:))), Self.sorted(back.pandas))
        #expect(pairs.allSatisfy { Self.gap($0, $1) < 0.02 } && both.pandas[0] != both.pandas[1])
      }
    }
  }

  private static func gap(_ one: SIMD3<Float>, _ other: SIMD3<Float>) -> Float {
    ((one - other) * (one - other)).sum().squareRoot()
  }

  private static func sorted(_ points: [SIMD3<Float>]) -> [SIMD3<Float>] {
    points.sorted { ($0.x, $0.z) < ($1.x, $1.z) }
  }

  @Test func `the message bar tells what the device lacks`() {
    func text(_ reason: MultiuserExperience.Tracking.Reason, from provider: Peer? = nil) -> String {
      MessageBar.text(.limited(reason), peers: [], mapProvider: provider, isEmpty: true)
    }
    #expect(text(.excessiveMotion).hasSuffix("Move the device more slowly."))
    #expect(text(.insufficientFeatures).contains("visible surface detail"))
    #expect(text(.relocalizing).hasPrefix("Resuming session"))
    #expect(MessageBar.text(.notAvailable, peers: [], mapProvider: nil, isEmpty: true) == "Tracking unavailable.")
  }
}
