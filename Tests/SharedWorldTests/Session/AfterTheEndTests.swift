import Foundation
import PeerProtocol
import TestSupport
import Testing
import WorldModel

@testable import SharedWorld

/// The rule of ``Session/leave()`` for a session that is over: every public call of the seven handles, and of the session.
@Suite("After the end of a session", .endsHangs)
struct AfterTheEndTests {
  private static let peer = PeerID(SHA256Digest(hashing: [1]))
  private static let anchor = AnchorID(high: 1, low: 2)
  private static let cloud = FeatureCloud(positions: [[0, 1, 2], [1, 1, 2], [2, 1, 0]], identifiers: [1, 2, 3])
  private static let resource = ResourceOffer(
    OfferedResource(id: ResourceID(SHA256Digest(hashing: [2])), from: peer, name: "plan", size: 1),
    from: Peer(id: peer, name: "bob"))

  /// A session with everything that a question could still show, and what it was before its end.
  private static func ended() async throws -> Session {
    let handle = try await Session.start(
      as: TestSessions.identity("alice"), configuration: TestSessions.configuration())
    let alice = handle.session
    try await Session.withSession(as: TestSessions.identity("bob"), configuration: TestSessions.configuration()) {
      bob in
      _ = try await alice.peers.invite(bob.address)
      try await alice.place(Anchor(id: anchor, name: "lamp"))
      try await alice.share(WorldMap(cloud: cloud))
      _ = try await alice.files.attach([1], named: "plan")
      try await alice.messages.join(group: "painters")
      try await bob.world.updatePose(.identity)
      #expect(await !alice.state.peers.isEmpty)
      #expect(await alice.maps.latest() != nil)
      await handle.stop()
    }
    return alice
  }

  @Test("every question is answered as where nobody and nothing is")
  func questions() async throws {
    let session = try await Self.ended()
    let state = await session.state
    #expect(state.peers.isEmpty && state.inviting.isEmpty && state.candidates.isEmpty && !state.isSynchronized)
    #expect(state.host == nil && state.mapID == nil && state.anchorCount == 0 && state.mapPoints == 0)
    let (world, peers) = (session.world, session.peers)
    #expect(await world.anchors.isEmpty)
    #expect(await world.unalignedAnchors.isEmpty)
    #expect(await world.participants.isEmpty)
    #expect(await world.drags.isEmpty)
    #expect(await world.digest == SHA256Digest(words: .zero))
    #expect(await world.ownership(of: Self.anchor) == nil)
    #expect(await peers.creator == nil)
    #expect(await peers.role(of: session.localPeer.id) == nil)
    #expect(await peers.roleTime(of: session.localPeer.id) == nil)
    #expect(await peers.statistics.links.isEmpty)
    #expect(await session.messages.groups.isEmpty)
    #expect(await session.files.attachments.isEmpty)
    #expect(await session.maps.latest() == nil)
    #expect(await session.frames.alignment(of: Self.peer) == .unknown)
    #expect(await session.frames.alignmentOfShared == .unknown)
    // A picture stays what it was.
    #expect(await session.makeSnapshot().hasEnded)
  }

  @Test("every sequence has ended")
  func sequences() async throws {
    let session = try await Self.ended()
    let parts = [
      session.events, session.world.events, session.peers.events, session.messages.events, session.files.events,
      session.maps.events, session.frames.events,
    ]
    for events in parts { for await _ in events {} }
    for await _ in session.world.changes() {}
    for await _ in session.messages.of(String.self) {}
    await session.messages.requests(String.self).answer { $0.object }
    for await _ in session.streams.incoming() {}
  }

  @Test("all work throws that the session has ended, and what cannot throw does nothing")
  func work() async throws {
    let session = try await Self.ended()
    for (name, work) in Self.works {
      let error = await #expect(throws: SessionError.self, "\(name)") { try await work(session) }
      #expect(error?.code == .ended, "\(name)")
    }
    await session.peers.keepInviting(.address(PeerAddress(host: "127.0.0.1", port: 9)))
    await session.peers.unlockPasscode()
    #expect(await session.peers.requestHost() == .ended)
    await session.files.decline(Self.resource)
    await session.files.cancel(Self.resource.id)
    await session.maps.cancel(MapID(SHA256Digest(hashing: [3])))
    await session.frames.setRelocalized(true)
    await session.leave()
  }

  /// Calls of which each does something.
  private static let works: [(name: String, call: @Sendable (Session) async throws -> Void)] =
    worldWorks + otherWorks

