import PeerCLI
import SharedWorld

/// One line that a user or a script gives to `worldpeer`.
enum Command: Equatable, Sendable {
  case peers
  case nearby
  case link
  case qr
  case host
  case invite(String)
  case accept(String)
  case decline(String)
  case confirm(String)
  case reject(String)
  case kick(String)
  case role(String, PeerRole, seconds: Double?)
  case lockSession
  case unlockSession
  case unlockPasscode
  case links
  case send(String, to: Audience = .all, mode: MessageMode = .reliable)
  case group(GroupAct)
  case sendMap(to: String?, isForced: Bool)
  case cancelMap
  case file(FileAct)
  case relocalized(Bool)
  /// Find a scan in the map: always, or only where the frame does not fit it any more.
  case relocalize(String, onlyIfMoved: Bool = false)
  case alignment
  case touch(name: String, at: SIMD3<Float>)
  case align(String)
  case meet(String, isTouching: Bool)
  case load(String)
  case save(String)
  case tap(x: Float, y: Float, name: String?)
  case camera(eye: SIMD3<Float>, target: SIMD3<Float>)
  case place(name: String, at: SIMD3<Float>, Witness)
  case burst(count: Int, rate: Double, name: String)
  case move(anchor: String, to: SIMD3<Float>, Witness)
  case drag(anchor: String, to: SIMD3<Float>, seconds: Double)
  /// Nil ends it. The heading is in degrees about y.
  case pose(SIMD3<Float>?, heading: Float)
  case undo
  case redo
  case lock(anchor: String, seconds: Double?)
  case unlock(anchor: String)
  case give(anchor: String, to: String)
  case rename(anchor: String, to: String)
  /// Width and depth in metres.
  case plane(anchor: String, extent: SIMD2<Float>)
  case remove(anchor: String, Witness)
  case anchors
  case digest
  case status
  case wait(Condition, seconds: Double)
  case sleep(seconds: Double)
  case leave
  case quit
  case help(String?)
  case show(columns: Int?)

  /// The peers that must hold an edit before its command is answered.
  enum Witness: String, Equatable, Sendable, CaseIterable {
    /// Nobody else.
    case local
    /// The host.
    case host
    /// Every peer in the session.
    case all
  }

  /// The condition of `wait`.
  enum Condition: Equatable, Sendable {
    /// This many peers besides oneself are connected.
    case peers(Count)
    /// Someone hosts.
    case host
    /// There is a whole map.
    case map
    case anchors(Count)
    /// There is an anchor of this name.
    case anchor(named: String)
    /// The digest of the anchors begins with these hexadecimal digits.
    case digest(String)

    /// The words that begin a condition.
    static let words = ["peers", "host", "map", "anchors", "anchor", "digest"]
  }

  /// A number to compare with: `3` is at least three, `=3` exactly, `<=3` at most.
  enum Count: Equatable, Sendable {
    case atLeast(Int)
    case exactly(Int)
    case atMost(Int)

    func holds(for number: Int) -> Bool {
      switch self {
      case .atLeast(let least): number >= least
      case .exactly(let exact): number == exact
      case .atMost(let most): number <= most
      }
    }
  }

  /// The receivers of a message.
  enum Audience: Equatable, Sendable {
    case all
    case peer(String)
    case group(String)
  }

  /// A use of groups.
  enum GroupAct: Equatable, Sendable {
    case list
    case join(String)
    case leave(String)
  }

  /// How long `wait` waits when the line does not say (seconds).
  static let patience = 30.0

  /// Reads one line; nil for an empty one or a comment.
  init?(line: String) throws(UsageError) {
    var words = Words(try Words.split(line))
    guard let first = words.popFirst() else { return nil }
    let verb = try Self.verb(first)
    do {
      self = try verb.parse(&words)
      try words.finish()
    } catch {
      throw UsageError("\(error) (usage: \(verb.usage))")
    }
  }
}

