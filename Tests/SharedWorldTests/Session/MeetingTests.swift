import AnchorReplication
import Glibc
import PeerProtocol
import TestSupport
import Testing

@testable import SharedWorld

@Suite("Devices that meet", .endsHangs)
struct MeetingTests {
  /// The other device's frame in this one's: turned by about 37°.
  private static let frame = Transform(x: [0.8, 0, -0.6], y: [0, 1, 0], z: [0.6, 0, 0.8], translation: [3, 0.5, -2])

  /// A pose that looks along a heading (radians) and is tilted forward.
  private static func pose(_ position: SIMD3<Float>, heading: Float = 0, tilt: Float = 0) -> Transform {
    let turn = Transform(
      x: [cosf(heading), 0, -sinf(heading)], y: [0, 1, 0], z: [sinf(heading), 0, cosf(heading)],
      translation: position)
    return turn
      * Transform(x: [1, 0, 0], y: [0, cosf(tilt), sinf(tilt)], z: [0, -sinf(tilt), cosf(tilt)], translation: .zero)
  }

  /// A meeting at a pose of this device's frame; the other one is held beside it by `error`, and tilted.
  private static func meeting(
    _ target: Transform, error: SIMD3<Float> = .zero, tilt: Float = 0
  ) -> FrameFit.Meeting {
    var source = frame.inverse * target * pose(.zero, tilt: tilt)
    source.translation += error
    return FrameFit.Meeting(source: source, target: target)
  }

  /// How far the fit moves a point that is 3 m away from where it belongs (metres).
  private static func gap(_ fit: FrameFit) -> Float {
    let point = frame.inverse * pose([3, 1, 0])
    let gap = (fit.transform * point).translation - SIMD3<Float>(3, 1, 0)
    return (gap * gap).sum().squareRoot()
  }

  @Test("one meeting gives the frame where gravity is known, whatever the tilt of the devices, and where it is not")
  func one() throws {
    for heading in [0, 1, 2, 3] as [Float] {
      let target = Self.pose([0.5, 1.2, 0.5], heading: heading, tilt: 0.6)
      let fit = try FrameFit(meetings: [Self.meeting(target, tilt: 0.3)])
      #expect(Self.gap(fit) < 1e-4 && fit.residual < 1e-5 && fit.observations == 1)
      let free = try FrameFit(meetings: [Self.meeting(target)], hasGravity: false)
      #expect(Self.gap(free) < 1e-4)
      // A turn by 3° is 16 cm at 3 m, and about three axes more.
      #expect(abs(fit.orientation - 0.05) < 1e-6 && free.orientation > fit.orientation)
    }
  }

  @Test("meetings at other places make the frame surer, and the residual is what they differ by")
  func several() throws {
    let places: [SIMD3<Float>] = [[0, 1, 0], [2, 1, 0], [0, 1, 3], [2, 1.4, 3]]
    let errors: [SIMD3<Float>] = [[0.02, 0, 0], [-0.02, 0, 0], [0, 0, 0.02], [0, 0, -0.02]]
    let meetings = zip(places, errors).map { Self.meeting(Self.pose($0), error: $1) }
    let one = try FrameFit(meetings: Array(meetings.prefix(1)))
    let all = try FrameFit(meetings: meetings)
    #expect(all.position < one.position && all.orientation < one.orientation / 2)
    #expect(abs(all.residual - 0.02) < 0.005 && all.observations == 4 && Self.gap(all) < 0.03)
  }

  @Test("meetings that contradict each other are as unsure as they are")
  func contradiction() throws {
    let meetings = [
      Self.meeting(Self.pose([0, 1, 0])), Self.meeting(Self.pose([2, 1, 0]), error: [0.5, 0, 0]),
      Self.meeting(Self.pose([0, 1, 3])),
    ]
    let fit = try FrameFit(meetings: meetings)
    #expect(fit.residual > 0.1 && fit.position > 0.1)
  }

  @Test("after a drift the earlier meetings count until three later ones agree, so that one held badly moves little")
  func drift() throws {
    let places: [SIMD3<Float>] = [[0, 1, 0], [2, 1, 0], [0, 1, 3], [2, 1.4, 3]]
    var meetings = places.map { Self.meeting(Self.pose($0)) }
    #expect(try FrameFit(latest: meetings, hold: .together, hasGravity: true).observations == 4)
    // The number of meetings that count, and how far 3 m away is from where it was.
    let expected: [(count: Int, gap: ClosedRange<Float>)] = [(5, 0...0.25), (6, 0...0.4), (3, 0.499...0.501)]
    for (place, expected) in zip([[0, 1, 0], [2, 1, 1], [1, 1, 2]] as [SIMD3<Float>], expected) {
      meetings.append(Self.meeting(Self.pose(place), error: [0.5, 0, 0]))
      let fit = try FrameFit(latest: meetings, hold: .together, hasGravity: true)
      #expect(fit.observations == expected.count && expected.gap.contains(Self.gap(fit)))
    }
    #expect(try FrameFit(latest: meetings, hold: .touching, hasGravity: true).observations == 3)
    #expect(try FrameFit(latest: meetings, hold: .touching, hasGravity: false).observations == 7)
  }

