import Basics

/// Whose turn it is among the services that are invited as long as they are in sight: a few at a time, and few of one source.
///
/// Anybody can show any number of services that lead nowhere. Each source of services stands in a line of its own, and the lines
/// are served by turns, so that a service of one source waits for the others of that source alone. A pure state machine.
struct InvitationTurns {
  /// How well a service is known; the lower comes first.
  enum Standing: Int, CaseIterable, Sendable {
    /// It seems to be a device that was a member, of this session or of an earlier one.
    case known
    /// Somebody has answered there before.
    case answered
    case new
  }

  /// A service that waits for its turn.
  struct Place: Hashable, Sendable {
    let source: SocketAddress.Host?
    let standing: Standing
  }

  /// Services that are looked up or dialled at a time: of all sources, of one, and of those whose source was not heard.
  static let reaching = (all: 16, ofSource: 2, ofUnknown: 4)
  /// The same with those that have answered the dial and not yet the invitation: fewer than the links that strangers may have.
  static let open = (all: 24, ofSource: 16)
  /// Services that wait.
  static let waiting = 4096

  private struct Line {
    /// By standing.
    var waiting: [[Candidate.ID]] = Array(repeating: [], count: Standing.allCases.count)
    var reaching = 0
    var open = 0
    /// The number of the last turn that it had, or of its beginning.
    var last: UInt64

    var count: Int { waiting.reduce(0) { $0 + $1.count } }
    var standing: Int? { waiting.firstIndex { !$0.isEmpty } }
  }

  private struct Turn {
    let source: SocketAddress.Host?
    var isReached = false
  }

  private var lines: [SocketAddress.Host?: Line] = [:]
  private var turns: [Candidate.ID: Turn] = [:]
  private var reachingCount = 0
  private var waitingCount = 0
  private var lastNumber: UInt64 = 0

  /// Lets a service wait; returns one that waits no longer because too many do: the last of the longest line, maybe this one.
  mutating func wait(_ id: Candidate.ID, at place: Place) -> Candidate.ID? {
    let line = lines[place.source]
    if line == nil {
      lastNumber += 1
      lines[place.source] = Line(last: lastNumber)
    }
    lines[place.source]?.waiting[place.standing.rawValue].append(id)
    waitingCount += 1
    guard waitingCount > Self.waiting, let longest = lines.max(by: { $0.value.count < $1.value.count }),
      let rank = longest.value.waiting.lastIndex(where: { !$0.isEmpty })
    else { return nil }
    let dropped = lines[longest.key]?.waiting[rank].removeLast()
    waitingCount -= 1
    tidy(longest.key)
    return dropped
  }

  /// Lets a service wait no longer.
  mutating func giveUp(_ id: Candidate.ID, at place: Place) {
    guard let index = lines[place.source]?.waiting[place.standing.rawValue].firstIndex(of: id) else { return }
    lines[place.source]?.waiting[place.standing.rawValue].remove(at: index)
    waitingCount -= 1
    tidy(place.source)
  }

  /// The service whose turn begins now, until ``end(_:)``; nil while no place is free for one.
  mutating func next() -> Candidate.ID? {
    guard reachingCount < Self.reaching.all, turns.count < Self.open.all else { return nil }
    let free = lines.filter { source, line in
      line.reaching < (source == nil ? Self.reaching.ofUnknown : Self.reaching.ofSource)
        && line.open < Self.open.ofSource && line.count > 0
    }
    let first = free.min { ($0.value.standing ?? 0, $0.value.last) < ($1.value.standing ?? 0, $1.value.last) }
    guard let (source, chosen) = first, let rank = chosen.standing else { return nil }
    var line = chosen
    let id = line.waiting[rank].removeFirst()
    lastNumber += 1
    line.last = lastNumber
    line.reaching += 1
    line.open += 1
    lines[source] = line
    turns[id] = Turn(source: source)
    reachingCount += 1
    waitingCount -= 1
    return id
  }

  /// Somebody has answered at a service whose turn it is: it is dialled no more.
  mutating func reached(_ id: Candidate.ID) {
    guard let turn = turns[id], !turn.isReached else { return }
    turns[id]?.isReached = true
    lines[turn.source]?.reaching -= 1
    reachingCount -= 1
  }

  /// The turn of a service is over.
  mutating func end(_ id: Candidate.ID) {
    reached(id)
    guard let turn = turns.removeValue(forKey: id) else { return }
    lines[turn.source]?.open -= 1
    tidy(turn.source)
  }

  /// Drops a line in which nobody is.
  private mutating func tidy(_ source: SocketAddress.Host?) {
    if let line = lines[source], line.count == 0, line.open == 0 { lines[source] = nil }
  }
}
