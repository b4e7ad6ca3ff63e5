import AnchorReplication
import Foundation
@testable import PeerProtocol
import Testing
import WorldModel

/// The numbers in the pages of the protocol are those of the program: another implementation has nothing else.
@Suite("The pages of the protocol")
struct PageTests {
  /// A page, and a phrase in it whose numbers come from the program.
  struct Claim: CustomTestStringConvertible, Sendable {
    let page: String
    let phrase: String

    init(_ page: String, _ phrase: String) {
      self.page = page
      self.phrase = phrase
    }

    var testDescription: String { "\(page): \(phrase)" }
  }

  private static func kept(_ topic: WordTopic) -> String {
    " | \(topic.rule.mostOfAuthor) | \(text(topic.rule.mostOfStrangers)) |"
  }

  static let limits: [Claim] = [
    Claim("PROTOCOL", "\(text(ProtocolLimits.strangerFrame)) bytes before the link is a member's"),
    Claim("PROTOCOL", "\(text(ProtocolLimits.memberFrame)) on a member's link"),
    Claim("PROTOCOL", "\(text(ProtocolLimits.bulkFrame)) on a bulk connection"),
    Claim("messages", "MUST NOT send more than \(text(ProtocolLimits.message)) bytes"),
    Claim("messages", "its bytes and \(ProtocolLimits.messageCost) more"),
    Claim("messages", "until they are reported, \(text(ProtocolLimits.messageWindow)) bytes"),
    Claim("messages", "first report of a chain it is \(text(ProtocolLimits.messageWindow / 4)) bytes"),
    Claim("messages", "that are not read cost \(text(2 * ProtocolLimits.messageWindow)) bytes"),
    Claim("messages", "when \(ProtocolLimits.messagesToReport >> 10) KiB were handed over"),
    Claim("messages", "has at most \(text(ProtocolLimits.relayedFlight)) bytes of cost on this way"),
    Claim("messages", "passes on at most \(text(ProtocolLimits.messageWindow / 4)) bytes"),
    Claim("messages", "count u8, at most \(ProtocolLimits.groups) · the names, text(\(ProtocolLimits.groupName))"),
    Claim("messages", "key text(\(ProtocolLimits.unreliableKey))"),
    Claim("messages", "message, at most \(text(ProtocolLimits.unreliableMessage))."),
    Claim("messages", "the last number of \(ProtocolLimits.unreliableKeys) keys"),
    Claim("messages", "at most \(ProtocolLimits.unreliableKeys), and \(text(ProtocolLimits.messageWindow / 4))"),
    Claim("PROTOCOL", "more than \(ProtocolLimits.controlQueue >> 20) MiB of control frames"),
    Claim("PROTOCOL", "u8 count of at most \(ProtocolLimits.addresses)"),
    Claim(
      "connection",
      "links in the states greeting and stranger, dialled ones included, when one is accepted |"
        + " \(ProtocolLimits.strangerLinks) |"),
    Claim("connection", "frames of a stranger on one link, after *hello* | \(ProtocolLimits.strangerFrames) |"),
    Claim("connection", "*invite* of a stranger on one link | \(ProtocolLimits.strangerInvitations) |"),
    Claim("connection", "a stranger has not read | \(ProtocolLimits.strangerControlQueue >> 10) KiB |"),
    Claim("connection", "invitations of others pending | \(ProtocolLimits.pendingInvitations), one a peer"),
    Claim("connection", "name | text(\(ProtocolLimits.peerName))"),
    Claim("membership", "or \(ProtocolLimits.pendingInvitationsOfSource) of the same IPv4 address"),
    Claim("membership", "context blob(\(ProtocolLimits.invitationContext))"),
    Claim("membership", "reason text(\(ProtocolLimits.reason))"),
    Claim("membership", "A receiver with \(text(ProtocolLimits.roster)) records"),
    Claim("membership", "A receiver with \(ProtocolLimits.members) *present*"),
    Claim("membership", "at most \(ProtocolLimits.departuresOfTeller) records of one sender"),
    Claim("membership", "at most \(ProtocolLimits.unprovenDials) at a time"),
    Claim("membership", "while \(ProtocolLimits.authenticatingDials) of them were begun"),
    Claim("membership", "at most \(ProtocolLimits.dialsToHost) a second of one machine"),
    Claim("passcode", "When \(ProtocolLimits.wrongPasscodes) passcodes were wrong"),
    Claim("code", "while \(ProtocolLimits.codesOfStrangers) comparisons that others have begun"),
    Claim("code", "when \(ProtocolLimits.codesOfStrangersASecond) other has begun within the same second"),
    Claim("drivers", "data blob(\(ProtocolLimits.handshakeData))"),
    Claim("drivers", "reason text(\(ProtocolLimits.reason))"),
    Claim("drivers", "\(ProtocolLimits.handshakeSteps) data or \(text(ProtocolLimits.handshakeBytes)) bytes of data"),
    Claim(
      "connection", "| \(ProtocolLimits.handshakeSteps), and \(text(ProtocolLimits.handshakeBytes)) bytes in all |"),
    Claim("node-record", "at most \(text(ProtocolLimits.roster)) entries, \(ProtocolLimits.members) of them *present*"),
    Claim("node-record", "at most \(ProtocolLimits.record >> 10) KiB"),
    Claim("authority", "genesis · statements, at most \(Charter.statementLimit)"),
    Claim("authority", "count u8, at most \(StatementsFrame.limit) · statements"),
    Claim("authority", "u8 count of at most \(Statement.undoneLimit), 32 bytes each"),
    Claim("authority", "u8 count of at most \(Statement.cutLimit), u64 run"),
    Claim(
      "authority",
      "At most \(text(StatementBook.subjectsOfCreator)) subjects of the creator, \(StatementBook.subjectsOfModerator) of a"
        + " moderator and \(StatementBook.raisesOfSigner) raises"),
    Claim("node-record", "varint count of at most \(text(GovernanceRecord.limit)) and statements"),
    Claim("chunks", "at most \(text(ProtocolLimits.chunks)) chunks of 1 to \(text(ProtocolLimits.chunk)) bytes"),
    Claim("maps", "at most \(ProtocolLimits.map >> 20) MiB"),
    Claim("chunks", "for each of at most \(ProtocolLimits.manifestNames) chunks"),
    Claim("chunks", "*piece* are 1 to \(text(ProtocolLimits.bulkPiece))"),
    Claim("chunks", "at most \(ProtocolLimits.outstandingChunks) from one holder"),
    Claim("chunks", "While more than \(ProtocolLimits.uncheckedChunks) chunks"),
    Claim("maps", "no more than \(ProtocolLimits.announcements) announcements of unknown maps"),
    Claim("maps", "would become more than \(ProtocolLimits.mapExpansion) in memory"),
    Claim("maps", "\(ProtocolLimits.smallMap >> 20) MiB being allowed"),
    Claim("chunks", "chunks of at most \(ProtocolLimits.uploads) contents"),
    Claim("chunks", "at least \(ProtocolLimits.bulkWorth >> 20) MiB is not verified"),
    Claim("synchronization", "at most \(ProtocolLimits.statePart >> 10) KiB, its head of"),
    Claim("synchronization", "\(text(ProtocolLimits.vector)) bytes for a vector"),
    Claim("synchronization", "\(text(ReplicationLimits.default.snapshotBytes)) bytes for a snapshot"),
    Claim("synchronization", "at most \(text(ReplicationLimits.default.actors)) actors"),
    Claim("anchors", "total | u32 | bytes of the operation, at most \(text(ReplicationLimits.operationBytes))"),
    Claim(
      "anchors",
      "at most \(text(ReplicationLimits.default.heldOperations)) operations or"
        + " \(ReplicationLimits.default.heldBytes >> 20) MiB"),
    Claim("anchors", "more than \(text(Int(ReplicationLimits.default.clockAheadMilliseconds))) ms ahead"),
    Claim("anchors", "above \(text(Limits.anchors)) anchors or \(ReplicationLimits.default.stateBytes >> 20) MiB"),
    Claim("frames", "The body is count u8, 1 to \(ProtocolLimits.framesOfAuthor) · its latest declarations"),
    Claim("registers", "1 groups | none | [Messages](messages.md)\(kept(.groups))"),
    Claim("registers", "2 map status | none | [Maps](maps.md)\(kept(.mapStatus))"),
    Claim("registers", "3 declarations | none | [Frames](frames.md)\(kept(.declarations))"),
    Claim("registers", "4 measurements | 40 bytes | [Frames](frames.md)\(kept(.measurements))"),
    Claim("registers", "5 attachments | none | [Resources](resources.md)\(kept(.attachments))"),
    Claim("registers", "6 removals | 48 bytes | [Resources](resources.md)\(kept(.removals))"),
    Claim("registers", "more than \(text(Int(SpreadWord.longestLeap))) above or below the known one"),
    Claim("live-poses", "At most \(ProtocolLimits.ephemeralSlots) slots"),
    Claim("live-poses", "at most \(text(ProtocolLimits.ephemeralRate)) updates a second"),
    Claim("live-poses", "at most \(ProtocolLimits.drags) anchors"),
    Claim("presence", "A frame whose hops are \(ProtocolLimits.hops) before that"),
    Claim("presence", "retains at most \(NodeSet.capacity) nodes"),
    Claim("ownership", "At most \(ProtocolLimits.ownershipRequests) requests wait at a host"),
  ]

