extension Report {
  /// What a person reads: one line, or several for a list.
  package var lines: [Line] {
    switch self {
    case .ready(let person, let port):
      ["\("●", .good) \(person.name, .name) is ready on port \(Int(port))  \(short(person.id), .faint)"]
    case .discovery(let backend?, _): ["\("·", .faint) looking for peers with \(backend)"]
    case .discovery(nil, let reason): ["\("!", .caution) peers cannot be found now: \(reason ?? "")"]
    case .peerFound(let candidate): ["\("·", .faint) found \(candidate.name, .name)"]
    case .peerLost(let candidate): ["\("·", .faint) \(candidate.name, .name) is out of sight"]
    case .invitation(let from, let context, let isAsked):
      [
        """
        \("?", .caution) \(from.name, .name) invites you\(note(context))\
        \(isAsked ? ": accept \(from.name) or decline \(from.name)" : "")
        """
      ]
    case .peerJoined(let person): ["\("→", .good) \(person.name, .name) joined"]
    case .peerReconnecting(let person): ["\("~", .caution) the connection to \(person.name, .name) broke"]
    case .peerLeft(let person, let reason): ["\("←", .caution) \(person.name, .name) is gone (\(reason))"]
    case .hostChanged(let host?, let epoch, let reason):
      ["\("★", .good) \(host.name, .name) hosts  \("epoch \(epoch), \(reason)", .faint)"]
    case .hostChanged(nil, _, let reason): ["\("★", .caution) there is no host  \(reason, .faint)"]
    case .lockChanged(true): ["\("▪", .caution) the session is locked for newcomers"]
    case .lockChanged(false): ["\("▫", .good) the session is open for newcomers"]
    case .mapProgress(let from, let transfer):
      [ProgressBar(title: "map from \(from.name)", done: transfer.verified, total: transfer.total).line]
    // The rest is for those who watch: `status` tells it to people.
    case .mapStatus(let stage, _) where stage.stage != "relocalised": []
    case .mapStatus(let stage, _): ["\("▦", .good) \(stage.peer.name, .name) has found its place in the map"]
    case .mapReceived(let from, let mapID, let points, let anchors, let bytes):
      [
        """
        \("▦", .good) the map of \(from.name, .name) is here: \(points) points, \(anchors) anchors, \
        \(size(bytes))  \(short(mapID), .faint)
        """
      ]
    case .synchronised(let digest): ["\("=", .good) in step with everybody  \(short(digest), .faint)"]
    case .anchorAdded(let pin, let origin): ["\("+", .good) \(pin.line)  \(origin, .faint)"]
    case .anchorUpdated(let pin, let origin): ["\("~", .place) \(pin.line)  \(origin, .faint)"]
    case .anchorRemoved(let pin, let origin): ["\("−", .bad) \(pin.line)  \(origin, .faint)"]
    case .anchorDragged(let live):
      ["\("≈", .place) \(live.peer.name, .name) drags \(short(live.id), .faint) \(position: live.position)"]
    case .participantMoved(let live): ["\("◦", .place) \(live.peer.name, .name) is at \(position: live.position)"]
    case .dragEnded(let anchor, let person): ["\("≈", .faint) \(person.name, .name) let go of \(short(anchor), .faint)"]
    case .participantGone(let person): ["\("◦", .faint) \(person.name, .name) shows its place no more"]
    case .fieldOverwritten(let anchor, let field, let author):
      [
        """
        \("!", .caution) \(author?.name ?? "another peer", .name) wrote the \(field) of \(short(anchor), .faint) after you
        """
      ]
    case .ownershipChanged(let anchor, let owner):
      ["\("⚿", .place) \(short(anchor), .faint) belongs to \(owner?.name ?? "nobody", .name)"]
    case .anchorRestored(let pin, let removed): ["\("+", .good) \(pin.line) brings back \(short(removed), .faint)"]
    case .answer(_, let answer): answer.lines
    case .error(let code, let message, _): ["\("✗ \(code)", .bad): \(message)"]
    }
  }

