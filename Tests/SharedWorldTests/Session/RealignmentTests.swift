import AlignmentTrials
import Basics
import TestSupport
import Testing
import WorldAlignment
import WorldFormats

@testable import SharedWorld

@Suite("Frames that are kept aligned", .endsHangs)
struct RealignmentTests {
  /// A marker of which the app knows where it is in the shared frame.
  private actor Marker: AlignmentSource {
    nonisolated let peer: PeerID? = nil
    private var fit: FrameFit?
    private var seen: Double?
    private(set) var measurements = 0

    init(_ fit: FrameFit? = nil) { self.fit = fit }

    func see(_ fit: FrameFit, residual: Double?) { (self.fit, seen) = (fit, residual) }

    func measure(in session: Session) async throws(SessionError) -> FrameFit {
      measurements += 1
      guard let fit else { throw SessionError(.notDetermined, "the marker is not in sight") }
      return fit
    }

    func residual(of transform: Transform, in session: Session) async throws(SessionError) -> Double? { seen }
  }

  private static func fit(_ x: Float, position: Double = 0.01) -> FrameFit {
    FrameFit(transform: Transform(translation: [x, 0, 0]), position: position, orientation: 0.003)
  }

  /// Runs `body` with a session alone, in a frame of its own.
  private static func alone(every interval: Duration, _ body: (Session) async throws -> Void) async throws {
    var configuration = TestSessions.configuration()
    configuration.realignmentInterval = interval
    try await Session.withSession(as: TestSessions.identity("alice"), configuration: configuration) { session in
      try await session.frames.begin()
      try await body(session)
    }
  }

  @Test func `a frame is measured again when its residual grows, and moves only for a better measurement`() async throws
  {
    try await Self.alone(every: .zero) { session in
      let marker = Marker(Self.fit(1))
      let steps: [(fit: FrameFit, residual: Double?, measurements: Int, x: Float)] = [
        (Self.fit(1), nil, 1, 1),
        // Within the bound nothing is measured.
        (Self.fit(2), 0.04, 1, 1), (Self.fit(1.2), 0.06, 2, 1.2),
        // What differs little, or is less sure than it differs, moves nothing.
        (Self.fit(1.23), nil, 3, 1.2), (Self.fit(1.5, position: 0.2), 1, 4, 1.2), (Self.fit(1.5), 1, 5, 1.5),
      ]
      for step in steps {
        await marker.see(step.fit, residual: step.residual)
        let before = await session.frames.alignmentOfShared.transform
        let outcome = try await session.frames.keepAligned(by: marker)
        let alignment = outcome.alignment
        #expect(alignment.transform?.translation.x == step.x && alignment.state == .aligned)
        #expect(outcome == (alignment.transform == before ? .kept(alignment) : .measured(alignment)))
        #expect(await marker.measurements == step.measurements)
      }
      // A device that loses its world is measured at once, whatever was before.
      try await session.frames.begin()
      await marker.see(Self.fit(1.52), residual: nil)
      #expect(try await session.frames.keepAligned(by: marker).alignment.transform?.translation.x == 1.52)
    }
  }

  @Test func `a turn is a move of what is two meters away`() {
    let turned = Transform(x: [0.9992, 0, -0.04], y: [0, 1, 0], z: [0.04, 0, 0.9992], translation: .zero)
    #expect(FrameFit(transform: turned, orientation: 0.003).corrects(.identity))
    #expect(!FrameFit(transform: turned, orientation: 0.02).corrects(.identity))
  }

  @Test func `however often the app asks, there is one measurement in an interval`() async throws {
    try await Self.alone(every: .seconds(3600)) { session in
      let marker = Marker()
      await #expect(throws: SessionError.self) { try await session.frames.keepAligned(by: marker) }
      for _ in 0..<5 {
        let outcome = try await session.frames.keepAligned(by: marker)
        #expect(outcome == .skipped(outcome.alignment) && outcome.alignment.state == .unaligned)
      }
      #expect(await marker.measurements == 1)
    }
  }

  @Test func `one search at a time for each frame, and at most one in an interval`() throws {
    var pace = SearchPace(interval: .seconds(2))
    let peer = PeerID(SHA256Digest(words: .zero))
    let start = Instant(nanoseconds: 1)
    // Of each call whether it may search: the calls are what is tested, so they stand outside of `#expect`.
    let first = [pace.begin(nil, at: start), pace.begin(nil, at: start + .seconds(9)), pace.begin(peer, at: start)]
    pace.end(nil)
    let later = [1, 2].map { pace.begin(nil, at: start + .seconds($0)) } + [pace.begin(peer, at: start + .seconds(2))]
    #expect(first == [true, false, true] && later == [false, true, false])
  }

  @Test func `a device that walks finds its place by itself, and again when its frame has drifted`() async throws {
    try await Self.alone(every: .zero) { session in
      let room = SyntheticRoom(seed: 7, pointCount: 8_000).map().cloud
      try await session.share(WorldMap(cloud: room))
      let scan = MapScan(SyntheticRoom(seed: 7, pointCount: 3_000, walk: 1).map().cloud)
      await #expect(throws: SessionError.self) {
        try await session.frames.keepAligned(by: MapScan(scan.cloud.selecting(Array(0..<20))))
      }
      let first = try await session.frames.keepAligned(by: scan).alignment
      #expect(first.state == .aligned)
      // What was measured is more than a claim.
      await session.frames.setRelocalized(true)
      #expect(await session.state.mapStatus.stage == .relocalized)
      #expect(try await session.frames.keepAligned(by: scan) == .kept(first))

      let searched = await session.searchedTurns()
      let drifted = MapScan(try scan.cloud.transformed(by: Transform(translation: [0.1, 0, 0])))
      let residual = try await drifted.residual(of: #require(first.transform), in: session)
      #expect(residual.map { abs($0 - 0.1) < 0.02 } == true)
      let second = try await session.frames.keepAligned(by: drifted).alignment
      let move = try #require(second.transform?.translation) - #require(first.transform?.translation)
      #expect(abs(move.x - 0.1) < 0.02 && abs(move.y) < 0.02 && abs(move.z) < 0.02)
      // The same cloud, a little elsewhere: the place that was known is enough.
      let after = await session.searchedTurns()
      #expect(searched == 90 && after == searched)
    }
  }

  /// A fifth of the points is in both clouds, which their shape does not find.
  @Test func `a scan is found in another device's map by what its points look like`() async throws {
    let trial = DescribedTrial(.onePlace, points: 300, sightings: 3, mode: .gravity, seed: 11)
    try await Self.alone(every: .zero) { session in
      try await session.share(WorldMap(cloud: trial.map))
      let bare = FeatureCloud(positions: trial.query.positions, identifiers: trial.query.identifiers)
      await #expect(throws: SessionError.self) { try await session.frames.keepAligned(by: MapScan(bare)) }
      let kept = try await session.frames.keepAligned(by: MapScan(trial.query)).alignment
      let place = try #require(kept.transform)
      #expect(kept.state == .aligned && trial.isRight(place.inverse))
      // More sightings of each point than the one in the cloud: more points are known again.
      var scan = MapScan(trial.query)
      let few = try await scan.measure(in: session).observations
      scan.sightings = trial.querySightings
      #expect(try await scan.measure(in: session).observations > few)
    }
  }
}

extension Session {
  /// The turns at which this device's clouds were tried in the session's map, the cost of searches.
  fileprivate func searchedTurns() -> Int { frameDesk.finder?.memory.work.turns ?? 0 }
}
