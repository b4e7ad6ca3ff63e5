import AnchorReplication
import Basics

/// The messages of one start of a member, as far as this node has handed them to its app.
struct Inflow: Sendable {
  /// The start of the sender's process.
  let sender: NodeID
  /// Which of its messages these are; critical ones have a window of their own, and streams are read at once.
  let track: MessageTrack
  /// The chain that is followed; 0 before the first message.
  private(set) var chain: UInt32 = 0
  /// The last number of the chain that was handed to the app, or 0.
  private(set) var last: UInt64 = 0
  /// Cost of the sender's messages that the app has not read, critical or not (bytes).
  var unread: Int
  /// Cost of all messages handed over, and of those of them that a report has covered (bytes).
  private var delivered = 0
  private var reported = 0
  /// Up to where the sender may send, by the last report, counted like `delivered` (bytes).
  private var statedEdge = 0
  /// When a report is due; nil while none is owed.
  private(set) var reportDue: Instant?

  init(_ sender: NodeID, _ track: MessageTrack, unread: Int) {
    self.sender = sender
    self.track = track
    self.unread = unread
  }

  /// Whether the app reads what comes here and there out of one window.
  func sharesUnread(with other: Self) -> Bool { sender == other.sender && track != .streams && other.track != .streams }

  /// The consequence of a message that came.
  enum Arrival {
    /// It is not the next one: its sender is owed a report.
    case unexpected
    /// It is handed to the app, and its sender is owed a report.
    case delivered
    /// It is handed to the app, and its sender gets a report at once.
    case deliveredUrgently
  }

  /// Takes up a message if it is the next one.
  ///
  /// - Parameters:
  ///   - cost: The cost of the message (bytes).
  ///   - limit: The window of a sender whose messages are all read (bytes).
  mutating func take(_ head: MessageHead, cost: Int, limit: Int, rules: ProtocolRules) -> Arrival {
    let isNext =
      head.chain == chain && head.previous == last || head.chain > chain && head.previous == 0
      || !rules.contains(.messageChain)
    // Only a sender that ignores its window comes so far.
    let hasRoom = unread + cost <= 2 * limit || !rules.contains(.messageWindow)
    guard isNext, hasRoom else {
      if !rules.contains(.honestReports), head.chain == chain { last = max(last, head.number) }
      return .unexpected
    }
    (chain, last) = (head.chain, head.number)
    delivered += cost
    if track != .streams { unread += cost }
    return isReportUrgent(limit: limit) ? .deliveredUrgently : .delivered
  }

  /// Owes the sender a report at this time at the latest; the time, if none was owed before.
  mutating func owe(at time: Instant) -> Instant? {
    let isOwed = reportDue != nil
    reportDue = min(reportDue ?? time, time)
    return isOwed ? nil : time
  }

  /// Whether a report is wanted at once: much was handed over since the last one, or the window has grown by much.
  ///
  /// Inlined, as is what it calls, since ``take(_:cost:limit:rules:)`` would call it on a copy for each message.
  @inline(__always)
  func isReportUrgent(limit: Int) -> Bool {
    delivered - reported >= min(ProtocolLimits.messagesToReport, window(limit) / 8)
      || edge(limit: limit) - statedEdge >= window(limit) / 4
  }

  /// The report that is sent now.
  mutating func report(_ kind: MessageReport.Kind, limit: Int) -> MessageReport {
    reportDue = nil
    reported = delivered
    statedEdge = edge(limit: limit)
    var report = MessageReport(kind, track)
    (report.chain, report.last) = (chain, last)
    report.window = UInt32(clamping: room(limit: limit))
    return report
  }

  /// The window of a sender whose messages are all read (bytes).
  @inline(__always)
  private func window(_ limit: Int) -> Int { track == .critical ? limit / 4 : limit }

  /// Bytes that the sender may have on their way: critical messages have room beyond that of the others, which may fill theirs.
  @inline(__always)
  private func room(limit: Int) -> Int {
    track == .critical ? min(limit / 4, max(0, limit + limit / 4 - unread)) : max(0, limit - unread)
  }

  @inline(__always)
  private func edge(limit: Int) -> Int { delivered + room(limit: limit) }
}