  static let times: [Claim] = [
    Claim("passcode", "wait \(text(ProtocolTimes.passcodePause)), then 2, 4, 8"),
    Claim("passcode", "at most \(text(Int(ProtocolTimes.passcodePauseMost.components.seconds))) s"),
    Claim("drivers", "more than \(text(ProtocolTimes.handshakeMost))"),
    Claim("connection", "at most \(text(ProtocolTimes.handshakeMost)) after it began to carry"),
    Claim("code", "\(text(ProtocolTimes.codePause)), then 10, 20"),
    Claim("code", "at most \(text(Int(ProtocolTimes.codePauseMost.components.seconds))) s"),
    Claim("code", "\(text(ProtocolTimes.comparison)) after a side has shown the digits"),
    Claim("code", "An inviter adds \(text(ProtocolTimes.comparison)), once"),
    Claim("connection", "has sent nothing for \(text(ProtocolTimes.ping)) MUST send a ping"),
    Claim("connection", "has received nothing for \(text(ProtocolTimes.silence)) MUST end"),
    Claim("connection", "received no hello | \(text(ProtocolLimits.helloTime)) after TLS"),
    Claim("connection", "of a stranger | \(text(ProtocolLimits.strangerTime)) after its hello"),
    Claim("connection", "*admit* | \(text(ProtocolLimits.strangerTime + ProtocolLimits.helloTime)) after that"),
    Claim("membership", "gives up after at most \(text(ProtocolLimits.invitationWait))"),
    Claim("membership", "for \(text(ProtocolTimes.reconnectNotice)) | reconnecting"),
    Claim("membership", "for \(text(ProtocolTimes.lost)), or \(text(ProtocolTimes.refused)) if every address"),
    Claim("membership", "not accepted \(text(ProtocolTimes.dispute)) after it came"),
    Claim(
      "membership", "plus \(text(ProtocolTimes.dialBackoff)) that doubles up to \(text(ProtocolTimes.dialBackoffMost))"),
    Claim("membership", "never linked the pause doubles up to \(text(ProtocolTimes.dialBackoffOfUnknown))"),
    Claim("membership", "never linked once in \(text(ProtocolTimes.newsOfUnknown))"),
    Claim("membership", "has not sent *admit* within \(text(ProtocolTimes.acceptance))"),
    Claim("membership", "not sent it after \(text(ProtocolTimes.admission))"),
    Claim("authority", "if the statements do not admit it within \(text(ProtocolTimes.admission))"),
    Claim("membership", "closed for less than \(text(ProtocolTimes.admissionSettling))"),
    Claim("membership", "A link that ended within \(text(ProtocolTimes.lastingLink))"),
    Claim("synchronization", "to all members every \(text(ProtocolTimes.antiEntropy))"),
    Claim("anchors", "for \(text(ProtocolTimes.clockSettling)) after a member became reachable"),
    Claim("live-poses", "at most every \(text(ProtocolTimes.ephemeralPace))"),
    Claim("live-poses", "nothing arrived for \(text(ProtocolTimes.ephemeralExpiry)) has ended"),
    Claim("acknowledgements", "again every \(text(ProtocolTimes.acknowledgementRepeat))"),
    Claim("ownership", "again every \(text(ProtocolTimes.ownershipRepeat))"),
    Claim("ownership", "At the latest \(text(ProtocolTimes.orphanLook)) after it could"),
    Claim("messages", "at the latest \(text(ProtocolTimes.messageReport)) after a message"),
    Claim("messages", "waits for a report on a link for \(text(ProtocolTimes.messageQuestion))"),
    Claim("messages", "nothing was reported for \(text(ProtocolTimes.messageRepeat)), then"),
    Claim("messages", "up to \(text(ProtocolTimes.messageRepeatMost));"),
    Claim("chunks", "nothing of them for \(text(ProtocolTimes.chunkTimeout))"),
    Claim("chunks", "nothing moved on it for \(text(ProtocolTimes.bulkIdle))"),
    Claim("chunks", "not tried again within \(text(ProtocolTimes.bulkPause))"),
    Claim("maps", "at most every \(text(ProtocolTimes.mapStatus))"),
  ]