  private func note(_ context: String) -> Line { context.isEmpty ? "" : " (“\(context)”)" }
}

extension Report.Pin {
  var line: Line { "\(name, .name) \(position: position)  \(short(id), .faint)" }
}

extension Report.Answer {
  var lines: [Line] {
    switch self {
    case .done: ["\("ok", .faint)"]
    case .peers(let peers) where peers.isEmpty: ["nobody else is here"]
    case .peers(let peers): peers.map { "  \($0.0.name, .name)  \($0.state)  \(short($0.0.id), .faint)" }
    case .host(let host?, let epoch): ["\(host.name, .name) hosts, epoch \(epoch)"]
    case .host(nil, let epoch): ["there is no host, epoch \(epoch)"]
    case .invited(let name): ["inviting \(name, .name)"]
    case .map(_, let points, let anchors, let file):
      ["\(points) points and \(anchors) anchors\(file.map { ", \($0)" } ?? "")"]
    case .cancelled(let mapID): ["the map is not fetched any more  \(short(mapID), .faint)"]
    case .relocalised(let isSo, _):
      ["\(isSo ? "all know" : "nobody believes any more") that this peer has its place in the map"]
    case .placed(let id, let position): ["placed at \(position: position)  \(short(id), .faint)"]
    case .burst(let placed): ["placed \(placed.count) anchors"]
    case .anchors(let pins) where pins.isEmpty: ["there are no anchors"]
    case .anchors(let pins): pins.map { "  \($0.line)" }
    case .digest(let digest): ["\(digest)"]
    case .links(let links, let connections):
      links.map(\.line) + connections.map { "  \($0.name, .name) – \($1.name, .name)" }
    case .status(let status): status.lines
    case .help: Command.verbs.map { "  \($0.usage, .name)  \($0.help)" }
    }
  }
}

extension Report.Link {
  var line: Line {
    let time = roundTrip.map { "\(Int($0.rounded())) ms" } ?? "–"
    return """
        \(peer.name, .name)  \(time), sent \(size(bytesSent)), received \(size(bytesReceived)), \
      waiting \(size(queuedBytes))
      """
  }
}

extension Report.Status {
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

extension Report.MapStage {
  var text: String { stage == "transferring" ? "\(peer.name) \(percent) %" : "\(peer.name) \(stage)" }
}

/// How far something has come, as a bar.
package struct ProgressBar: Sendable {
  let title: String
  let done: Int
  let total: Int

  private static let width = 28

  package init(title: String, done: Int, total: Int) {
    self.title = title
    self.done = done
    self.total = total
  }

  package var line: Line {
    let fraction = total > 0 ? min(1, max(0, Double(done) / Double(total))) : 0
    let full = Int(fraction * Double(Self.width))
    let bar = String(repeating: "━", count: full)
    let rest = String(repeating: "─", count: Self.width - full)
    return "\(title)  \(bar, .good)\(rest, .faint) \(Int(fraction * 100)) %  \(size(done)) of \(size(total))"
  }
}

extension Line.StringInterpolation {
  mutating func appendInterpolation(position: SIMD3<Float>) {
    appendInterpolation("(\(metres(position.x)), \(metres(position.y)), \(metres(position.z)))", .place)
  }
}

/// The beginning of an id, enough for people.
private func short(_ id: String) -> String { String(id.prefix(8)) }

/// To the millimetre.
private func metres(_ value: Float) -> String {
  guard value.magnitude < 1e6 else { return "\(value)" }
  let thousandths = Int((value * 1000).rounded())
  let digits = String(thousandths.magnitude % 1000)
  let sign = thousandths < 0 ? "−" : ""
  return sign + "\(thousandths.magnitude / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits
}

/// Bytes in the unit that reads best.
private func size(_ bytes: Int) -> String {
  if bytes < 10_000 { return "\(bytes) B" }
  if bytes < 10_000_000 { return "\(bytes / 1000) kB" }
  return "\(bytes / 1_000_000) MB"
}