  @Test("devices that only touch need two places, or three without gravity, and a line leaves a turn open")
  func touching() throws {
    let places: [SIMD3<Float>] = [[0, 1, 0], [2, 1, 0], [0, 2, 2]]
    let meetings = places.map { Self.meeting(Self.pose($0, heading: $0.x), tilt: 1) }
    #expect(throws: SessionError.self) { try FrameFit(meetings: Array(meetings.prefix(1)), hold: .touching) }
    #expect(Self.gap(try FrameFit(meetings: Array(meetings.prefix(2)), hold: .touching)) < 1e-4)
    for count in 1...2 {
      do {
        _ = try FrameFit(meetings: Array(meetings.prefix(count)), hold: .touching, hasGravity: false)
        Issue.record("\(count) points")
      } catch { #expect(error.code == .notDetermined) }
    }
    #expect(Self.gap(try FrameFit(meetings: meetings, hold: .touching, hasGravity: false)) < 1e-4)
    let above = [[0, 0, 0], [0, 2, 0]].map { Self.meeting(Self.pose($0)) }
    do {
      _ = try FrameFit(meetings: above, hold: .touching)
      Issue.record("points above each other")
    } catch { #expect(error.code == .notDetermined) }
    var scaled = meetings[0]
    scaled.source.columns.0 *= 2
    do {
      _ = try FrameFit(meetings: [scaled])
      Issue.record("a pose that is not rigid")
    } catch { #expect(error.code == .invalidArgument) }
  }

  @Test("a track says where the device was between two poses, and forgets another frame and another time")
  func track() throws {
    let (mine, later) = (WorldFrame(owner: .init(peerPrefix: 1, incarnation: 1), number: 1), WorldFrame.shared)
    var track = PoseTrack()
    #expect(track.pose(at: 0, in: mine) == nil)
    track.add(Self.pose([0, 0, 0], heading: 0), at: 100, in: mine)
    track.add(Self.pose([1, 0, 0], heading: 0.2), at: 200, in: mine)
    let middle = try #require(track.pose(at: 150, in: mine))
    #expect(abs(middle.translation.x - 0.5) < 1e-6 && middle.isRigid)
    #expect(abs(atan2f(middle.columns.2.x, middle.columns.2.z) - 0.1) < 1e-4)
    #expect(track.pose(at: 50, in: mine)?.translation.x == 1 && track.pose(at: 900, in: mine)?.translation.x == 1)
    // Nobody knows where it was in a second of silence: it is where it said last.
    track.add(Self.pose([3, 0, 0]), at: 1_200, in: mine)
    #expect(track.pose(at: 700, in: mine)?.translation.x == 3 && track.pose(at: 150, in: mine)?.translation.x == 0.5)
    #expect(track.pose(at: 150, in: later) == nil)
    // Sessions have merged, and time went back.
    track.add(Self.pose([5, 0, 0]), at: 20, in: mine)
    #expect(track.pose(at: 150, in: mine)?.translation.x == 5)
    track.add(nil, at: 30, in: mine)
    #expect(track.pose(at: 150, in: mine) == nil)
    for number in 0..<500 { track.add(Self.pose([Float(number), 0, 0]), at: UInt64(number), in: mine) }
    #expect(track.pose(at: 437, in: mine)?.translation.x == 437 && track.pose(at: 435, in: mine)?.translation.x == 499)
  }

  /// Why something was refused; nil if it was not.
  private func code<R>(_ body: () async throws -> R) async -> SessionError.Code? {
    do { _ = try await body() } catch { return (error as? SessionError)?.code }
    return nil
  }

  /// Lets a peer hear all that another one has edited, and its first pose; a pose soon after another one waits for its turn.
  private func settle(_ sessions: Session...) async throws {
    for session in sessions {
      try await session.remove(try await session.place(Anchor(name: "last")), acknowledgement: .everyPresentMember)
    }
  }

  /// Waits until a peer's device is seen at a pose, in the reader's frame.
  private func hear(_ peer: PeerID, at pose: Transform, _ events: inout Session.Events.AsyncIterator) async throws {
    _ = try await events.first { event -> Bool? in
      guard case .participantMoved(let seen) = event, seen.peer.id == peer else { return nil }
      let gap = seen.transform.translation - pose.translation
      return (gap * gap).sum() < 1e-4 ? true : nil
    }
  }

  @Test("two peers that hold their devices together see what both placed at one place")
  func session() async throws {
    try await TestSessions.joined { alice, bob in
      let (a, b) = (alice.localPeer.id, bob.localPeer.id)
      try await alice.frames.begin()
      try await bob.frames.begin()
      try await settle(alice, bob)
      var (heardByAlice, heardByBob) = (alice.events.makeAsyncIterator(), bob.events.makeAsyncIterator())
      for (session, peer) in [(alice, b), (bob, a)] {
        #expect(await self.code { try await session.frames.meet(peer) } == .noPose)
      }
      for (number, place) in ([[0, 1, 0], [2, 1, 1]] as [SIMD3<Float>]).enumerated() {
        let pose = Self.pose(place, heading: 0.4)
        let there = Self.frame.inverse * pose
        // They do not glide from one place to the next: no moment lies between, whatever their clocks differ by.
        for session in [alice, bob] { try await session.world.updatePose(nil) }
        try await alice.world.updatePose(pose)
        try await bob.world.updatePose(there)
        try await settle(alice, bob)
        if number > 0 {
          try await hear(b, at: pose, &heardByAlice)
          try await hear(a, at: there, &heardByBob)
        }
        for (session, peer) in [(alice, b), (bob, a)] {
          let alignment = try await session.frames.meet(peer)
          #expect(alignment.residual < 1e-3 && alignment.observations == number + 1)
        }
      }
      try await settle(alice, bob)
      #expect(await alice.frames.alignment(of: b).observations == 2)
      let id = try await bob.place(
        Anchor(name: "tap", transform: Self.frame.inverse * Self.pose([3, 1, 0])),
        acknowledgement: .everyPresentMember)
      let seen = try #require(await alice.world.anchors.first { $0.id == id }).transform.translation - [3, 1, 0]
      #expect((seen * seen).sum().squareRoot() < 0.001)
      // A new frame has met nobody.
      try await bob.frames.begin()
      #expect(await self.code { try await bob.frames.meet(a) } == .noPose)
    }
  }

  @Test("three touched points line up frames that know no gravity, two do not")
  func freeTouches() async throws {
    try await TestSessions.joined { alice, bob in
      // Bob's world lies on its side.
      let tipped = Transform(x: [0, 1, 0], y: [-1, 0, 0], z: [0, 0, 1], translation: [1, 2, 3])
      try await alice.frames.begin()
      try await bob.frames.begin()
      let corners: [(String, SIMD3<Float>)] = [("a", [0, 0, 0]), ("b", [2, 0, 0]), ("c", [0, 1, 1])]
      var found: [PeerID: PeerAlignment] = [:]
      for (number, (name, corner)) in corners.enumerated() {
        _ = try await alice.frames.touch(name, at: corner, hasGravity: false)
        try await settle(alice)
        let there = (tipped.inverse * Transform(translation: corner)).translation
        found = try await bob.frames.touch(name, at: there, hasGravity: false)
        #expect(found.isEmpty == (number < 2))
      }
      let fit = try #require(found[alice.localPeer.id]?.transform)
      let back = (fit * tipped).translation
      #expect((back * back).sum().squareRoot() < 1e-3)
    }
  }

  /// A source of an app's own.
  private struct Markers: AlignmentSource {
    let peer: PeerID?
    func measure(in session: Session) async throws(SessionError) -> FrameFit {
      try FrameFit(points: [
        .init(source: [0, 0, 0], target: [5, 0, 0]), .init(source: [1, 0, 0], target: [6, 0, 0]),
      ])
    }
  }

  @Test("an app adds a source of its own, and peers in one frame have nothing to measure")
  func sources() async throws {
    try await TestSessions.joined { alice, bob in
      let b = bob.localPeer.id
      #expect(await self.code { try await alice.frames.align(by: Markers(peer: b)) } == .invalidArgument)
      try await alice.frames.begin()
      let alignment = try await alice.frames.align(by: Markers(peer: b))
      #expect(alignment.state == .aligned && alignment.transform?.translation == [5, 0, 0])
      #expect(try await alice.frames.align(by: SuppliedFit(FrameFit(transform: .identity), of: nil)).state == .aligned)
      #expect(await self.code { try await alice.frames.align(by: TouchedPoints(with: b)) } == .notDetermined)
    }
  }
}
