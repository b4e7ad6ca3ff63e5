import Basics
import Glibc
import PeerProtocol
import WorldModel

/// The owner of an ``Intake``: it handles the bytes, and reads the links.
protocol IntakeOwner: AnyObject {
  /// Handles the frames in these bytes until `isSpent`, which it asks after each, and returns how many bytes they were.
  func handle(_ bytes: RawSpan, of link: LinkID, until isSpent: () -> Bool) -> Int

  /// Stops or resumes reading from a link.
  func setReceiving(_ link: LinkID, _ isReceiving: Bool)

  /// The last bytes of a link that has ended meanwhile are handled, or will not be.
  func concludeEnd(of link: LinkID)
}

/// The place where received bytes wait when their peer has cost too much, so that no link takes its time from the
/// others.
///
/// One thread handles the frames of all peers, and some frames of a few bytes have dear answers: a vector asks for a
/// snapshot. A limit for each kind of frame would need to know what each costs, which depends on what both sides hold;
/// a limit that is forgotten is a hole. So the time itself is measured and charged to its peer, whatever it was for.
/// The node reads no clock, or no run could be repeated: it is asked to stop between two frames, and never knows why.
///
/// In one round of the loop the bytes of a link are handled for ``quantum`` and a few frames at most; the rest waits
/// for the next round, behind what other links have received and what that has caused, and behind other threads that
/// wait for this processor. All strangers together have what one peer has: a quantum in a round, and one budget. While
/// the ``WorkBudget`` of a peer is overdrawn, its links are neither handled nor read: at most one receive buffer of
/// each waits here, and TCP slows the peer down.
///
/// The peer waits and is not removed: nobody can tell an attack from a fault, and an honest peer whose burst is over
/// goes on as if nothing had been. A peer's links share one account, also those that it opens later, or it would
/// reconnect instead of waiting. Why bytes earn time, and why it is the processor's:
/// Documentation/Decisions/0017-a-budget-of-time.md.
final class Intake {
  /// How long the bytes of one link are handled in one round (ns): so long others wait behind them.
  static let quantum: UInt64 = 100_000
  /// How many frames are handled between two looks at the clock, which costs as much as a tenth of a cheap frame.
  static let stride = 8

  private final class Account {
    var budget: WorkBudget

    init(_ budget: WorkBudget) { self.budget = budget }
  }

  /// How long the bytes of a link, or of those of all strangers, were handled in a round.
  private final class Share {
    /// The round in which bytes were handled last, and how long that took in it (ns).
    private var round: UInt64 = 0
    private var timeInRound: UInt64 = 0

    /// How long bytes may still be handled in a round (ns).
    func timeLeft(in round: UInt64) -> UInt64 {
      round == self.round ? quantum - min(timeInRound, quantum) : quantum
    }

    func note(_ time: UInt64, in round: UInt64) {
      timeInRound = round == self.round ? timeInRound + time : time
      self.round = round
    }
  }

  /// A link, and its bytes that wait.
  private final class Line {
    let link: LinkID
    let peer: PeerID
    var account: Account
    var share: Share
    var bytes: [UInt8] = []
    /// How many of the bytes are handled.
    var used = 0
    var isHeld = false
    /// When it may go on (of the loop's clock); nil for the next round.
    var restsUntil: UInt64?
    var hasEnded = false

    init(_ link: LinkID, of peer: PeerID, _ account: Account, _ share: Share) {
      (self.link, self.peer, self.account, self.share) = (link, peer, account, share)
    }
  }

  /// The terms for peers whose first link opens from now on.
  var limits = WorkBudget.Limits.peer
  var meter = WorkMeter(.machine)
  /// Lets the threads run that wait for this processor: some schedulers let one that does not sleep go on for milliseconds, and
  /// what the others send may be for this very loop.
  var giveWay = { _ = sched_yield() }
  weak var owner: (any IntakeOwner)?

  private let loop: EventLoop
  private var lines: [LinkID: Line] = [:]
  private var accounts: [PeerID: Account] = [:]
  /// Those of all strangers.
  private let strangers: (account: Account, share: Share)
  /// The links that are held, in the order in which they go on.
  private var held: [Line] = []
  private var timer: LoopTimer?
  private var isRoundAwaited = false
  /// How long bytes were handled since this thread gave way (ns).
  private var timeOfTurn: UInt64 = 0

  /// Nothing waits; `loop` is the one it is made on.
  init(loop: EventLoop) {
    self.loop = loop
    strangers = (Account(WorkBudget(.strangers, at: 0)), Share())
    timer = loop.makeTimer { [weak self] in self?.wake() }
  }

  /// A link is up, of a stranger until ``admit(_:)`` if that has dialled: all links of a peer share its budget, also those that
  /// it opens later.
  func open(_ link: LinkID, of peer: PeerID, isStranger: Bool = false) {
    let (account, share) = isStranger ? strangers : (account(of: peer), Share())
    lines[link] = Line(link, of: peer, account, share)
  }

  /// The peer of a link is a stranger no more.
  func admit(_ link: LinkID) {
    guard let line = lines[link] else { return }
    (line.account, line.share) = (account(of: line.peer), Share())
  }

  private func account(of peer: PeerID) -> Account {
    if let account = accounts[peer] { return account }
    let now = meter.clocks.time()
    dropFullAccounts(at: now)
    let account = Account(WorkBudget(limits, at: now))
    accounts[peer] = account
    return account
  }