extension Command {
  /// The command of a name.
  static func verb(_ name: String) throws(UsageError) -> Verb {
    if let verb = verbs.first(where: { $0.name == name }) { return verb }
    let hint = suggestion(for: name, among: verbs.map(\.name))
    throw UsageError("unknown command '\(name)'\(hint.isEmpty ? "; type 'help' for a list" : hint)")
  }

  /// A command's form, its help and how its words are read.
  struct Verb: Sendable {
    let usage: String
    let help: String
    let parse: @Sendable (inout Words) throws(UsageError) -> Command

    var name: String { String(usage.prefix { $0 != " " }) }
  }

  /// Every command, in the order of the help.
  static let verbs: [Verb] = peerVerbs + mapVerbs + fileVerbs + anchorVerbs + flowVerbs

  private static let peerVerbs = [
    Verb(usage: "peers", help: "list the other peers of the session") { _ in .peers },
    Verb(usage: "nearby", help: "list the services in sight that can be invited") { _ in .nearby },
    Verb(usage: "link", help: "print a link with which others invite this peer, without discovery") { _ in .link },
    Verb(usage: "qr", help: "show that link as a QR code") { _ in .qr },
    Verb(usage: "host", help: "show the host and its epoch") { _ in .host },
    Verb(usage: "invite PEER", help: "ask a peer to join: one in sight, HOST:PORT, or a link") {
      words throws(UsageError) in
      .invite(try words.next("PEER"))
    },
    Verb(usage: "dial LINK", help: "the same, for an invitation link or HOST:PORT") { words throws(UsageError) in
      .invite(try words.next("LINK"))
    },
    Verb(usage: "accept PEER", help: "accept a peer's invitation") { words throws(UsageError) in
      .accept(try words.next("PEER"))
    },
    Verb(usage: "decline PEER", help: "decline a peer's invitation") { words throws(UsageError) in
      .decline(try words.next("PEER"))
    },
    Verb(usage: "confirm PEER", help: "say that a peer's screen shows the same code") { words throws(UsageError) in
      .confirm(try words.next("PEER"))
    },
    Verb(usage: "reject PEER", help: "say that it shows another code, and end the connection") {
      words throws(UsageError) in .reject(try words.next("PEER"))
    },
    Verb(usage: "kick PEER", help: "as host or by your role, remove a peer for the life of the session") {
      words throws(UsageError) in
      .kick(try words.next("PEER"))
    },
    Verb(
      usage: "role PEER ROLE [SECONDS]",
      help: "in a creator's session, make a peer moderator, member, publisher or guest, for a while"
    ) {
      words throws(UsageError) in
      let peer = try words.next("PEER")
      let word = try words.next("ROLE")
      guard let role = PeerRole(rawValue: word), role != .creator else {
        throw UsageError("a role is moderator, member, publisher or guest, not '\(word)'")
      }
      return .role(peer, role, seconds: words.isEmpty ? nil : try words.seconds())
    },
    Verb(usage: "lock-session", help: "as host or by your role, refuse newcomers") { _ in .lockSession },
    Verb(usage: "unlock-session", help: "as host or by your role, admit newcomers again") { _ in .unlockSession },
    Verb(usage: "unlock-passcode", help: "let strangers try the passcode again after 20 wrong ones") { _ in
      .unlockPasscode
    },
    Verb(usage: "links", help: "list the connections of the session, and the traffic of the own ones") { _ in .links },
    Verb(
      usage: "send [--critical|--unreliable] [--group NAME] [PEER] TEXT",
      help: "send a message to all (several words in quotes), to a group or to one peer"
    ) { words throws(UsageError) in try words.sending() },
    Verb(usage: "group [join NAME|leave NAME]", help: "list who is in which group; join or leave one") {
      words throws(UsageError) in .group(try words.groupAct())
    },
  ]

