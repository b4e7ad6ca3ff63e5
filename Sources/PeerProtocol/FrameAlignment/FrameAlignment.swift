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

  private var book = FrameBook()
  /// The digest of the book; nil after a change.
  private var digest: FrameDigest?
  /// Counts the measurements of this node.
  private var version: UInt64 = 0

  init() {}

  /// Never: members repeat themselves with the rounds of anti-entropy.
  func deadline(in turn: borrowing Turn) -> Instant? { nil }

  // MARK: Commands

  /// Begins a frame of this device's own, or returns to the shared one, for all later poses.
  ///
  /// - Parameter sequence: That of the next live pose.
  mutating func begin(isShared: Bool, sequence: UInt64, in turn: inout Turn) {
    let last = book.declared[turn.me.actor]?.last
    guard !isShared || last?.isShared == false else { return }
    let declaration = FrameDeclaration(
      node: turn.me, number: (last?.number ?? 0) + 1, isShared: isShared, clock: turn.anchors.latestClock,
      sequence: sequence, sessionTime: turn.sessionTime)
    take(FrameWord(declarations: [declaration]), from: nil, in: &turn)
  }

  /// Records a measurement of this node.
  mutating func measure(
    from source: WorldFrame, to target: WorldFrame, _ estimate: FrameEstimate, in turn: inout Turn
  ) throws(FrameRefusal) {
    guard source != target else { throw .sameFrame }
    guard estimate.isValid else { throw .outOfRange }
    version += 1
    let measurement = FrameMeasurement(
      key: FrameMeasurement.Key(source: source, target: target, observer: turn.me.actor), version: version,
      sessionTime: turn.sessionTime, estimate: estimate)
    take(FrameWord(measurements: [measurement]), from: nil, in: &turn)
  }

  // MARK: Notices

  /// Tells a new neighbour everything that is known.
  mutating func linked(_ link: LinkRef, in turn: inout Turn) { sendAll(on: link, in: &turn) }

  /// Tells the neighbours what this node knows, as a hash; nothing where nobody uses frames.
  mutating func compare(in turn: inout Turn) {
    guard !book.isEmpty else { return }
    let digest = currentDigest()
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
    case .word: take(try FrameWord(body: body), from: sender, in: &turn)
    case .digest:
      if try FrameDigest(body: body) != currentDigest() { sendAll(on: sender.link, in: &turn) }
    }
  }

  /// Merges declarations and measurements, passes on what is news, and shows everybody the new frames.
  private mutating func take(_ word: FrameWord, from sender: MemberLink?, in turn: inout Turn) {
    var news = FrameWord()
    for declaration in word.declarations {
      guard let isOwn = isOwnWord(of: declaration.node.actor, from: sender, in: turn) else { continue }
      if book.merge(declaration, isOwnWord: isOwn) { news.declarations.append(declaration) }
    }
    for measurement in word.measurements {
      guard let isOwn = isOwnWord(of: measurement.key.observer, from: sender, in: turn) else { continue }
      if book.merge(measurement, isOwnWord: isOwn) { news.measurements.append(measurement) }
    }
    guard !news.declarations.isEmpty || !news.measurements.isEmpty else { return }
    digest = nil
    // Before any anchor that may need it: control frames leave before operations and poses.
    for member in turn.mesh.links.members where member != sender { send(news, on: member.link, in: &turn) }
    publish(in: &turn)
  }

  /// Whether an author itself said this; nil when this node is the author, and others say it.
  ///
  /// The words of others count even of a neighbour: its link may be dead, while its anchors come by way of them.
  private func isOwnWord(of author: ActorID, from sender: MemberLink?, in turn: borrowing Turn) -> Bool? {
    guard let sender else { return true }
    return author == turn.me.actor ? nil : author == sender.node.actor
  }

  private func publish(in turn: inout Turn) {
    let before = turn.mesh.frames
    let after = FrameView(book, me: turn.me.actor, turn.configuration.rules)
    turn.mesh.publish(frames: after)
    let members = turn.mesh.roster.entries.filter { $0.status == .present }.map(\.node)
    for node in Set(members + after.authors).sorted() where node != turn.me {
      let alignment = after.alignment(of: node)
      if alignment != before.alignment(of: node) { turn.report(.alignmentChanged(node.peer, alignment)) }
    }
  }

  private mutating func currentDigest() -> FrameDigest {
    if let digest { return digest }
    let digest = FrameDigest(book.digest.bytes)
    self.digest = digest
    return digest
  }

  private func sendAll(on link: LinkRef, in turn: inout Turn) {
    for part in FrameWord.parts(of: book) { send(part, on: link, in: &turn) }
  }

  private func send(_ word: FrameWord, on link: LinkRef, in turn: inout Turn) {
    turn.send(.frames, on: link) { word.write(to: &$0) }
  }
}

/// Why a measurement was refused.
package enum FrameRefusal: Error, Sendable, Hashable {
  /// Both ends are one frame: there is nothing to measure.
  case sameFrame
  /// A number of the estimate is out of range.
  case outOfRange
}
