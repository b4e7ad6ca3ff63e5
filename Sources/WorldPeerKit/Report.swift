/// Something `worldpeer` tells its user or the script that drives it: one line of text, or one JSON object.
package enum Report: Equatable, Sendable {
  case ready(Person, port: UInt16)
  case discovery(backend: String?, reason: String?)
  case peerFound(Candidate)
  case peerLost(Candidate)
  /// `isAsked` says that the user decides.
  case invitation(from: Person, context: String, isAsked: Bool)
  case peerJoined(Person)
  case peerReconnecting(Person)
  case peerLeft(Person, reason: String)
  case hostChanged(host: Person?, epoch: UInt64, reason: String)
  case lockChanged(isLocked: Bool)
  case mapProgress(from: Person, Transfer)
  /// Another peer has come further with the session's map.
  case mapStatus(MapStage, mapID: String?)
  case mapReceived(from: Person, mapID: String, points: Int, anchors: Int, bytes: Int)
  /// All is here that the others had.
  case synchronised(digest: String)
  case anchorAdded(Pin, origin: String)
  case anchorUpdated(Pin, origin: String)
  case anchorRemoved(Pin, origin: String)
  /// An anchor or a device is somewhere else, for the moment.
  case anchorDragged(Live)
  case participantMoved(Live)
  case dragEnded(anchor: String, by: Person)
  case participantGone(Person)
  /// A later edit of somebody else took the place of one of this peer.
  case fieldOverwritten(anchor: String, field: String, by: Person?)
  /// An anchor has another owner, or none.
  case ownershipChanged(anchor: String, owner: Person?)
  /// An anchor brings back a removed one.
  case anchorRestored(Pin, from: String)
  case answer(command: String, Answer)
  /// `command` is the verb of the command that failed, nil for what goes wrong by itself.
  case error(code: String, message: String, command: String?)

  /// A peer: its id in hexadecimal and its name.
  package struct Person: Equatable, Sendable {
    package let id: String
    package let name: String

    package init(id: String, name: String) {
      self.id = id
      self.name = name
    }
  }

  /// A peer that was found and whose identity nobody has checked.
  package struct Candidate: Equatable, Sendable {
    package let id: String
    package let name: String
    /// Who it turned out to be, once there was a connection.
    package let peerID: String?

    package init(id: String, name: String, peerID: String?) {
      self.id = id
      self.name = name
      self.peerID = peerID
    }
  }

  /// How far a map has come, in bytes.
  package struct Transfer: Equatable, Sendable {
    package var verified: Int
    package var total: Int
    /// Asked for, and arrived as stored; what came twice counts twice.
    package var requested: Int
    package var received: Int
    package var perSecond: Int

    package init(verified: Int, total: Int, requested: Int, received: Int, perSecond: Int) {
      self.verified = verified
      self.total = total
      self.requested = requested
      self.received = received
      self.perSecond = perSecond
    }
  }

  /// How far a peer has come with the session's map.
  package struct MapStage: Equatable, Sendable {
    package let peer: Person
    /// `none`, `transferring`, `received` or `relocalised`.
    package let stage: String
    /// What of the map it has verified, 0…100.
    package let percent: Int

    package init(peer: Person, stage: String, percent: Int) {
      self.peer = peer
      self.stage = stage
      self.percent = percent
    }
  }

  /// An anchor as a script sees it.
  package struct Pin: Equatable, Sendable {
    package let id: String
    package let name: String
    package let position: SIMD3<Float>
    /// Who placed it, in hexadecimal; nil when the map does not say.
    package let author: String?

    package init(id: String, name: String, position: SIMD3<Float>, author: String?) {
      self.id = id
      self.name = name
      self.position = position
      self.author = author
    }
  }

  /// A pose that counts until the next one.
  package struct Live: Equatable, Sendable {
    package let id: String
    package let peer: Person
    package let position: SIMD3<Float>
    /// Milliseconds.
    package let sessionTime: UInt64
    package let sequence: UInt64

    package init(id: String, peer: Person, position: SIMD3<Float>, sessionTime: UInt64, sequence: UInt64) {
      self.id = id
      self.peer = peer
      self.position = position
      self.sessionTime = sessionTime
      self.sequence = sequence
    }
  }

  /// What a command came to.
  package enum Answer: Equatable, Sendable {
    case done
    case peers([(Person, state: String)])
    case host(Person?, epoch: UInt64)
    case invited(String)
    case map(mapID: String?, points: Int, anchors: Int, file: String?)
    case cancelled(mapID: String)
    case relocalised(Bool, mapID: String)
    case placed(id: String, position: SIMD3<Float>)
    /// Several anchors, and what the machine's clock said just before each was placed.
    case burst([(id: String, clock: Double)])
    case anchors([Pin])
    case digest(String)
    case links([Link], connections: [(Person, Person)])
    case status(Status)
    case help

    package static func == (left: Self, right: Self) -> Bool { left.members == right.members }
  }

  /// A direct connection of this peer.
  package struct Link: Equatable, Sendable {
    package let peer: Person
    /// Milliseconds there and back; nil until it was measured.
    package let roundTrip: Double?
    package let bytesSent: Int
    package let bytesReceived: Int
    package let queuedBytes: Int

    package init(peer: Person, roundTrip: Double?, bytesSent: Int, bytesReceived: Int, queuedBytes: Int) {
      self.peer = peer
      self.roundTrip = roundTrip
      self.bytesSent = bytesSent
      self.bytesReceived = bytesReceived
      self.queuedBytes = queuedBytes
    }
  }

  /// A session in figures; peers are counted without oneself.
  package struct Status: Equatable, Sendable {
    package var host: Person?
    package var epoch: UInt64
    package var peers: Int
    /// Whether newcomers are turned away.
    package var isLocked: Bool
    /// Everyone who can be reached and oneself, in order of id.
    package var roster: [Person]
    /// How far everyone in the roster has come with the map.
    package var maps: [MapStage]
    package var mapID: String?
    package var points: Int
    package var anchors: Int
    package var digest: String

    package init(
      host: Person?, epoch: UInt64, peers: Int, isLocked: Bool, roster: [Person], maps: [MapStage], mapID: String?,
      points: Int, anchors: Int, digest: String
    ) {
      self.host = host
      self.epoch = epoch
      self.peers = peers
      self.isLocked = isLocked
      self.roster = roster
      self.maps = maps
      self.mapID = mapID
      self.points = points
      self.anchors = anchors
      self.digest = digest
    }
  }
}

