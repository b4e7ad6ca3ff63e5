import AnchorReplication
import Basics
@testable import PeerProtocol
import Testing
import WorldModel

/// What a member can make a node do with frames of devices.
@Suite struct AttackFrameTests {
  private static let liar = NodeID(peer: NodeProbe.peer(1), incarnation: 7)
  private static let frame = WorldFrame(owner: liar.actor, number: 1)

  /// A node in the shared frame and a member with a frame of its own, to which one measurement leads.
  private struct Meeting {
    var probe = NodeProbe()
    let link: LinkID
    private var version: UInt64 = 0

    init() throws {
      link = probe.join(1, liar.peer)
      probe.wait(.milliseconds(100))
      let declaration = FrameDeclaration(number: 1, isShared: false, clock: 0, sequence: 1, sessionTime: 0)
      probe.say([SpreadWord(declaring: [declaration], by: liar)], on: link)
      probe.wait(.seconds(1))
      try measure(0)
      probe.wait(.seconds(1))
      _ = (probe.takeEvents(), try probe.frames(on: link))
    }

    /// The member says that its frame is `x` metres away.
    mutating func measure(_ x: Float, from source: WorldFrame = frame, to target: WorldFrame = .shared) throws {
      version += 1
      let estimate = try #require(
        FrameEstimate(Transform(translation: [x, 0, 0]), center: .zero, position: 0.01, orientation: 0.001))
      let key = FrameMeasurement.Key(source: source, target: target, observer: liar.actor)
      let measurement = FrameMeasurement(key: key, version: version, sessionTime: 0, estimate: estimate)
      probe.say([SpreadWord(measuring: measurement, by: liar)], on: link)
    }

    /// How often the app was told that the member's frame lies elsewhere, which is once for each time frames are placed.
    mutating func changes() -> Int {
      probe.takeEvents().count { if case .alignmentChanged(liar.peer, _) = $0 { true } else { false } }
    }
  }

  @Test func `measurements without end place frames twice a second, and the last one counts`() throws {
    var meeting = try Meeting()
    for number in 1...1_000 {
      try meeting.measure(Float(number))
      meeting.probe.wait(.milliseconds(2))
    }
    // At once, after 0.5, 1 and 1.5 s, and perhaps after 2 s.
    #expect((4...5).contains(meeting.changes()))
    meeting.probe.wait(.seconds(1))
    #expect(meeting.probe.node.alignment(of: Self.liar.peer)?.transform?.translation.x == 1_000)
    _ = meeting.changes()
    meeting.probe.wait(.seconds(1))
    #expect(meeting.changes() == 0)
  }

  @Test func `one measurement after a quiet time counts at once`() throws {
    var meeting = try Meeting()
    try meeting.measure(3)
    #expect(meeting.probe.node.alignment(of: Self.liar.peer)?.transform?.translation.x == 3)
  }

  @Test func `what others make a node measure waits too, and what its user does counts at once`() throws {
    var meeting = try Meeting()
    meeting.probe.input(.beginFrame(isShared: false))
    let mine = meeting.probe.node.worldFrames.mine
    func measure(_ x: Float, isPrompt: Bool) throws {
      let estimate = try #require(
        FrameEstimate(Transform(translation: [x, 0, 0]), center: .zero, position: 0.01, orientation: 0.001))
      meeting.probe.input(.measure(from: Self.frame, to: mine, estimate, isPrompt: isPrompt))
    }
    _ = try meeting.probe.frames(on: meeting.link)
    for number in 1...100 { try measure(Float(number), isPrompt: false) }
    #expect(meeting.probe.node.alignment(of: Self.liar.peer)?.state != .aligned)
    meeting.probe.wait(.seconds(1))
    #expect(meeting.probe.node.alignment(of: Self.liar.peer)?.transform?.translation.x == 100)
    #expect(try meeting.probe.frames(on: meeting.link).count { $0.type == .words } == 1)
    try measure(7, isPrompt: true)
    #expect(meeting.probe.node.alignment(of: Self.liar.peer)?.transform?.translation.x == 7)
  }

  @Test func `a full book with one long path and every measurement on it is placed, and nothing contradicts`() throws {
    var book = FrameBook()
    let people = (0..<128).map { NodeID(peer: NodeProbe.peer($0), incarnation: 1) }
    let count = 2048
    let frames = (0...count).map { number in
      WorldFrame(owner: people[number % 128].actor, number: UInt32(number / 128 + 1))
    }
    let estimate = try #require(
      FrameEstimate(Transform(translation: [1, 0, 0]), center: .zero, position: 0.001, orientation: 0.0001))
    let declaration = FrameDeclaration(number: 1, isShared: false, clock: 0, sequence: 1, sessionTime: 0)
    book.set(DeclarationList([declaration]), of: people[0])
    for number in 0..<count {
      let key = FrameMeasurement.Key(
        source: frames[number + 1], target: frames[number], observer: people[number % 128].actor)
      let measurement = FrameMeasurement(
        key: key, version: UInt64(number + 1), sessionTime: 0, estimate: estimate)
      book.set(measurement)
    }
    #expect(book.registers.count == count)
    let solution = FrameSolution(book, .all)
    let last = try #require(frames.last)
    #expect(solution.motion(from: last, to: frames[0])?.transform.translation.x == Float(count))
    #expect(solution.contradictions.isEmpty)
  }
}
