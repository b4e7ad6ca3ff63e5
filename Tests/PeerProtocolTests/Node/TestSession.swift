import AnchorReplication
import Authentication
import Basics
import PeerProtocol
import Simulator
import Testing
import WorldModel

/// A simulated session of whole nodes in which a test plays the apps.
struct TestSession {
  /// Keeps everything the nodes tell their apps.
  struct Recorder: SimulationMonitor {
    typealias Node = SessionPeer
    var events: [[NodeEvent]]
    var times: [[Instant]]

    mutating func started(_ index: Int, node: borrowing SessionPeer, at now: Instant) {}
    mutating func resumed(
      _ index: Int, node: borrowing SessionPeer, slept: Int64, local: Instant, at now: Instant
    ) {}
    mutating func stepped(_ index: Int, node: borrowing SessionPeer, local: Instant, at now: Instant) {
      events[index] += node.events
      times[index] += Array(repeating: now, count: node.events.count)
    }
  }

  var simulation: Simulation<SessionPeer, Recorder>
  private let asks: Bool
  private let keepsOrphans: Bool
  private let passcodes: [Passcode?]
  /// Whether every node asks for a comparison of codes.
  private let compares: Bool
  /// Pairs whose people do not confirm.
  private let strangers: [(Int, Int)]
  /// Codes that are shown and not answered.
  private var shown: [(index: Int, link: LinkID, peer: PeerID, code: ComparisonCode)] = []
  /// The events that the people have seen.
  private var seen: [Int]
  /// Processes started so far: each is another one.
  private var starts: UInt64 = 0

  /// `count` nodes that have found each other and a host; between those in `apart` there is never a link.
  ///
  /// - Parameters:
  ///   - passcodes: Those of the nodes, in order; the nodes with the first one find each other.
  ///   - compares: Whether every node asks for a comparison of codes, which its people confirm where they are equal.
  ///   - strangers: Pairs of which the people do not confirm.
  init(
    _ count: Int, apart: [(Int, Int)] = [], asking asks: Bool = false, keepingOrphans keeps: Bool = false,
    passcodes: [String?] = [], comparing compares: Bool = false, strangers: [(Int, Int)] = []
  ) throws {
    self.asks = asks
    keepsOrphans = keeps
    (self.compares, self.strangers, seen) = (compares, strangers, Array(repeating: 0, count: count))
    self.passcodes = try passcodes.map { try $0.map { try Passcode($0) } }
    members = (0..<count).filter { passcodes.isEmpty || passcodes[$0] == passcodes[0] }
    let empty = Array(repeating: [NodeEvent](), count: count)
    simulation = Simulation(
      count: count, profile: NetworkProfile(), random: SeededRandom(seed: 1),
      monitor: Recorder(events: empty, times: empty.map { _ in [] }))
    for (one, other) in apart { apply(.cut(one, other)) }
    for index in 0..<count { apply(.start(index)) }
    for _ in 0..<60 where !isTogether { run(.seconds(1)) }
    try #require(isTogether, "the nodes do not find together")
  }

  /// A row in which each has a link to the next alone.
  static func row(_ count: Int) throws -> TestSession {
    let apart = (0..<count).flatMap { one in (0..<count).filter { $0 > one + 1 }.map { (one, $0) } }
    return try TestSession(count, apart: apart)
  }

  /// The nodes that are to find each other.
  private let members: [Int]

  /// Whether these nodes are one session.
  var isTogether: Bool {
    let nodes = members.compactMap { simulation.node($0)?.node }
    return nodes.count == members.count
      && nodes.allSatisfy { node in
        node.host != nil && node.host == nodes[0].host
          && node.memberSummaries.count { $0.status == .connected } == nodes.count - 1
      }
  }

  mutating func run(_ duration: Duration) {
    guard compares else { return simulation.run(for: Int64(duration / .nanoseconds(1))) }
    for _ in 0..<Int(duration / .milliseconds(100)) {
      simulation.run(for: 100_000_000)
      compareCodes()
    }
  }

