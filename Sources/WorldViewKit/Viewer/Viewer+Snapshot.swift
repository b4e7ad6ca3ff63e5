import SharedWorld
import PeerCLI

extension Viewer {
  /// The anchors a page shows; of more, the first in the order of their ids.
  private static let shownAnchors = 5000

  /// Everything the page shows but for the points.
  func snapshot() async -> JSON {
    await refreshScene()
    let state = await session.state()
    let anchors = await session.anchors()
    let map: JSON =
      scene.mapID.map { id in
        [
          "id": .string(id.description), "points": .integer(scene.pointCount),
          "minimum": .point(scene.bounds.minimum), "maximum": .point(scene.bounds.maximum),
        ]
      } ?? .null
    return [
      "me": person(session.localPeer.id), "service": .string(options.peer.service), "port": .integer(Int(session.port)),
      "discovery": .string(discovery), "host": state.host.map(person) ?? .null, "epoch": .integer(Int(state.epoch)),
      "peers": .array(state.peers.map(describe)), "map": map, "progress": progress.map(describe) ?? .null,
      "anchorCount": .integer(anchors.count), "anchors": .array(anchors.prefix(Self.shownAnchors).map(describe)),
      "invitations": .array(desk.invitations.map(describe)), "codes": .array(codes.comparisons.map(describe)),
      "digest": .string(await session.digest().description), "problem": .optional(problem),
    ]
  }

  private func person(_ id: PeerID) -> JSON {
    ["id": .string(id.description), "name": .string(names[id] ?? id.short)]
  }

  private func describe(_ invitation: Invitation) -> JSON {
    [
      "id": .string(invitation.peer.id.description), "name": .string(invitation.peer.name),
      "context": .string(String(decoding: invitation.context, as: UTF8.self)),
      "recognition": .string(invitation.recognition.rawValue),
    ]
  }

  private func describe(_ comparison: CodeComparison) -> JSON {
    [
      "id": .string(comparison.peer.id.description), "name": .string(comparison.peer.name),
      "code": .string("\(comparison)"), "recognition": .string(comparison.recognition.rawValue),
    ]
  }

  private func describe(_ status: PeerStatus) -> JSON {
    [
      "id": .string(status.id.description), "name": .string(status.peer.name),
      "state": .string(status.state.rawValue), "isDirect": .bool(status.isDirect),
      "recognition": .string(status.recognition.rawValue),
      "roundTrip": status.roundTrip.map { .number($0 / .milliseconds(1)) } ?? .null,
    ]
  }

  private func describe(_ progress: Session.MapProgress) -> JSON {
    [
      "from": person(progress.from), "verifiedBytes": .integer(progress.verifiedBytes),
      "totalBytes": .integer(progress.totalBytes),
    ]
  }

  private func describe(_ anchor: Anchor) -> JSON {
    let columns = anchor.transform.columns
    let numbers = [columns.0, columns.1, columns.2, columns.3].flatMap { column in (0..<4).map { column[$0] } }
    return [
      "id": .string(anchor.id.description), "name": .string(anchor.name),
      "transform": .array(numbers.map(JSON.single)), "isPlane": .bool(Plane(anchor) != nil),
      "creator": anchor.creator.map(person) ?? .null,
    ]
  }
}
