import PeerCLI
import SharedWorld

extension Report {
  /// A command was carried out.
  static func answer(command: String, _ answer: Answer) -> Report {
    Report(
      "answer", ["command": .string(command)] + answer.members, answer.lines,
      display: answer.isConfirmation ? .confirmation : .lines)
  }

  /// The answer to a command.
  struct Answer {
    let members: JSON.Members
    let lines: [Line]
    var isConfirmation = false

    private init(_ members: JSON.Members, _ lines: [Line]) {
      self.members = members
      self.lines = lines
    }
  }

  /// A direct connection of this peer.
  struct Link {
    let peer: Person
    /// Milliseconds there and back; nil until it was measured.
    let roundTrip: Double?
    let bytesSent: Int
    let bytesReceived: Int
    let queuedBytes: Int

    var members: JSON.Members {
      peer.members + [
        "roundTrip": roundTrip.map { .number($0) } ?? .null, "bytesSent": .integer(bytesSent),
        "bytesReceived": .integer(bytesReceived), "queuedBytes": .integer(queuedBytes),
      ]
    }

    var line: Line {
      let time = roundTrip.map { "\(Int($0.rounded())) ms" } ?? "–"
      let sizes = "sent \(Text.bytes(bytesSent)), received \(Text.bytes(bytesReceived))"
      return "  \(peer.name, .name)  \(time), \(sizes), waiting \(Text.bytes(queuedBytes))"
    }
  }

  /// A session in figures; peers are counted without oneself.
  struct Status {
    var host: Person?
    var epoch: UInt64
    var peers: Int
    /// Whether newcomers are turned away.
    var isLocked: Bool
    /// The peers that can be reached and this one, in order of id.
    var roster: [Person]
    /// How far each of the roster has come with the map.
    var maps: [MapStage]
    var mapID: String?
    var points: Int
    var anchors: Int
    var digest: String

    var members: JSON.Members {
      [
        "host": .optional(host?.id), "epoch": .integer(Int(epoch)), "peers": .integer(peers),
        "locked": .bool(isLocked), "mapID": .optional(mapID), "points": .integer(points),
        "anchors": .integer(anchors), "digest": .string(digest),
        "roster": .array(roster.map { .object($0.members) }), "maps": .array(maps.map { .object($0.members) }),
      ]
    }

    var lines: [Line] {
      [
        "  host     \(host?.name ?? "none", .name), epoch \(epoch)",
        "  peers    \(roster.map(\.name).joined(separator: ", "))\(isLocked ? ", locked" : "")",
        "  map      \(mapID ?? "none"), \(points) points",
        "  in sync  \(maps.map(\.text).joined(separator: ", "))",
        "  anchors  \(anchors)",
        "  digest   \(digest)",
      ]
    }
  }
}

extension Report.Answer {
  static var done: Self {
    var answer = Self([:], ["\("ok", .faint)"])
    answer.isConfirmation = true
    return answer
  }

  /// All commands, or one of them.
  static func help(_ word: String?) throws(UsageError) -> Self {
    guard let word else { return Self([:], HelpPage.table(Command.verbs.map { ($0.usage, $0.help) }).map { "\($0)" }) }
    let verb = try Command.verb(word)
    return Self(
      ["usage": .string(verb.usage), "help": .string(verb.help)], ["\(verb.usage, .name)", "  \(verb.help)"])
  }

  /// A world from above; nil is an empty one.
  static func plan(_ plan: FloorPlan?) -> Self {
    guard let plan else { return Self(["rows": .array([])], ["there is nothing to draw yet"]) }
    let marks = plan.marks.map { mark -> JSON in
      ["label": .string(String(mark.label)), "name": .string(mark.name), "position": .point(mark.position)]
    }
    return Self(
      [
        "rows": .array(plan.rows.map { .string($0) }), "marks": .array(marks), "metersPerDot": .single(plan.scale),
        "corner": .array([.single(plan.corner.x), .single(plan.corner.y)]),
      ], plan.lines)
  }

  static func peers(_ peers: [(person: Report.Person, state: String, recognition: Recognition)]) -> Self {
    Self(
      [
        "peers": .array(
          peers.map { peer in
            .object(
              peer.person.members + [
                "state": .string(peer.state), "recognition": .string(peer.recognition.rawValue),
              ])
          })
      ],
      peers.isEmpty
        ? ["nobody else is here"]
        : peers.map { peer in
          // The line has the key already.
          let mark = Report.mark(peer.recognition, id: nil)
          return "  \(peer.person.name, .name)  \(peer.state)  \(shortened(peer.person.id), .faint)\(mark)"
        })
  }

  static func host(_ host: Report.Person?, epoch: UInt64) -> Self {
    Self(
      ["host": .optional(host?.id), "name": .optional(host?.name), "epoch": .integer(Int(epoch))],
      [host.map { "\($0.name, .name) hosts, epoch \(epoch)" } ?? "there is no host, epoch \(epoch)"])
  }

  static func invited(_ name: String) -> Self { Self(["invited": .string(name)], ["inviting \(name, .name)"]) }

  /// A message is accepted for sending.
  static func sent(_ number: UInt64) -> Self {
    Self(["number": .integer(Int(clamping: number))], ["message \(number) is sent"])
  }

