import AnchorReplication
import Basics
import PeerProtocol
import Testing
import WorldModel

@Suite("Streams of kinds")
struct KindStreamTests {
  private static let floor = Anchor(name: "floor", kind: plane(1))

  private static func plane(_ width: Float) -> Anchor.Kind {
    .plane(Anchor.Plane(alignment: .horizontal, extent: [width, 1]))
  }

  /// A member that has told that it has nothing yet.
  private func member(of probe: inout NodeProbe, _ number: UInt64 = 1) throws -> LinkID {
    let link = probe.join(number, NodeProbe.peer(Int(number)), incarnation: 6 + number)
    probe.send(VersionVector(), on: link)
    return link
  }

  private func writes(_ frames: [(type: FrameType?, body: [UInt8])]) throws -> [KindWrite] {
    try frames.filter { $0.type == .kinds }.flatMap { try KindList(body: $0.body.span.bytes).writes }
  }

  private func digests(_ frames: [(type: FrameType?, body: [UInt8])]) throws -> [KindComparison] {
    try frames.filter { $0.type == .kindDigest }.map { try KindComparison(body: $0.body.span.bytes) }
  }

  private func send(_ writes: [KindWrite], to probe: inout NodeProbe, on link: LinkID) {
    probe.send(.kinds, on: link) { KindList(writes).write(to: &$0) }
  }

  @Test("a kind leaves at once, behind the operations, and a new link begins with all kinds")
  func leaves() throws {
    var probe = NodeProbe()
    let link = try member(of: &probe)
    _ = try probe.frames(on: link)
    try probe.edit(.place(Self.floor))
    probe.input(.edits([.rename(Self.floor.id, to: "ground"), .setKind(Self.plane(2), of: Self.floor.id)]))
    let frames = try probe.frames(on: link)
    #expect(frames.map(\.type) == [.operations, .operations, .kinds])
    #expect(try writes(frames).map(\.kind) == [Self.plane(2)])
    let late = probe.join(2, NodeProbe.peer(2))
    #expect(try writes(probe.frames(on: late)).isEmpty)
    probe.send(VersionVector(), on: late)
    let answer = try probe.frames(on: late)
    #expect(try writes(answer).map(\.kind) == [Self.plane(2)])
    #expect(answer.map(\.type).firstIndex(of: .operations) ?? .max < answer.map(\.type).firstIndex(of: .kinds) ?? 0)
  }

  @Test("without a kind that was written nothing of it is on the wire")
  func silent() throws {
    var probe = NodeProbe()
    let link = try member(of: &probe)
    try probe.edit(.place(Self.floor))
    probe.wait(seconds: 12, keeping: [link])
    let types = try probe.frames(on: link).map(\.type)
    #expect(types.contains(.vector) && !types.contains(.kinds) && !types.contains(.kindDigest))
  }

  @Test("a kind of another member is told to the app, and passed on to those that its author has no link to")
  func arrives() throws {
    var probe = NodeProbe()
    let (link, other) = try (member(of: &probe), member(of: &probe, 2))
    try probe.edit(.place(Self.floor))
    _ = try (probe.frames(on: link), probe.frames(on: other))
    _ = probe.takeEvents()
    let key = try #require(probe.node.anchors.key(of: Self.floor.id))
    let author = ActorID(peer: NodeProbe.peer(1), incarnation: 7)
    let clock = probe.node.anchors.latestClock + 1
    send(
      [KindWrite(key: key, stamp: Stamp(clock: clock, actor: author), kind: Self.plane(3))], to: &probe, on: link)
    let kinds = probe.takeEvents().flatMap { event -> [SetChange.Kind] in
      if case .anchors(let changes) = event { changes.map(\.kind) } else { [] }
    }
    #expect(kinds == [.updated(.kind)] && probe.node.anchors[Self.floor.id]?.kind == Self.plane(3))
    #expect(try writes(probe.frames(on: other)).map(\.stamp.actor) == [author])
    #expect(try writes(probe.frames(on: link)).isEmpty)
  }

  @Test("a digest that differs is answered with the kinds of its parts, at most once in a second")
  func repairs() throws {
    var probe = NodeProbe()
    let link = try member(of: &probe)
    for _ in 0..<20 {
      let plane = Anchor(name: "plane")
      try probe.edit(.place(plane))
      try probe.edit(.setKind(Self.plane(2), of: plane.id))
    }
    #expect(try writes(probe.frames(on: link)).count == 20)
    probe.wait(seconds: 10, keeping: [link])
    let told = try digests(probe.frames(on: link))
    #expect(told.count == 2 && told.allSatisfy(\.wantsAnswer) && told.last?.digest == probe.node.anchors.kindDigest)
    // Equal: silence.
    let right = probe.node.anchors.kindDigest
    probe.send(.kindDigest, on: link) { KindComparison(wantsAnswer: true, digest: right).write(to: &$0) }
    let silence = try probe.frames(on: link)
    #expect(silence.isEmpty)
    var sums = right.sums
    sums[3] += 1
    let wrong = KindComparison(wantsAnswer: true, digest: KindDigest(sums: sums))
    probe.wait(seconds: 1, keeping: [link])
    _ = try probe.frames(on: link)
    for round in 0..<3 {
      for _ in 0..<50 { probe.send(.kindDigest, on: link) { wrong.write(to: &$0) } }
      let frames = try probe.frames(on: link)
      let numbers = try writes(frames).map(\.key.sequence)
      #expect(numbers == [3, 19], "round \(round)")
      #expect(try digests(frames) == [KindComparison(wantsAnswer: false, digest: right)])
      probe.wait(seconds: 1, keeping: [link])
      _ = try probe.frames(on: link)
    }
    // What is new leaves alone again.
    let last = Anchor(name: "last")
    try probe.edit(.place(last))
    try probe.edit(.setKind(Self.plane(5), of: last.id))
    #expect(try writes(probe.frames(on: link)).map(\.kind) == [Self.plane(5)])
  }

  @Test("more kinds than a frame holds leave in several, each once")
  func several() throws {
    var probe = NodeProbe()
    let outline = (0..<256).map { SIMD2<Float>(Float($0), 0) }
    for _ in 0..<100 {
      let plane = Anchor(name: "plane")
      try probe.edit(.place(plane))
      try probe.edit(.setKind(.plane(Anchor.Plane(extent: [1, 1], boundary: outline)), of: plane.id))
    }
    let link = try member(of: &probe)
    let frames = try probe.frames(on: link).filter { $0.type == .kinds }
    #expect(frames.count > 5 && frames.allSatisfy { $0.body.count <= 64 * 1024 })
    #expect(try Set(writes(frames).map(\.key)).count == 100 && writes(frames).count == 100)
  }

  @Test("kinds that no honest member sends end the link and nothing else")
  func refused() throws {
    var probe = NodeProbe()
    try probe.edit(.place(Self.floor))
    let second = try member(of: &probe, 2)
    probe.send(.kinds, on: second) { $0.write(bytes: [1, 2, 3]) }
    #expect(try probe.goodbye(on: second) == .protocolError)
    #expect(probe.node.anchors[Self.floor.id]?.kind == Self.plane(1))
  }
}