  private static let fileVerbs = [
    Verb(usage: "send-file FILE [PEER]", help: "offer a file to one peer, or to all that are connected") {
      words throws(UsageError) in .file(.send(try words.next("FILE"), to: words.popFirst()))
    },
    Verb(usage: "accept-file ID FILE", help: "accept an offered file, and put it there once it is here") {
      words throws(UsageError) in .file(.accept(try words.next("ID"), to: try words.next("FILE")))
    },
    Verb(usage: "decline-file ID", help: "decline an offered file") { words throws(UsageError) in
      .file(.decline(try words.next("ID")))
    },
    Verb(usage: "cancel-file ID", help: "take back an offered file, or give one up that is arriving") {
      words throws(UsageError) in .file(.cancel(try words.next("ID")))
    },
    Verb(usage: "attach FILE", help: "attach a file to the session, for all who come later too") {
      words throws(UsageError) in .file(.attach(try words.next("FILE")))
    },
    Verb(usage: "attachments", help: "list what is attached") { _ in .file(.attachments) },
    Verb(usage: "send-stream NAME FILE PEER", help: "open a stream to a peer, and send it a file or what a pipe gives")
    {
      words throws(UsageError) in
      .file(.sendStream(try words.next("NAME"), from: try words.next("FILE"), to: try words.next("PEER")))
    },
    Verb(usage: "accept-stream NAME FILE", help: "accept the next stream of this name, and write it to a file or pipe")
    {
      words throws(UsageError) in .file(.acceptStream(try words.next("NAME"), into: try words.next("FILE")))
    },
    Verb(usage: "detach NAME", help: "remove an attachment of your own, or as host one of others") {
      words throws(UsageError) in .file(.detach(try words.next("NAME")))
    },
  ]

  private static let mapVerbs = [
    Verb(
      usage: "send-map [PEER] [--force]", help: "share the map with one peer, or with all; --force: a poor one too"
    ) { words in
      let isForcedToAll = words.popFirst(among: ["--force"]) != nil
      let peer = isForcedToAll ? nil : words.popFirst()
      return .sendMap(to: peer, isForced: isForcedToAll || words.popFirst(among: ["--force"]) != nil)
    },
    Verb(usage: "cancel-map", help: "stop fetching the map that is arriving here, for good") { _ in .cancelMap },
    Verb(usage: "relocalized [no]", help: "announce that this peer has found its place in the map, or lost it") {
      words throws(UsageError) in .relocalized(try words.isYes())
    },
    Verb(usage: "relocalize FILE", help: "find a scan of this place in the session's map, and line up the own frame") {
      words throws(UsageError) in .relocalize(try words.next("FILE"))
    },
    Verb(
      usage: "keep-aligned FILE", help: "the same, where the frame is not lined up, or no longer as the scan shows it"
    ) {
      words throws(UsageError) in .relocalize(try words.next("FILE"), onlyIfMoved: true)
    },
    Verb(usage: "touch NAME X Y Z", help: "touch a point (metres); two that two peers touch line up their frames") {
      words throws(UsageError) in .touch(name: try words.next("NAME"), at: try words.point(""))
    },
    Verb(usage: "align PEER", help: "line up with a peer by touched points, the loaded scan, or meetings") {
      words throws(UsageError) in .align(try words.next("PEER"))
    },
    Verb(usage: "meet PEER [touching]", help: "the devices are held together now; 'touching': they look elsewhere") {
      words throws(UsageError) in .meet(try words.next("PEER"), isTouching: try words.isTouching())
    },
    Verb(usage: "show [COLUMNS]", help: "draw the map from above: points, anchors by letters, devices") {
      words throws(UsageError) in .show(columns: try words.columns())
    },
    Verb(usage: "alignment", help: "list how the frames of the others lie in this peer's") { _ in .alignment },
    Verb(usage: "load FILE", help: "bring a map of any format that worldmap reads into view") {
      words throws(UsageError) in
      .load(try words.next("FILE"))
    },
    Verb(usage: "save FILE", help: "write the map with the present anchors to a .worldmap file") {
      words throws(UsageError) in .save(try words.next("FILE"))
    },
  ]