  private static let worldWorks: [(name: String, call: @Sendable (Session) async throws -> Void)] = [
    ("place", { try await $0.world.place(Anchor(name: "lamp")) }),
    ("place with a payload", { try await $0.world.place(Anchor(name: "lamp"), payload: 1) }),
    ("place several", { try await $0.world.place([Anchor(name: "lamp")]) }),
    ("move", { try await $0.world.move(anchor, to: .identity) }),
    ("move several", { try await $0.world.move([(anchor, .identity)]) }),
    ("rename", { try await $0.world.rename(anchor, to: "desk") }),
    ("setKind", { try await $0.world.setKind(.plain, of: anchor) }),
    ("setPayload", { try await $0.world.setPayload(nil, of: anchor) }),
    ("remove", { try await $0.world.remove(anchor) }),
    ("restore", { try await $0.world.restore(Anchor(name: "lamp"), from: anchor) }),
    ("confirmEdits", { try await $0.world.confirmEdits(.host) }),
    ("perform", { try await $0.world.perform(.remove(anchor)) }),
    ("beginDrag", { _ = try await $0.world.beginDrag(anchor) }),
    ("updatePose", { try await $0.world.updatePose(.identity) }),
    ("setInterest", { try await $0.world.setInterest(.all) }),
    ("requestOwnership", { _ = try await $0.world.requestOwnership(of: anchor) }),
    ("releaseOwnership", { try await $0.world.releaseOwnership(of: anchor) }),
    ("giveOwnership", { try await $0.world.giveOwnership(of: anchor, to: peer) }),
  ]

  private static let otherWorks: [(name: String, call: @Sendable (Session) async throws -> Void)] = [
    ("invite", { _ = try await $0.peers.invite(.address(PeerAddress(host: "127.0.0.1", port: 9))) }),
    ("invitationLink", { _ = try await $0.peers.invitationLink() }),
    ("setDiscoveryInfo", { try await $0.peers.setDiscoveryInfo(["a": "b"]) }),
    ("resolve", { _ = try await $0.peers.resolve("nobody") }),
    ("remove a peer", { try await $0.peers.remove(peer) }), ("lock", { try await $0.peers.lock() }),
    ("unlock", { try await $0.peers.unlock() }), ("handOver", { _ = try await $0.peers.handOver(to: peer) }),
    ("setRole", { try await $0.peers.setRole(.guest, of: peer) }),
    ("send bytes", { try await $0.messages.send([1]) }), ("sendNow bytes", { try await $0.messages.sendNow([1]) }),
    ("send", { try await $0.messages.send("hi", to: .all, at: "chat") }),
    ("send a message", { try await $0.messages.send(Message("hi"), to: .all, at: "chat") }),
    ("sendNow", { try await $0.messages.sendNow("hi", to: .all, at: "chat") }),
    ("request", { let _: String = try await $0.messages.request("hi", from: peer, at: "chat") }),
    ("join", { try await $0.messages.join(group: "painters") }),
    ("leave", { try await $0.messages.leave(group: "painters") }),
    ("send a file", { _ = try await $0.files.send([1], named: "plan", to: [peer]) }),
    ("accept", { try await $0.files.accept(resource) }),
    ("attach", { _ = try await $0.files.attach([1], named: "plan") }),
    ("fetch", { try await $0.files.fetch(resource.id) }), ("detach", { try await $0.files.detach(resource.id) }),
    ("open", { _ = try await $0.streams.open(named: "log", to: peer) }),
    ("share", { try await $0.maps.share(WorldMap()) }),
    ("capture", { _ = try await $0.maps.capture(cloud) }),
    ("shareCapture", { try await $0.maps.shareCapture(of: cloud) }),
    ("begin", { try await $0.frames.begin() }), ("useShared", { try await $0.frames.useShared() }),
    ("align", { try await $0.frames.align(peer, by: fit) }),
    ("align by a source", { try await $0.frames.align(by: MapScan(cloud)) }),
    ("alignToShared", { try await $0.frames.alignToShared(by: fit) }),
    ("keepAligned", { try await $0.frames.keepAligned(by: MapScan(cloud)) }),
    ("relocalize", { try await $0.frames.relocalize(cloud) }),
    ("meet", { try await $0.frames.meet(peer) }), ("touch", { _ = try await $0.frames.touch("corner", at: .zero) }),
  ]

  private static let fit = FrameFit(transform: .identity, position: 0, orientation: 0)

  @Test("nothing that a handle can do is missing here")
  func isComplete() throws {
    let tests = URL(filePath: #filePath)
    let text = try String(contentsOf: tests, encoding: .utf8)
    let sources = tests.deletingLastPathComponent().appending(path: "../../../Sources/SharedWorld").standardized
    let folders = ["World", "Peers", "Messages", "Resources", "Streams", "Maps", "Frames"]
    for folder in folders {
      let name = folder == "Resources" ? "Files" : folder
      let file = sources.appending(path: "\(folder)/Session\(name).swift")
      let declared = try String(contentsOf: file, encoding: .utf8)
        .matches(of: #/public (?:nonisolated\(nonsending\) )?(?:func|var) (\w+)/#).map { String($0.1) }
      #expect(!declared.isEmpty)
      // What looks at the network alone needs no session.
      for call in Set(declared).subtracting(["diagnose"]) where !text.contains(".\(call)") {
        Issue.record("\(name).\(call) is not asked after the end")
      }
    }
  }
}
