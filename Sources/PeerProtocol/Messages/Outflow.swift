import AnchorReplication
import Basics

/// The messages that one start of a member has not acknowledged, and how far they have come.
///
/// TCP delivers once and in order as long as a connection lives. Here connections are replaced, messages go by way of
/// other members while there is none, and either process may start again under the same key. A number for each message
/// alone is not enough: the receiver of number 7 cannot tell whether 6 is lost, or failed, or was for somebody else.
///
/// So the messages form a chain: every message names the one before it to this receiver, and the receiver takes only
/// the next one. A message that fails ends the chain; later ones begin another one, with a higher number and *previous*
/// 0. A receiver that reports a lower chain than it did before has lost its memory: the messages fail, rather than
/// arrive twice.
///
/// Go-back-n, not selective repeat: what follows a gap is sent again. A link loses nothing but by its end, so gaps are
/// rare, and the receiver keeps no messages it cannot hand over. After a change of way the receiver is asked first what
/// it has (``change(to:first:rules:)``), unless nothing had left: to send all again would cost the window at every
/// reconnection. The window is the receiver's word and counts bytes as the app reads them, so an app that does not read
/// holds up its own senders and nobody else's memory fills.
///
/// Critical messages to a receiver have an outflow of their own, and so have streams. The wire is in
/// Documentation/Protocol/messages.md.
struct Outflow: Sendable {
  /// How messages reach the receiver at present.
  enum Way: Equatable, Sendable {
    /// Not at all.
    case none
    /// On the link to it.
    case direct(LinkRef)
    /// Through other members.
    case relayed

    /// Whether there is a link to it.
    @inline(__always)
    var isDirect: Bool { if case .direct = self { true } else { false } }
  }

  /// The consequence of a report.
  enum Progress: Sendable {
    /// Nothing is new.
    case none
    /// Messages were acknowledged, or may be sent.
    case some
    /// The receiver knows nothing of a chain that it has acknowledged before.
    case lost
  }

  private struct Item: Sendable {
    let number: UInt64
    let kind: MessageKind
    var bytes: [UInt8]
  }

  /// The start of the receiver's process.
  private(set) var receiver: NodeID
  /// Which of the messages to it these are.
  let track: MessageTrack
  /// Whether messages to all go to it.
  var isListed = false
  /// When its messages fail unless it is reached first; nil while it can be reached, or is being waited for.
  var patience: Instant?
  /// Unreliable messages that have not left, on any way.
  var unreliable = UnreliableQueue()
  /// The present way.
  private(set) var way = Way.none
  /// Cost of the messages that are not acknowledged (bytes).
  private(set) var openBytes = 0
  /// When the receiver has to be asked, or its messages are sent again; nil while nothing is open.
  private(set) var repeatAt: Instant?

  private let chain: UInt32
  /// The last number that is acknowledged, or 0.
  private var acknowledged: UInt64 = 0
  private var items: [Item] = []
  /// The index of the first item that is not acknowledged.
  private var head = 0
  /// Items from `head` on that have left on the present way, and their cost (bytes).
  private var sent = 0
  private var sentBytes = 0
  /// The last number that has left on any way.
  private var lastSent: UInt64 = 0
  /// Bytes that may be on their way.
  private var window: Int
  /// The last number that had left when the receiver was last asked; the answer covers all up to there.
  private var askedUpTo: UInt64?
  /// Whether nothing leaves before the answer.
  private var isHeld = false
  private var pause = ProtocolTimes.messageRepeat

  /// A chain without messages, whose receiver takes `window` bytes before its first report.
  init(to receiver: NodeID, _ track: MessageTrack, chain: UInt32, window: Int) {
    self.receiver = receiver
    self.track = track
    self.chain = chain
    self.window = window
  }

  /// The messages that are not acknowledged, in order.
  var open: [MessageID] { items[head...].map { MessageID($0.number) } }

  // MARK: Sending