  private static let anchorVerbs = [
    Verb(
      usage: "tap X Y [NAME]", help: "place an anchor where the screen is touched; 0 0 is top left, 1 1 bottom right"
    ) { words throws(UsageError) in
      .tap(x: try words.fraction("X"), y: try words.fraction("Y"), name: words.popFirst())
    },
    Verb(usage: "camera EX EY EZ TX TY TZ", help: "look from an eye to a target; at first the whole map is in view") {
      words throws(UsageError) in .camera(eye: try words.point("E"), target: try words.point("T"))
    },
    Verb(
      usage: "place NAME X Y Z [local|host|all]",
      help: "place an anchor (metres), and wait until the host or all have it"
    ) { words throws(UsageError) in
      .place(name: try words.next("NAME"), at: try words.point(""), try words.witness())
    },
    Verb(usage: "burst N RATE [NAME]", help: "place N anchors, RATE a second: a load for measurements") {
      words throws(UsageError) in
      .burst(count: try words.burstCount(), rate: try words.rate(), name: words.popFirst() ?? "burst")
    },
    Verb(usage: "move ANCHOR X Y Z [local|host|all]", help: "move an anchor (metres)") { words throws(UsageError) in
      .move(anchor: try words.next("ANCHOR"), to: try words.point(""), try words.witness())
    },
    Verb(usage: "drag ANCHOR X Y Z [SECONDS]", help: "move an anchor there by hand, in a second, for all to see") {
      words throws(UsageError) in
      .drag(
        anchor: try words.next("ANCHOR"), to: try words.point(""), seconds: words.isEmpty ? 1 : try words.seconds())
    },
    Verb(usage: "pose X Y Z [HEADING]|none", help: "announce where this device is (metres, degrees about y)") {
      words throws(UsageError) in
      if words.popFirst(among: ["none"]) != nil { return .pose(nil, heading: 0) }
      return .pose(try words.point(""), heading: words.isEmpty ? 0 : try words.number("HEADING"))
    },
    Verb(usage: "rename ANCHOR NAME", help: "give an anchor another name") { words throws(UsageError) in
      .rename(anchor: try words.next("ANCHOR"), to: try words.next("NAME"))
    },
    Verb(usage: "plane ANCHOR WIDTH DEPTH", help: "make an anchor a plane of this size (metres), or change its size") {
      words throws(UsageError) in
      .plane(anchor: try words.next("ANCHOR"), extent: [try words.number("WIDTH"), try words.number("DEPTH")])
    },
    Verb(usage: "remove ANCHOR [local|host|all]", help: "remove an anchor for good") { words throws(UsageError) in
      .remove(anchor: try words.next("ANCHOR"), try words.witness())
    },
    Verb(usage: "undo", help: "revert the last tap, place, move, drag or remove of this peer") { _ in .undo },
    Verb(usage: "redo", help: "repeat what undo reverted") { _ in .redo },
    Verb(
      usage: "lock ANCHOR [SECONDS]", help: "own an anchor, for so long or until unlock; it binds only peers that ask"
    ) {
      words throws(UsageError) in
      .lock(anchor: try words.next("ANCHOR"), seconds: words.isEmpty ? nil : try words.seconds())
    },
    Verb(usage: "unlock ANCHOR", help: "give up an anchor") { words throws(UsageError) in
      .unlock(anchor: try words.next("ANCHOR"))
    },
    Verb(usage: "give ANCHOR PEER", help: "give an own anchor to another peer") { words throws(UsageError) in
      .give(anchor: try words.next("ANCHOR"), to: try words.next("PEER"))
    },
    Verb(usage: "anchors", help: "list the anchors in order of id") { _ in .anchors },
  ]

