import PeerCLI

extension Report {
  /// How far a map has come, in bytes.
  struct Transfer {
    let verified: Int
    let total: Int
    /// Asked for, and arrived as stored; what came twice counts twice.
    let requested: Int
    let received: Int
    let perSecond: Int

    var members: JSON.Members {
      [
        "verifiedBytes": .integer(verified), "totalBytes": .integer(total), "requestedBytes": .integer(requested),
        "receivedBytes": .integer(received), "bytesPerSecond": .integer(perSecond),
      ]
    }
  }

  /// How far a peer has come with the session's map.
  struct MapStage {
    let peer: Person
    /// `none`, `transferring`, `received` or `relocalized`.
    let stage: String
    /// The verified part of the map (per cent, 0…100).
    let percent: Int

    var members: JSON.Members { peer.members + ["stage": .string(stage), "percent": .integer(percent)] }
    var text: String { stage == "transferring" ? "\(peer.name) \(percent) %" : "\(peer.name) \(stage)" }
  }

  static func mapProgress(from: Person, _ transfer: Transfer) -> Report {
    let bar = ProgressBar(transfer.verified, of: transfer.total).line
    let sizes = "\(Text.bytes(transfer.verified)) of \(Text.bytes(transfer.total))"
    return Report(
      "map-progress", ["from": .string(from.id), "name": .string(from.name)] + transfer.members,
      ["map from \(from.name)  \(bar)  \(sizes)"], display: .progress(isLast: transfer.verified == transfer.total))
  }

  /// Another peer has come further with the session's map.
  ///
  /// - Parameter isOurs: Whether this peer has sent that map.
  static func mapStatus(_ stage: MapStage, mapID: String?, isOurs: Bool) -> Report {
    // People ask `status` for the other stages.
    let lines: [Line] =
      switch stage.stage {
      case "received" where isOurs: ["\("▦", .good) \(stage.peer.name, .name) has the map"]
      case "relocalized": ["\("▦", .good) \(stage.peer.name, .name) has found its place in the map"]
      case "claimed": ["\("▦", .faint) \(stage.peer.name, .name) says that it knows its place in the map"]
      default: []
      }
    return Report("map-status", stage.members + ["mapID": .optional(mapID)], lines)
  }

  static func mapReceived(from: Person, mapID: String, points: Int, anchors: Int, bytes: Int) -> Report {
    let content: Line = "\(points) points, \(anchors) anchors, \(Text.bytes(bytes))  \(shortened(mapID), .faint)"
    return Report(
      "map-received",
      [
        "from": .string(from.id), "name": .string(from.name), "mapID": .string(mapID), "points": .integer(points),
        "anchors": .integer(anchors), "bytes": .integer(bytes),
      ], ["\("▦", .good) the map of \(from.name, .name) is here: \(content)"])
  }
}