  /// Lets people who see a code look at the other screen, and answer.
  private mutating func compareCodes() {
    for index in seen.indices {
      for event in simulation.monitor.events[index].dropFirst(seen[index]) {
        switch event {
        case .codeShown(let link, let peer, let code): shown.append((index, link, peer, code))
        case .codeEnded(let link, _, _): shown.removeAll { $0.index == index && $0.link == link }
        default: break
        }
      }
      seen[index] = simulation.monitor.events[index].count
    }
    for one in shown {
      guard let other = shown.first(where: { $0.link == one.link && $0.index != one.index }) else { continue }
      let areStrangers = strangers.contains { [$0, $1].sorted() == [one.index, other.index].sorted() }
      let isSame = one.code == other.code && !areStrangers
      simulation.perform(one.index) { peer, now in
        peer.perform(at: now) { node, now in node.handle(.answerCode(one.link, isSame: isSame), at: now) }
      }
    }
  }

  mutating func apply(_ fault: Fault) {
    starts += 1
    let (count, asks, keepsOrphans, seed, passcodes) = (simulation.count, asks, keepsOrphans, starts, passcodes)
    let compares = compares
    simulation.apply(fault) { index, now in
      SessionPeer(index: index, count: count, seed: seed, at: now) { configuration in
        configuration.asksBeforeGiving = asks
        configuration.keepsOrphans = keepsOrphans
        configuration.messageWindow = ProtocolLimits.messageWindow
        configuration.messageTotal = ProtocolLimits.messageTotal
        if !passcodes.isEmpty { configuration.passcode = passcodes[index] }
        configuration.showsCodes = compares
        configuration.compared = compares ? [] : nil
      }
    }
  }

  /// Lets the app of a node do something.
  mutating func perform(_ index: Int, _ action: (inout SessionPeer, Instant) throws -> Void) throws {
    var failure: (any Error)?
    simulation.perform(index) { peer, now in
      peer.perform(at: now) { node, now in
        do { try action(&node, now) } catch { failure = error }
      }
    }
    if let failure { throw failure }
  }

  func node(_ index: Int) throws -> Node { try #require(simulation.node(index)).node }

  /// The digest of a node's anchors.
  func digest(_ index: Int) throws -> SHA256Digest {
    var node = try node(index)
    return node.digest
  }

  /// The number of the host.
  var host: Int {
    get throws {
      let host = try node(0).host
      return try #require((0..<simulation.count).first { simulation.node($0)?.node.me == host })
    }
  }

  /// Forgets what was told so far.
  mutating func forgetEvents() {
    for index in simulation.monitor.events.indices {
      seen[index] = 0
      simulation.monitor.events[index] = []
      simulation.monitor.times[index] = []
    }
  }

  /// What a node told its app of live poses.
  func updates(_ index: Int) -> [EphemeralUpdate] {
    simulation.monitor.events[index].compactMap { if case .ephemeral(let update) = $0 { update } else { nil } }
  }

  /// How a node's waits for acknowledgement ended, and when.
  func acknowledgements(_ index: Int) -> [(AcknowledgementID, AcknowledgementResult, Instant)] {
    zip(simulation.monitor.events[index], simulation.monitor.times[index]).compactMap { event, time in
      if case .acknowledged(let id, let result) = event { (id, result, time) } else { nil }
    }
  }

  /// Begins to count the frames that every node sends.
  mutating func countFrames() {
    for index in 0..<simulation.count { simulation.perform(index) { peer, _ in peer.sentFrames = [:] } }
  }

  /// How many frames of a type each node has sent since.
  func sent(_ type: FrameType) -> [Int] {
    (0..<simulation.count).map { simulation.node($0)?.sentFrames?[type] ?? 0 }
  }

  /// Lets the app of a node begin to drag an anchor.
  mutating func beginDrag(_ index: Int, of anchor: AnchorID) throws -> DragID {
    var drag: DragID?
    try perform(index) { drag = try $0.beginDrag(anchor, at: $1) }
    return try #require(drag)
  }

  /// Shows a dragged anchor at each place along the x axis (metres), 20 a second.
  mutating func drag(_ index: Int, _ drag: DragID, along places: ClosedRange<Int>) throws {
    for x in places {
      try perform(index) { try $0.drag(drag, to: .at(Float(x)), at: $1) }
      run(.milliseconds(50))
    }
  }

  /// Places an anchor on a node and lets everybody get it.
  mutating func place(_ index: Int) throws -> AnchorID {
    let anchor = Anchor(id: AnchorID(high: 1, low: UInt64(index)), name: "lamp")
    try perform(index) { node, now in
      try node.edit(.place(anchor), at: now)
    }
    run(.seconds(1))
    return anchor.id
  }
}

extension Transform {
  /// A place along the x axis.
  static func at(_ x: Float) -> Transform { Transform(translation: [x, 0, 0]) }
}