  private static let flowVerbs = [
    Verb(usage: "digest", help: "show the digest of the anchors: equal on peers that agree") { _ in .digest },
    Verb(usage: "status", help: "show host, epoch, map, digest and the counts of peers, points and anchors") { _ in
      .status
    },
    Verb(
      usage: "wait peers N|host|map|anchors N|anchor NAME|digest HEX [SECONDS]",
      help: "wait until this holds (30 s); N means at least N, =N exactly, <=N at most"
    ) { words throws(UsageError) in
      .wait(try words.condition(), seconds: words.isEmpty ? patience : try words.seconds())
    },
    Verb(usage: "sleep SECONDS", help: "do nothing for that long") { words throws(UsageError) in
      .sleep(seconds: try words.seconds())
    },
    Verb(usage: "leave", help: "leave the session") { _ in .leave },
    Verb(usage: "quit", help: "leave and end the program") { _ in .quit },
    Verb(usage: "help [COMMAND]", help: "list the commands; show one with its form") { words in .help(words.popFirst())
    },
  ]
}

extension Words {
  /// The peers that must hold an edit; only this one when the line does not say.
  fileprivate mutating func witness() throws(UsageError) -> Command.Witness {
    guard let word = popFirst() else { return .local }
    guard let witness = Command.Witness(rawValue: word) else {
      throw UsageError("'\(word)' is not one of local, host, all")
    }
    return witness
  }

  /// Whether nothing says no.
  fileprivate mutating func isYes() throws(UsageError) -> Bool {
    guard let word = popFirst() else { return true }
    guard word == "no" else { throw UsageError("unexpected argument '\(word)'") }
    return false
  }

  fileprivate mutating func isTouching() throws(UsageError) -> Bool {
    guard let word = popFirst() else { return false }
    guard word == "touching" else { throw UsageError("unexpected argument '\(word)'") }
    return true
  }

  fileprivate mutating func condition() throws(UsageError) -> Command.Condition {
    switch try next(Command.Condition.words.joined(separator: ", ")) {
    case "peers": .peers(try count())
    case "host": .host
    case "map": .map
    case "anchors": .anchors(try count())
    case "anchor": .anchor(named: try next("NAME"))
    case "digest": .digest(try hexadecimal())
    case let other:
      throw UsageError("cannot wait for '\(other)'\(suggestion(for: other, among: Command.Condition.words))")
    }
  }

  private mutating func count() throws(UsageError) -> Command.Count {
    let word = try next("N")
    let sign = word.prefix { !$0.isNumber }
    guard let number = Int(word.dropFirst(sign.count)), number >= 0 else {
      throw UsageError("'\(word)' is not a count")
    }
    switch sign {
    case "": return .atLeast(number)
    case "=": return .exactly(number)
    case "<=": return .atMost(number)
    default: throw UsageError("'\(word)' is not a count")
    }
  }

  private mutating func hexadecimal() throws(UsageError) -> String {
    let word = try next("HEX").lowercased()
    guard !word.isEmpty, word.count <= 64, word.allSatisfy(\.isHexDigit) else {
      throw UsageError("'\(word)' is not a digest")
    }
    return word
  }
}

extension Words {
  /// The options, the receiver and the text of a message.
  fileprivate mutating func sending() throws(UsageError) -> Command {
    var mode = MessageMode.reliable
    var audience = Command.Audience.all
    while let option = popFirst(among: ["--critical", "--unreliable", "--group"]) {
      switch option {
      case "--critical": mode = .critical
      case "--unreliable": mode = .unreliable(key: "")
      default: audience = .group(try next("NAME"))
      }
    }
    let first = try next("TEXT")
    // A receiver may stand before the text, unless a group is the receiver. People type several words without quotes.
    guard let text = popAll() else { return .send(first, to: audience, mode: mode) }
    return audience == .all
      ? .send(text, to: .peer(first), mode: mode) : .send("\(first) \(text)", to: audience, mode: mode)
  }

  fileprivate mutating func groupAct() throws(UsageError) -> Command.GroupAct {
    switch popFirst() {
    case nil: return .list
    case "join": return .join(try next("NAME"))
    case "leave": return .leave(try next("NAME"))
    case let other?:
      throw UsageError("cannot '\(other)' a group\(suggestion(for: other, among: ["join", "leave"]))")
    }
  }
}
