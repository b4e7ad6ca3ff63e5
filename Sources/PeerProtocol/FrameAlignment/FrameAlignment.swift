import AnchorReplication
import Basics
import WorldModel

/// The organ of the frames in which members see the world: who writes in which frame, and what was measured between frames.
///
/// Both are words that every member keeps and passes on (``Registers``), which leave before any anchor or pose that may need
/// them; where frames lie is derived from them and never sent (``FrameSolution``).
struct FrameAlignment: Organ {
  private var pace = FramePace()
  /// Measurements of this node that wait for the next time at which frames are placed.
  private var waiting: Table<FrameMeasurement.Key, (sessionTime: UInt64, estimate: FrameEstimate)> = [:]
  /// The alignments that the app was told of last, and that of the shared frame, in which everybody else is.
  private var told: Table<NodeID, PeerAlignment> = [:]
  private var toldOfShared = FrameView().alignmentOfSharedFrame

  init() {}

  /// When frames are placed by what has come since the last time.
  func deadline(in turn: inout Turn) -> Instant? { pace.due }

  /// Says what waits, and places all frames by what is known then.
  mutating func step(in turn: inout Turn) -> Bool {
    guard waiting.isEmpty else {
      for (key, measured) in exchange(&waiting, with: [:]) { say(key, measured, in: &turn) }
      return true
    }
    place(in: &turn)
    return false
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
    let known = turn.mesh.frames.book.declared[turn.me.actor]?.list ?? []
    guard !isShared || known.last?.isShared == false else { return }
    let declaration = FrameDeclaration(
      number: (known.last?.number ?? 0) + 1, isShared: isShared, clock: turn.anchors.latestClock, sequence: sequence,
      sessionTime: turn.sessionTime)
    turn.say(.declarations) { DeclarationList(known + [declaration]).write(to: &$0) }
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
    let measured = (sessionTime: turn.sessionTime, estimate: estimate)
    guard isPrompt || pace.allows(at: turn.now) else {
      // More would replace each other in the book too.
      guard waiting[key] != nil || waiting.count < ProtocolLimits.measurementsOfObserver else { return }
      waiting[key] = measured
      pace.isStale = true
      return
    }
    waiting[key] = nil
    say(key, measured, in: &turn)
  }

  private func say(
    _ key: FrameMeasurement.Key, _ measured: (sessionTime: UInt64, estimate: FrameEstimate), in turn: inout Turn
  ) {
    turn.say(.measurements, key: key.bytes) { body in
      FrameMeasurement.write(sessionTime: measured.sessionTime, measured.estimate, to: &body)
    }
  }

  // MARK: Words

  /// A member writes in other frames, or has measured something; a word that found no room is empty, and not in the book.
  ///
  /// Declarations count at once; measurements move frames at the end of this call, those of others not too often.
  mutating func changed(_ word: SpreadWord, _ topic: WordTopic, in turn: inout Turn) {
    let isKnown = turn.words[.declarations, word.author] != nil
    turn.mesh.publish(frames: { view in
      if topic == .declarations {
        view.set(try? word.value(as: DeclarationList.self), of: word.author, isKnown: isKnown)
      } else if let measurement = try? FrameMeasurement(word) {
        view.set(measurement)
      } else if let key = try? FrameMeasurement.Key(word) {
        view.forget(key)
      }
    })
    if word.author == turn.me { pace.isUrgent = true } else { pace.isStale = true }
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
}

/// Why a measurement was refused.
package enum FrameRefusal: Error, Sendable, Equatable {
  /// Both ends are one frame: there is nothing to measure.
  case sameFrame
  /// A number of the estimate is out of range.
  case outOfRange
}