  /// Adds a message; whether anything may leave that could not before: nothing behind one that waits for the link.
  mutating func add(_ number: UInt64, _ bytes: [UInt8], _ kind: MessageKind) -> Bool {
    let isBehind = way.isDirect && head + sent < items.count
    assert(number > items.last?.number ?? acknowledged, "the numbers of a chain rise")
    items.append(Item(number: number, kind: kind, bytes: bytes))
    openBytes += ProtocolLimits.cost(ofMessage: bytes)
    return !isBehind
  }

  /// The next message to leave, if at most `limit` bytes are on their way then.
  func next(within limit: Int = .max, rules: ProtocolRules) -> (head: MessageHead, bytes: [UInt8])? {
    nextIndex(within: limit, rules: rules).map { (head(of: $0), items[$0].bytes) }
  }

  /// The index of the next message to leave, if at most `limit` bytes are on their way then.
  ///
  /// Inlined, as is what it calls, since one that changes an outflow would call it on a copy.
  @inline(__always)
  private func nextIndex(within limit: Int = .max, rules: ProtocolRules) -> Int? {
    let index = head + sent
    return cost(of: index, behind: sentBytes, within: min(limit, edge(rules))) == nil ? nil : index
  }

  /// The cost of an item that may leave while `bytes` are on their way, and then at most `limit`; nil for one that may not.
  @inline(__always)
  private func cost(of index: Int, behind bytes: Int, within limit: Int) -> Int? {
    guard !isHeld, index < items.count else { return nil }
    // Through the span: the subscript of an array copies the element.
    let cost = ProtocolLimits.cost(ofMessage: items.span[index].bytes)
    return bytes + cost <= limit ? cost : nil
  }

  /// Bytes that may be on their way.
  @inline(__always)
  private func edge(_ rules: ProtocolRules) -> Int { rules.contains(.messageWindow) ? window : .max }

  @inline(__always)
  private func head(of index: Int) -> MessageHead {
    MessageHead(
      chain: chain, previous: index == head ? acknowledged : items.span[index - 1].number,
      number: items.span[index].number, kind: items.span[index].kind, isCritical: track == .critical)
  }

  /// Appends messages to the frames that leave on the link to the receiver, while there is room; whether some are left.
  mutating func write(to writer: inout ByteWriter, rules: ProtocolRules) -> Bool {
    let edge = edge(rules)
    var (index, bytes) = (head + sent, sentBytes)
    // Noted once for all of them.
    defer { if index > head + sent { noteSent(upTo: index, bytes) } }
    while let cost = cost(of: index, behind: bytes, within: edge) {
      let size = writer.count + FrameHead.size + MessageHead.size + items.span[index].bytes.count
      guard writer.count < ProtocolLimits.transmitWindow / 2,
        writer.count == 0 || size <= ProtocolLimits.transmitWindow
      else { return true }
      writer.writeMessage(head(of: index), items.span[index].bytes)
      (index, bytes) = (index + 1, bytes + cost)
    }
    return false
  }

  /// Records that the message that ``next(within:rules:)`` gave has left.
  mutating func noteSent() {
    let index = head + sent
    noteSent(upTo: index + 1, sentBytes + ProtocolLimits.cost(ofMessage: items.span[index].bytes))
  }

  /// Records that the items before `end` have left, and how many bytes are on their way then.
  private mutating func noteSent(upTo end: Int, _ bytes: Int) {
    sentBytes = bytes
    lastSent = max(lastSent, items.span[end - 1].number)
    sent = end - head
    assert(sent <= items.count - head && sentBytes <= openBytes, "more has left than is open")
  }

  /// The link on which something may leave now, and the end of the wait for a report if a new one begins.
  ///
  /// One call that changes it in place: a method that only looks is called on a copy of the element of an array.
  mutating func prepare(at now: Instant, rules: ProtocolRules) -> (link: LinkRef?, end: Instant?) {
    let end = beginWait(at: now)
    guard case .direct(let link) = way, !unreliable.isEmpty || nextIndex(rules: rules) != nil else { return (nil, end) }
    return (link, end)
  }