  static let election: [Claim] = {
    let timers = ElectionTimers()
    func row(_ name: String, _ time: Int64) -> Claim {
      Claim("election", "| \(name) | \(text(.nanoseconds(time))) |")
    }
    return [
      row("BEAT", timers.beat), row("LEASE", timers.lease), row("STEP", timers.step), row("CANVASS", timers.canvass),
      row("OFFER", timers.offer), row("FOLLOWER", timers.ackLife),
      Claim("election", "more than \(text(.nanoseconds(timers.stall))) after the node's next deadline"),
      Claim("election", "listening until now + \(text(.nanoseconds(timers.canvass + timers.step))) + random"),
    ]
  }()

  @Test("state the limits and times of the program", arguments: limits + times + election)
  func claims(_ claim: Claim) throws {
    #expect(try Self.page(claim.page).contains(claim.phrase))
  }

  private static func text(_ page: String) throws -> String {
    var root = URL(filePath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    let path = page == "PROTOCOL" ? "PROTOCOL.md" : "Documentation/Protocol/\(page).md"
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// A page as one line.
  private static func page(_ name: String) throws -> String {
    try text(name).split { $0.isWhitespace }.joined(separator: " ")
  }

  /// A number with commas between thousands.
  static func text(_ number: Int) -> String {
    let digits = Array(String(number))
    return digits.indices.reduce(into: "") { text, index in
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digits[index])
    }
  }

  /// A time as the pages write it: `4 s`, `0.5 s`, `8 ms`.
  private static func text(_ time: Duration) -> String {
    let milliseconds = Int(time / .milliseconds(1))
    guard milliseconds >= 500 || milliseconds == 250 else { return "\(milliseconds) ms" }
    let seconds = Double(milliseconds) / 1000
    return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(seconds) s"
  }
}
