/// The row of status below what a user types.
package struct StatusLine: Equatable, Sendable {
  /// This peer.
  package var name: String
  /// The name of the host; nil while there is none.
  package var host: String?
  /// How many other peers are connected.
  package var peers = 0
  package var anchors = 0
  /// The digest of the anchors, in hexadecimal.
  package var digest = ""
  /// Whether newcomers are turned away.
  package var isLocked = false
  /// The commands that wait for the one that runs.
  package var waiting = 0
  /// The report of what is on its way, with its bar; nil while nothing is.
  package var transfer: Line?

  package init(name: String) { self.name = name }

  /// The row; what is most important stands first, as a narrow terminal cuts the end off.
  package var line: Line {
    var parts: [Line] = ["\(name, .name)", "\(Text.plural(peers, "peer"))"]
    parts.append(host.map { "host \($0, .name)" } ?? "\("no host", .caution)")
    if isLocked { parts.append("\("locked", .caution)") }
    if waiting > 0 { parts.append("\("\(Text.plural(waiting, "command")) waiting", .caution)") }
    if let transfer { parts.append(transfer) }
    parts.append("\(Text.plural(anchors, "anchor"))")
    if !digest.isEmpty { parts.append("digest \(shortened(digest), .faint)") }
    return parts.dropFirst().reduce(parts[0]) { "\($0) \("│", .faint) \($1)" }
  }
}
