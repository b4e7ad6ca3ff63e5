import AnchorReplication
import Basics
import WorldModel

/// The organ of the frames in which members see the world: who writes in which frame, and what was measured between frames.
///
/// Both are registers that every member keeps and passes on; where frames lie is derived from them and never sent
/// (``FrameSolution``). A new link begins with all of it, before any anchor or pose that may need it; a digest repairs the rest.
struct FrameAlignment: Organ {
  /// The frames of this organ.
  enum Frame: Sendable {
    case word
    case digest
  }

  /// The digest of the book; nil after a change.
  private var digest: FrameDigest?
  /// Counts the measurements of this node.
  private var version: UInt64 = 0
  private var pace = FramePace()
  /// Measurements of this node that wait for the next time at which frames are placed.
  private var waiting: Table<FrameMeasurement.Key, FrameEstimate> = [:]
  /// The alignments that the app was told of last, and that of the shared frame, in which everybody else is.
  private var told: Table<NodeID, PeerAlignment> = [:]
  private var toldOfShared = FrameView().alignmentOfSharedFrame

  init() {}

  /// When frames are placed by what has come since the last time.
  func deadline(in turn: inout Turn) -> Instant? { pace.due }

  /// Places all frames.
  mutating func tick(in turn: inout Turn) {
    var word = FrameWord()
    for (key, estimate) in waiting { word.measurements.append(measurement(key, estimate, in: turn)) }
    waiting = [:]
    merge(word, from: nil, in: &turn)
    place(in: &turn)
  }

  // MARK: Commands

  /// Prepares the state that others read.
  mutating func begin(in turn: inout Turn) {
    let view = FrameView(me: turn.me.actor, turn.configuration.rules)
    turn.mesh.publish(frames: { $0 = view })
  }

  /// Begins a frame of this device's own, or returns to the shared one, for all later poses.
  ///
  /// - Parameter sequence: That of the next live pose.
  mutating func begin(isShared: Bool, sequence: UInt64, in turn: inout Turn) {
    let last = turn.mesh.frames.book.declared[turn.me.actor]?.last
    guard !isShared || last?.isShared == false else { return }
    let declaration = FrameDeclaration(
      node: turn.me, number: (last?.number ?? 0) + 1, isShared: isShared, clock: turn.anchors.latestClock,
      sequence: sequence, sessionTime: turn.sessionTime)
    merge(FrameWord(declarations: [declaration]), from: nil, in: &turn)
    place(in: &turn)
  }

  /// Records a measurement of this node.
  ///
  /// - Parameter isPrompt: Whether it counts at once, as the user's own doing; what others cause waits as their measurements do.
  mutating func measure(
    from source: WorldFrame, to target: WorldFrame, _ estimate: FrameEstimate, isPrompt: Bool, in turn: inout Turn
  ) throws(FrameRefusal) {
    guard source != target else { throw .sameFrame }
    guard estimate.isValid else { throw .outOfRange }
    let key = FrameMeasurement.Key(source: source, target: target, observer: turn.me.actor)
    guard isPrompt || pace.allows(at: turn.now) else {
      // More would replace each other in the book too.
      guard waiting[key] != nil || waiting.count < ProtocolLimits.measurementsOfObserver else { return }
      waiting[key] = estimate
      pace.isStale = true
      return
    }
    waiting[key] = nil
    merge(FrameWord(measurements: [measurement(key, estimate, in: turn)]), from: nil, in: &turn)
    place(in: &turn)
  }

  private mutating func measurement(
    _ key: FrameMeasurement.Key, _ estimate: FrameEstimate, in turn: borrowing Turn
  ) -> FrameMeasurement {
    version += 1
    return FrameMeasurement(key: key, version: version, sessionTime: turn.sessionTime, estimate: estimate)
  }

  // MARK: Notices

  /// Tells a new neighbour everything that is known.
  mutating func linked(_ link: LinkRef, in turn: inout Turn) { sendAll(on: link, in: &turn) }

  /// Tells the neighbours what this node knows, as a hash; nothing where nobody uses frames.
  mutating func compare(in turn: inout Turn) {
    pace.forget(allBut: turn.mesh.links.members.map(\.link))
    guard !turn.mesh.frames.book.isEmpty else { return }
    let digest = currentDigest(in: turn)
    for member in turn.mesh.links.members {
      turn.send(.frameDigest, on: member.link) { digest.write(to: &$0) }
    }
  }

  // MARK: Frames

