import SharedWorld
import TestSupport
import Testing
import WorldFormats

@Suite("Capturing and sharing a map", .endsHangs)
struct CaptureTests {
  private static let room = SyntheticRoom(seed: 5, pointCount: 6_000).map().cloud

  @Test func `a capture has the session's anchors and the cloud`() async throws {
    try await TestSessions.joined { alice, _ in
      try await alice.place(Anchor(name: "lamp"))
      let map = try await alice.maps.capture(Self.room, views: 20)
      #expect(map.anchors.map(\.name) == ["lamp"] && map.cloud == Self.room && map.views == 20)
    }
  }

  @Test func `without feature points there is no capture`() async throws {
    try await TestSessions.joined { alice, _ in
      let error = await #expect(throws: SessionError.self) {
        try await alice.maps.capture(FeatureCloud())
      }
      #expect(error?.code == .mapNotReady)
    }
  }

  @Test func `a map of too little is captured, and not shared unless the app shares it`() async throws {
    try await TestSessions.joined { alice, _ in
      let few = Self.room.selecting(Array(0..<3))
      let map = try await alice.maps.capture(few)
      let error = await #expect(throws: SessionError.self) { try await alice.maps.shareCapture(of: few) }
      #expect(error?.code == .mapNotReady && error?.message.contains("limited: ") == true)
      #expect(await alice.state.mapID == nil)
      let id = try await alice.share(map)
      #expect(await alice.state.mapID == id)
    }
  }

  @Test func `a good map is shared with a connected peer, and not alone`() async throws {
    try await TestSessions.two { alice, bob in
      let error = await #expect(throws: SessionError.self) { try await alice.maps.shareCapture(of: Self.room) }
      #expect(error?.code == .notConnected)
      _ = try await alice.peers.invite(bob.address)
      let id = try await alice.maps.shareCapture(of: Self.room)
      let receipt = try await bob.first { event in
        if case .mapReceived(let receipt) = event { receipt } else { nil }
      }
      #expect(receipt.mapID == id && receipt.points == Self.room.count && receipt.from == alice.localPeer)
    }
  }

  @Test func `the provider stays with the map, in the file too, and is nobody's word but the session's`() async throws {
    try await TestSessions.joined { alice, bob in
      var map = WorldMap(cloud: Self.room)
      map.provider = bob.localPeer.id
      try await alice.share(map)
      _ = try await bob.first { event in
        if case .mapReceived = event { true } else { nil }
      }
      let received = try #require(await bob.maps.latest())
      #expect(received.provider == alice.localPeer.id)
      #expect(try WorldMap(decoding: received.encoded()).provider == alice.localPeer.id)
      #expect(await alice.maps.latest()?.provider == nil)
    }
  }

  @Test func `the first capture defines the shared frame, a later one is moved into it`() async throws {
    try await TestSessions.joined { alice, bob in
      try await alice.frames.begin()
      try await bob.frames.begin()
      try await alice.maps.shareCapture(of: Self.room)
      #expect(await alice.frames.alignmentOfShared.transform == .identity)
      for await event in bob.events { if case .mapReceived = event { break } }
      let error = await #expect(throws: SessionError.self) { try await bob.maps.shareCapture(of: Self.room) }
      #expect(error?.code == .notRelocalized)

      let shift = Transform(translation: [4, 0, 0])
      try await bob.frames.alignToShared(by: FrameFit(transform: shift))
      let id = try await bob.maps.shareCapture(of: try Self.room.transformed(by: shift))
      _ = try await alice.first { event in
        if case .mapReceived(let receipt) = event, receipt.mapID == id { true } else { nil }
      }
      let seen = try #require(await alice.maps.latest()).center - WorldMap(cloud: Self.room).center
      #expect((seen * seen).sum() < 1e-6)
    }
  }
}