  /// Starts the wait for a report if something is open that a way leads for; its end, if it is a new one.
  private mutating func beginWait(at now: Instant) -> Instant? {
    guard repeatAt == nil, way != .none, openBytes > 0 else { return nil }
    repeatAt = now + (way == .relayed ? pause : ProtocolTimes.messageQuestion)
    return repeatAt
  }

  /// Ends the wait for a report, and returns whether to ask the receiver.
  ///
  /// Through members all that is not acknowledged leaves again.
  mutating func endWait(rules: ProtocolRules) -> Bool {
    repeatAt = nil
    guard way == .relayed else {
      noteQuestion()
      return true
    }
    pause = min(pause * 2, ProtocolTimes.messageRepeatMost)
    // Nothing would leave: the report that opens the window may be lost.
    let isBlocked = sent == 0
    goBack(rules)
    return isBlocked
  }

  /// Records that the receiver is asked now: a link answers for everything that left on it before.
  private mutating func noteQuestion() { askedUpTo = sent > 0 ? items[head + sent - 1].number : acknowledged }

  /// Lets all that is not acknowledged leave again.
  private mutating func goBack(_ rules: ProtocolRules) {
    if rules.contains(.messageResend) { (sent, sentBytes) = (0, 0) }
  }

  // MARK: Ways

  /// Changes the way; whether the receiver has to be asked first, because it may have received messages that left before.
  ///
  /// - Parameter first: The window that a receiver has before its first report (bytes).
  mutating func change(to way: Way, first: Int, rules: ProtocolRules) -> Bool {
    self.way = way
    (repeatAt, pause, askedUpTo, isHeld) = (nil, ProtocolTimes.messageRepeat, nil, false)
    let isKnown = (head == items.count || lastSent < items[head].number) && window >= first
    goBack(rules)
    guard case .direct = way, !isKnown else { return false }
    isHeld = true
    noteQuestion()
    return true
  }

  /// Goes on to another start of the receiver in the same chain, as only a broken build does.
  mutating func carryOver(to start: NodeID) {
    receiver = start
    goBack(.all)
  }

  // MARK: Reports

  /// Takes a report of the receiver.
  mutating func receive(_ report: MessageReport, rules: ProtocolRules) -> Progress {
    let isAnswer = report.kind == .answer
    let isMine = report.chain == chain
    guard isMine || isAnswer && report.chain < chain else { return .none }
    if !isMine, acknowledged > 0 { return .lost }
    let last = isMine ? report.last : 0
    guard last >= acknowledged else { return .none }
    let before = (head, window, sent)
    acknowledge(upTo: last)
    window = head > before.0 ? Int(report.window) : max(window, Int(report.window))
    if isAnswer, let askedUpTo {
      // Messages that left before the question and are not acknowledged were not accepted.
      if isHeld || acknowledged < askedUpTo { goBack(rules) }
      (self.askedUpTo, isHeld) = (nil, false)
    }
    guard before != (head, window, sent) || isAnswer else { return .none }
    (repeatAt, pause) = (nil, ProtocolTimes.messageRepeat)
    return .some
  }

  private mutating func acknowledge(upTo last: UInt64) {
    while head < items.count, items.span[head].number <= last {
      let cost = ProtocolLimits.cost(ofMessage: items.span[head].bytes)
      acknowledged = items.span[head].number
      items[head].bytes = []
      head += 1
      openBytes -= cost
      if sent > 0 {
        sent -= 1
        sentBytes -= cost
      }
    }
    assert(openBytes >= 0 && (0...openBytes).contains(sentBytes), "more was acknowledged than was open")
    // Linear in the messages: as many are moved as were acknowledged since the last time.
    if head > 32, head * 2 > items.count {
      items.removeFirst(head)
      head = 0
    }
  }
}