  /// Handles a frame of a member.
  mutating func receive(
    _ frame: Frame, _ body: RawSpan, from sender: MemberLink, in turn: inout Turn
  ) throws(DecodingFailure) {
    switch frame {
    case .word:
      guard merge(try FrameWord(body: body), from: sender, in: &turn) else { return }
      if pace.allows(at: turn.now) { place(in: &turn) } else { pace.isStale = true }
    case .digest:
      let theirs = try FrameDigest(body: body)
      // An answer, and the hash itself, cost as much as the book is long.
      guard pace.mayCompare(on: sender.link, at: turn.now) else { return }
      if theirs != currentDigest(in: turn) { sendAll(on: sender.link, in: &turn) }
    }
  }

  /// Merges declarations and measurements, and passes on what is news; whether anything is.
  @discardableResult
  private mutating func merge(_ word: FrameWord, from sender: MemberLink?, in turn: inout Turn) -> Bool {
    var news = FrameWord()
    for declaration in word.declarations {
      guard let isOwn = isOwnWord(of: declaration.node.actor, from: sender, in: turn) else { continue }
      let isNews =
        turn.mesh.frames.book.isFull
        ? mergeIntoFull(declaration, isOwnWord: isOwn, in: &turn)
        : turn.mesh.publish(frames: { $0.merge(declaration, isOwnWord: isOwn) })
      if isNews { news.declarations.append(declaration) }
    }
    for measurement in word.measurements {
      guard let isOwn = isOwnWord(of: measurement.key.observer, from: sender, in: turn) else { continue }
      let isNews = turn.mesh.publish(frames: { $0.merge(measurement, isOwnWord: isOwn) })
      if isNews { news.measurements.append(measurement) }
    }
    guard !news.declarations.isEmpty || !news.measurements.isEmpty else { return false }
    digest = nil
    // Before any anchor that may need it: control frames leave before operations and poses.
    for member in turn.mesh.links.members where member != sender { send(news, on: member.link, in: &turn) }
    return true
  }

  /// Adds a declaration to a book without room; whether it is news.
  private func mergeIntoFull(_ declaration: FrameDeclaration, isOwnWord: Bool, in turn: inout Turn) -> Bool {
    let (roster, anchors) = (turn.mesh.roster, turn.anchors)
    return turn.mesh.publish(frames: { view in
      view.merge(declaration, isOwnWord: isOwnWord) { node in
        roster.admits(node.peer) && roster[node.peer]?.node == node || anchors.appliedCount(of: node.actor) > 0
      }
    })
  }

  /// Whether an author itself said this; nil when this node is the author, and others say it.
  ///
  /// The words of others count even of a neighbour: its link may be dead, while its anchors come by way of them.
  private func isOwnWord(of author: ActorID, from sender: MemberLink?, in turn: borrowing Turn) -> Bool? {
    guard let sender else { return true }
    return author == turn.me.actor ? nil : author == sender.node.actor
  }

  /// Works out where frames are, and tells the app of the peers whose frames lie elsewhere.
  private mutating func place(in turn: inout Turn) {
    turn.mesh.publish(frames: { $0.solve() })
    pace.placed(at: turn.now)
    let view = turn.mesh.frames
    let members = turn.mesh.roster.entries.filter { $0.status == .present }.map(\.node)
    var alignments: Table<NodeID, PeerAlignment> = [:]
    for node in KeySet(members + view.authors) where node != turn.me {
      let alignment = view.alignment(of: node)
      alignments[node] = alignment
      if alignment != told[node] ?? toldOfShared { turn.report(.alignmentChanged(node.peer, alignment)) }
    }
    (told, toldOfShared) = (alignments, view.alignmentOfSharedFrame)
  }

  private mutating func currentDigest(in turn: borrowing Turn) -> FrameDigest {
    if let digest { return digest }
    let digest = FrameDigest(turn.mesh.frames.book.digest.bytes)
    self.digest = digest
    return digest
  }

  private func sendAll(on link: LinkRef, in turn: inout Turn) {
    for part in FrameWord.parts(of: turn.mesh.frames.book) { send(part, on: link, in: &turn) }
  }

  private func send(_ word: FrameWord, on link: LinkRef, in turn: inout Turn) {
    turn.send(.frames, on: link) { word.write(to: &$0) }
  }
}

/// Why a measurement was refused.
package enum FrameRefusal: Error, Sendable, Equatable {
  /// Both ends are one frame: there is nothing to measure.
  case sameFrame
  /// A number of the estimate is out of range.
  case outOfRange
}