  /// The groups of each member.
  static func memberships(_ list: [(person: Report.Person, groups: [String])]) -> Self {
    Self(
      [
        "memberships": .array(
          list.map { .object($0.person.members + ["groups": .array($0.groups.map { .string($0) })]) })
      ],
      list.isEmpty
        ? ["nobody is in a group"]
        : list.map { "  \($0.person.name, .name)  \($0.groups.joined(separator: ", "))" })
  }

  /// A map was shared (`mapID`), or loaded or saved (`file`).
  ///
  /// - Parameter receivers: The names of those to whom it goes.
  static func map(_ map: WorldMap, id: String?, file: String?, to receivers: [String]? = nil) -> Self {
    let (points, anchors) = (map.cloud.count, map.anchors.count)
    // Once: it looks at every point.
    let evidence = MappingEvidence(map.cloud, views: map.views)
    let names = receivers.map { $0.isEmpty ? ", to those who join" : ", to \($0.joined(separator: ", "))" } ?? ""
    return Self(
      [
        "mapID": .optional(id), "points": .integer(points), "anchors": .integer(anchors), "file": .optional(file),
        "mappingStatus": .string("\(evidence.status)"), "buildingProgress": .single(evidence.progress),
        "provider": .optional(map.provider.map { "\($0)" }),
      ], ["\(points) points (\(evidence.status)) and \(anchors) anchors\(file.map { ", \($0)" } ?? "")\(names)"])
  }

  static func file(_ id: String) -> Self {
    Self(["resourceID": .string(id)], ["offered as \(shortened(id), .faint)"])
  }

  static func attachments(_ list: [(person: Report.Person, file: Report.File, state: String)]) -> Self {
    Self(
      [
        "attachments": .array(
          list.map { .object($0.person.members + $0.file.members + ["state": .string($0.state)]) })
      ],
      list.isEmpty
        ? ["nothing is attached"]
        : list.map { "  \($0.file.name)  \(Text.bytes($0.file.size))  of \($0.person.name, .name)  \($0.state)" })
  }

  static func cancelled(mapID: String) -> Self {
    Self(["mapID": .string(mapID)], ["the map is not fetched any more  \(shortened(mapID), .faint)"])
  }

  static func relocalized(_ isSo: Bool, mapID: String) -> Self {
    Self(
      ["relocalized": .bool(isSo), "mapID": .string(mapID)],
      ["the others now see that this peer \(isSo ? "has found" : "has lost") its place in the map"])
  }

  static func alignment(_ list: [Report.Alignment]) -> Self {
    Self(["peers": .array(list.map { .object($0.members) })], list.map(\.line))
  }

  /// Two frames were lined up: `way` is `touches`, `map` or `meeting`.
  static func aligned(by way: String, _ alignment: Report.Alignment) -> Self {
    Self(
      ["by": .string(way), "peers": .array([.object(alignment.members)])],
      [alignment.line, "lined up by \(way)"])
  }

  static func placed(id: String, position: SIMD3<Float>) -> Self {
    Self(
      ["id": .string(id), "position": .point(position)],
      ["placed at \(position: position)  \(shortened(id), .faint)"])
  }

  /// Several anchors were placed; `clock` is the machine's clock just before each.
  static func burst(_ placed: [(id: String, clock: Double)]) -> Self {
    Self(
      ["placed": .array(placed.map { ["id": .string($0.id), "clock": .seconds($0.clock)] })],
      ["placed \(placed.count) anchors"])
  }

  static func anchors(_ pins: [Report.Pin]) -> Self {
    Self(
      ["anchors": .array(pins.map { .object($0.members) })],
      pins.isEmpty ? ["there are no anchors"] : pins.map { "  \($0.line)" })
  }

  static func digest(_ digest: String) -> Self { Self(["digest": .string(digest)], ["\(digest)"]) }

  static func nearby(_ candidates: [Report.Candidate]) -> Self {
    Self(
      ["candidates": .array(candidates.map { .object($0.members) })],
      candidates.isEmpty
        ? ["nobody is in sight"]
        : candidates.map {
          "  \($0.name, .name)  \($0.peerID.map { shortened($0) } ?? $0.id, .faint)  \($0.ways.joined(separator: ", "), .faint)\($0.remark)"
        })
  }

  static func link(_ link: InvitationLink) -> Self {
    Self(["link": .string(link.description)], ["\(link.description)"])
  }

  /// The link as a QR code, and below it as text.
  static func picture(of link: InvitationLink) throws(ProgramFailure) -> Self {
    guard let code = QRCode(link.description) else {
      throw ProgramFailure("limit-exceeded", "the link is too long for a QR code; `link` prints it")
    }
    return Self(
      ["link": .string(link.description), "rows": code.json], code.lines.map { "\($0)" } + ["\(link.description)"])
  }

  static func links(_ links: [Report.Link], connections: [(Report.Person, Report.Person)]) -> Self {
    Self(
      [
        "links": .array(links.map { .object($0.members) }),
        "connections": .array(connections.map { .array([.string($0.id), .string($1.id)]) }),
      ],
      links.isEmpty && connections.isEmpty
        ? ["there are no connections"]
        : links.map(\.line) + connections.map { "  \($0.name, .name) – \($1.name, .name)" })
  }

  static func status(_ status: Report.Status) -> Self { Self(status.members, status.lines) }
}