extension Report {
  /// The JSON object of this report, `seconds` after the start, when the machine's clock said `clock`.
  package func json(at seconds: Double, clock: Double) -> JSON {
    .object(["event": .string(event), "t": .seconds(seconds), "clock": .seconds(clock)] + members)
  }

  private var event: String {
    switch self {
    case .ready: "ready"
    case .discovery: "discovery"
    case .peerFound: "peer-found"
    case .peerLost: "peer-lost"
    case .invitation: "invitation"
    case .peerJoined: "peer-joined"
    case .peerReconnecting: "peer-reconnecting"
    case .peerLeft: "peer-left"
    case .hostChanged: "host-changed"
    case .lockChanged: "lock-changed"
    case .mapProgress: "map-progress"
    case .mapStatus: "map-status"
    case .mapReceived: "map-received"
    case .synchronised: "synchronised"
    case .anchorAdded: "anchor-added"
    case .anchorUpdated: "anchor-updated"
    case .anchorRemoved: "anchor-removed"
    case .anchorDragged: "anchor-dragged"
    case .participantMoved: "participant-moved"
    case .dragEnded: "drag-ended"
    case .participantGone: "participant-gone"
    case .fieldOverwritten: "field-overwritten"
    case .ownershipChanged: "ownership-changed"
    case .anchorRestored: "anchor-restored"
    case .answer: "answer"
    case .error: "error"
    }
  }

