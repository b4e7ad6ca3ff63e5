import PeerCLI
import SharedWorld

extension Report {
  /// An anchor as a script sees it.
  struct Pin {
    let id: String
    let name: String
    let position: SIMD3<Float>
    /// The peer that placed it, in hexadecimal; nil when the map does not say.
    let author: String?
    /// Width and depth of a plane (metres); nil for other kinds.
    var extent: SIMD2<Float>?

    var members: JSON.Members {
      let size: JSON.Members = extent.map { ["extent": .array([.single($0.x), .single($0.y)])] } ?? [:]
      return ["id": .string(id), "name": .string(name), "position": .point(position), "author": .optional(author)]
        + size
    }
    var line: Line { "\(name, .name) \(position: position)  \(shortened(id), .faint)" }
  }

  /// A pose that counts until the next one.
  struct Live {
    let id: String
    /// The name of the anchor, where it is known.
    var name: String?
    let peer: Person
    let position: SIMD3<Float>
    /// Milliseconds.
    let sessionTime: UInt64
    let sequence: UInt64

    var members: JSON.Members {
      peer.members + [
        "id": .string(id), "position": .point(position), "sessionTime": .integer(Int(sessionTime)),
        "sequence": .integer(Int(clamping: sequence)),
      ]
    }
  }

  static func anchorAdded(_ pin: Pin, origin: AnchorOrigin) -> Report {
    changed("anchor-added", "\("+", .good)", pin, origin)
  }

  /// Many anchors of one peer, or of nobody known, that came together; for people alone: scripts get each.
  static func anchorsAdded(_ pins: [Pin], of author: Person?) -> Report {
    let some = pins.prefix(AnchorNews.mostListed).map(\.name).joined(separator: ", ")
    let owner: Line = author.map { " of \($0.name, .name)" } ?? ""
    return Report("anchors-added", [:], ["\("+", .good) \(pins.count) anchors\(owner): \(some) …"])
  }

  static func anchorUpdated(_ pin: Pin, origin: AnchorOrigin) -> Report {
    changed("anchor-updated", "\("~", .place)", pin, origin)
  }

  static func anchorRemoved(_ pin: Pin, origin: AnchorOrigin) -> Report {
    changed("anchor-removed", "\("−", .bad)", pin, origin)
  }

  private static func changed(_ event: String, _ sign: Line, _ pin: Pin, _ origin: AnchorOrigin) -> Report {
    // Those of a map are counted where it arrives.
    let lines: [Line] = origin == .map ? [] : ["\(sign) \(pin.line)  \(origin.rawValue, .faint)"]
    return Report(event, pin.members + ["origin": .string(origin.rawValue)], lines)
  }

  /// An anchor brings back a removed one.
  static func anchorRestored(_ pin: Pin, from removed: String) -> Report {
    Report(
      "anchor-restored", pin.members + ["from": .string(removed)],
      ["\("+", .good) \(pin.line) brings back \(shortened(removed), .faint)"])
  }

  /// A later edit of another peer replaced one of this peer.
  static func fieldOverwritten(anchor: String, field: String, by author: Person?) -> Report {
    let writer: Line = "\(author?.name ?? "another peer", .name)"
    return Report(
      "field-overwritten", ["id": .string(anchor), "field": .string(field), "author": .optional(author?.id)],
      ["\("!", .caution) \(writer) wrote the \(field) of \(shortened(anchor), .faint) after you"])
  }

  /// An anchor has another owner, or none.
  static func ownershipChanged(anchor: String, owner: Person?) -> Report {
    Report(
      "ownership-changed", ["id": .string(anchor), "owner": .optional(owner?.id), "name": .optional(owner?.name)],
      ["\("⚿", .place) \(shortened(anchor), .faint) belongs to \(owner?.name ?? "nobody", .name)"])
  }

  static func anchorDragged(_ live: Live) -> Report {
    Report(
      "anchor-dragged", live.members,
      [
        "\("≈", .place) \(live.peer.name, .name) drags \(live.name ?? shortened(live.id), .name) \(position: live.position)"
      ],
      display: .movement(of: live.id))
  }

  static func dragEnded(anchor: String, named name: String?, by person: Person) -> Report {
    Report(
      "drag-ended", person.members + ["id": .string(anchor)],
      ["\("≈", .faint) \(person.name, .name) let go of \(name ?? shortened(anchor), .name)"])
  }

  static func participantMoved(_ live: Live) -> Report {
    Report(
      "participant-moved", live.members, ["\("◦", .place) \(live.peer.name, .name) is at \(position: live.position)"],
      display: .movement(of: live.peer.id))
  }

  static func participantGone(_ person: Person) -> Report {
    Report(
      "participant-gone", person.members, ["\("◦", .faint) \(person.name, .name) shows its place no more"])
  }
}