  /// Handles received bytes of a link, or lets them wait.
  func take(_ bytes: RawSpan, of link: LinkID) {
    guard let line = lines[link] else { return }
    guard !line.isHeld else { return line.bytes.append(bytes) }
    guard line.share.timeLeft(in: loop.rounds) > 0 else {
      line.bytes.append(bytes)
      return hold(line, for: nil)
    }
    let (used, end) = serve(bytes, of: line)
    let rest = line.account.budget.rest(at: end)
    // Its own bytes may have ended the link.
    guard used < bytes.byteCount || rest != nil, lines[link] === line else { return }
    line.bytes.append(bytes.extracting(used..<bytes.byteCount))
    hold(line, for: rest)
  }

  /// The other side has closed a link; whether that can be reported now, since nothing of it waits.
  ///
  /// Else ``IntakeOwner/concludeEnd(of:)`` follows. The last bytes of an overdrawn peer are dropped.
  func end(_ link: LinkID) -> Bool {
    guard let line = lines[link] else { return true }
    guard line.used < line.bytes.count, !isOverdrawn(link) else {
      drop(line)
      return true
    }
    line.hasEnded = true
    return false
  }

  /// Drops what waits of a link that this side closes; whether the other side had closed it before.
  func forget(_ link: LinkID) -> Bool {
    guard let line = lines[link] else { return false }
    drop(line)
    return line.hasEnded
  }

  /// Drops all that waits.
  func stop() {
    lines = [:]
    held = []
    timer?.deadline = nil
  }

  /// Whether nothing of a link is handled or read because its peer has overdrawn its budget.
  func isOverdrawn(_ link: LinkID) -> Bool {
    lines[link].flatMap { rest(of: $0) } != nil
  }
}

extension Intake: RoundHandler {
  /// Handles what waits, a little of each link; called by the loop.
  func endRound() {
    isRoundAwaited = false
    for line in held
    where line.restsUntil == nil && line.share.timeLeft(in: loop.rounds) > 0 && lines[line.link] === line {
      resume(line)
    }
    schedule()
    guard timeOfTurn >= Self.quantum else { return }
    timeOfTurn = 0
    giveWay()
  }
}

extension Intake {
  /// Handles the bytes of a link while it may go on, and charges the cost; returns how many bytes were handled, and the time.
  private func serve(_ bytes: RawSpan, of line: Line) -> (used: Int, end: UInt64) {
    let clock = meter.clocks.time
    let start = clock()
    guard let owner else { return (bytes.byteCount, start) }
    let most = line.share.timeLeft(in: loop.rounds)
    var (frames, nextLook, lastLook) = (0, 1, start)
    let used = owner.handle(bytes, of: line.link) {
      frames += 1
      guard frames == nextLook else { return false }
      let look = clock()
      // A few dear frames are a quantum already.
      nextLook += look - lastLook < Self.quantum / 16 ? Self.stride : 1
      lastLook = look
      return look - start >= most
    }
    assert(used <= bytes.byteCount, "more bytes were handled than came")
    let end = clock()
    line.share.note(end - start, in: loop.rounds)
    timeOfTurn += end - start
    if timeOfTurn >= Self.quantum { awaitRound() }
    line.account.budget.charge(meter.cost(from: start, to: end), for: used, at: end)
    return (used, end)
  }

  /// How long a link has to rest; nil while it may go on.
  private func rest(of line: Line) -> UInt64? { line.account.budget.rest(at: meter.clocks.time()) }

  private func hold(_ line: Line, for rest: UInt64?) {
    assert(!line.isHeld && line.used == 0, "a link is held twice")
    line.isHeld = true
    line.restsUntil = rest.map { loop.now + $0 }
    held.append(line)
    owner?.setReceiving(line.link, false)
    schedule()
  }

  /// Handles some of the bytes that wait of a link, and lets it be read again once there are no more.
  private func resume(_ line: Line) {
    let bytes = exchange(&line.bytes, with: [])
    // Another link of the peer may have overdrawn the budget.
    if rest(of: line) == nil, line.used < bytes.count {
      line.used += serve(bytes.span.bytes.extracting(line.used..<bytes.count), of: line).used
    }
    guard lines[line.link] === line else { return }
    let isDone = line.used == bytes.count
    if isDone { line.used = 0 } else { line.bytes = bytes }
    let rest = rest(of: line)
    line.restsUntil = rest.map { loop.now + $0 }
    if line.hasEnded, isDone || rest != nil {
      drop(line)
      owner?.concludeEnd(of: line.link)
    } else if isDone, rest == nil {
      held.removeAll { $0 === line }
      line.isHeld = false
      owner?.setReceiving(line.link, true)
    }
  }

  private func drop(_ line: Line) {
    lines[line.link] = nil
    held.removeAll { $0 === line }
  }

  private func wake() {
    let now = loop.now
    for line in held { if let end = line.restsUntil, end <= now { line.restsUntil = nil } }
    schedule()
  }

  private func schedule() {
    timer?.deadline = held.lazy.compactMap(\.restsUntil).min()
    if held.contains(where: { $0.restsUntil == nil }) { awaitRound() }
  }

  private func awaitRound() {
    guard !isRoundAwaited else { return }
    isRoundAwaited = true
    // Last, so that what others have caused in this round does not wait for it, and the threads that wait for this processor
    // have it before the next look at the links, which then shows what they sent.
    loop.beforeNextRound(self)
  }

  /// Drops the accounts that would be the same if they were opened again; of the others there are as many as peers have cost
  /// something within the last seconds.
  private func dropFullAccounts(at now: UInt64) {
    let present = Set(lines.values.map { ObjectIdentifier($0.account) })
    accounts = accounts.filter { present.contains(ObjectIdentifier($1)) || !$1.budget.isFull(at: now) }
  }
}