  private var members: JSON.Members {
    switch self {
    case .ready(let person, let port): person.members + ["port": .integer(Int(port))]
    case .discovery(let backend, let reason): ["backend": .optional(backend), "reason": .optional(reason)]
    case .peerFound(let candidate), .peerLost(let candidate):
      ["candidate": .string(candidate.id), "name": .string(candidate.name), "peerID": .optional(candidate.peerID)]
    case .invitation(let person, let context, let isAsked):
      person.members + ["context": .string(context), "asked": .bool(isAsked)]
    case .peerJoined(let person): person.members + ["reason": "joined"]
    case .peerReconnecting(let person): person.members
    case .peerLeft(let person, let reason): person.members + ["reason": .string(reason)]
    case .hostChanged(let host, let epoch, let reason):
      [
        "host": .optional(host?.id), "name": .optional(host?.name), "epoch": .integer(Int(epoch)),
        "reason": .string(reason),
      ]
    case .lockChanged(let isLocked): ["locked": .bool(isLocked)]
    case .mapProgress(let from, let transfer):
      ["from": .string(from.id), "name": .string(from.name)] + transfer.members
    case .mapStatus(let stage, let mapID): stage.members + ["mapID": .optional(mapID)]
    case .mapReceived(let from, let mapID, let points, let anchors, let bytes):
      [
        "from": .string(from.id), "name": .string(from.name), "mapID": .string(mapID), "points": .integer(points),
        "anchors": .integer(anchors), "bytes": .integer(bytes),
      ]
    case .synchronised(let digest): ["digest": .string(digest)]
    case .anchorAdded(let pin, let origin), .anchorUpdated(let pin, let origin), .anchorRemoved(let pin, let origin):
      pin.members + ["origin": .string(origin)]
    case .anchorDragged(let live), .participantMoved(let live): live.members
    case .dragEnded(let anchor, let person): person.members + ["id": .string(anchor)]
    case .participantGone(let person): person.members
    case .fieldOverwritten(let anchor, let field, let author):
      ["id": .string(anchor), "field": .string(field), "author": .optional(author?.id)]
    case .ownershipChanged(let anchor, let owner):
      ["id": .string(anchor), "owner": .optional(owner?.id), "name": .optional(owner?.name)]
    case .anchorRestored(let pin, let removed): pin.members + ["from": .string(removed)]
    case .answer(let command, let answer): ["command": .string(command)] + answer.members
    case .error(let code, let message, let command):
      ["code": .string(code), "message": .string(message), "command": .optional(command)]
    }
  }
}

extension Report.Person {
  var members: JSON.Members { ["peerID": .string(id), "name": .string(name)] }
}

extension Report.Live {
  var members: JSON.Members {
    peer.members + [
      "id": .string(id), "position": .point(position), "sessionTime": .integer(Int(sessionTime)),
      "sequence": .integer(Int(clamping: sequence)),
    ]
  }
}

extension Report.Transfer {
  var members: JSON.Members {
    [
      "verifiedBytes": .integer(verified), "totalBytes": .integer(total), "requestedBytes": .integer(requested),
      "receivedBytes": .integer(received), "bytesPerSecond": .integer(perSecond),
    ]
  }
}

extension Report.MapStage {
  var members: JSON.Members { peer.members + ["stage": .string(stage), "percent": .integer(percent)] }
}

extension Report.Pin {
  var members: JSON.Members {
    ["id": .string(id), "name": .string(name), "position": .point(position), "author": .optional(author)]
  }
}

extension Report.Answer {
  var members: JSON.Members {
    switch self {
    case .done, .help: [:]
    case .peers(let peers):
      ["peers": .array(peers.map { .object($0.0.members + ["state": .string($0.state)]) })]
    case .host(let host, let epoch):
      ["host": .optional(host?.id), "name": .optional(host?.name), "epoch": .integer(Int(epoch))]
    case .invited(let name): ["invited": .string(name)]
    case .map(let mapID, let points, let anchors, let file):
      ["mapID": .optional(mapID), "points": .integer(points), "anchors": .integer(anchors), "file": .optional(file)]
    case .cancelled(let mapID): ["mapID": .string(mapID)]
    case .relocalised(let isSo, let mapID): ["relocalised": .bool(isSo), "mapID": .string(mapID)]
    case .placed(let id, let position): ["id": .string(id), "position": .point(position)]
    case .burst(let placed):
      ["placed": .array(placed.map { ["id": .string($0.id), "clock": .seconds($0.clock)] })]
    case .anchors(let pins): ["anchors": .array(pins.map { .object($0.members) })]
    case .digest(let digest): ["digest": .string(digest)]
    case .links(let links, let connections):
      [
        "links": .array(links.map { .object($0.members) }),
        "connections": .array(connections.map { .array([.string($0.id), .string($1.id)]) }),
      ]
    case .status(let status): status.members
    }
  }
}

extension Report.Link {
  var members: JSON.Members {
    peer.members + [
      "roundTrip": roundTrip.map { .number($0) } ?? .null, "bytesSent": .integer(bytesSent),
      "bytesReceived": .integer(bytesReceived), "queuedBytes": .integer(queuedBytes),
    ]
  }
}

extension Report.Status {
  var members: JSON.Members {
    [
      "host": .optional(host?.id), "epoch": .integer(Int(epoch)), "peers": .integer(peers), "locked": .bool(isLocked),
      "mapID": .optional(mapID),
      "points": .integer(points), "anchors": .integer(anchors), "digest": .string(digest),
      "roster": .array(roster.map { .object($0.members) }), "maps": .array(maps.map { .object($0.members) }),
    ]
  }
}
