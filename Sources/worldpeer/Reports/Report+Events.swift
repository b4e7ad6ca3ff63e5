import PeerCLI
import SharedWorld

// Every event in one place: its word, its members for scripts, and its line for people. README lists what scripts may
// rely on.
extension Report {
  /// A peer that was found and whose identity nobody has checked.
  struct Candidate {
    let id: String
    let name: String
    /// The peer it turned out to be, once there was a connection.
    let peerID: String?
    /// The known peer that it seems to be.
    let seenBefore: String?
    /// Whether it says that it lets newcomers in: `open`, `locked` or `full`.
    let standing: String
    let asksForPasscode: Bool
    /// The ways by which it was found.
    let ways: [String]

    var members: JSON.Members {
      ["candidate": .string(id), "name": .string(name), "peerID": .optional(peerID)]
        + ["seenBefore": .optional(seenBefore)]
        + ["standing": .string(standing), "passcode": .bool(asksForPasscode)]
        + ["ways": .array(ways.map { .string($0) })]
    }

    /// Reasons not to invite it, for the end of a line.
    var remark: Line {
      let remarks = [standing == "open" ? nil : standing, asksForPasscode ? "asks for a passcode" : nil]
      let text = remarks.compactMap(\.self).joined(separator: ", ")
      return text.isEmpty ? "" : "  \(text, .caution)"
    }
  }

  static func discovery(backend: String?, reason: String?) -> Report {
    let line: Line =
      if let backend {
        "\("·", .faint) looking for peers with \(backend)"
      } else {
        "\("!", .caution) peers cannot be found now: \(reason ?? "")"
      }
    return Report("discovery", ["backend": .optional(backend), "reason": .optional(reason)], [line])
  }

  static func nobodyFound(_ diagnosis: NetworkDiagnosis) -> Report {
    Report(
      "nobody-found", diagnosis.members,
      ["\("!", .caution) nobody was found yet"] + diagnosis.complaints.flatMap(\.lines))
  }

  static func peerFound(_ candidate: Candidate) -> Report {
    Report("peer-found", candidate.members, ["\("·", .faint) found \(candidate.name, .name)\(candidate.remark)"])
  }

  static func peerLost(_ candidate: Candidate) -> Report {
    Report("peer-lost", candidate.members, ["\("·", .faint) \(candidate.name, .name) is out of sight"])
  }

  /// A peer is a member; `hasInvited` says whether it invited this one, or came another way.
  static func peerJoined(_ person: Person, hasInvited: Bool) -> Report {
    let line: Line = "\("→", .good) \(person.name, .name) joined\(hasInvited ? ", having invited you" : "")"
    return Report("peer-joined", person.members + ["reason": "joined"], [line])
  }

  static func peerReconnecting(_ person: Person) -> Report {
    Report("peer-reconnecting", person.members, ["\("~", .caution) the connection to \(person.name, .name) broke"])
  }

  static func peerReconnected(_ person: Person) -> Report {
    Report("peer-reconnected", person.members, ["\("→", .good) \(person.name, .name) is connected again"])
  }

  static func peerLeft(_ person: Person, reason: String) -> Report {
    Report(
      "peer-left", person.members + ["reason": .string(reason)],
      ["\("←", .caution) \(person.name, .name) is gone (\(reason))"])
  }

  /// Another peer hosts, or none; `cause` says to people why, and nil that they need not know.
  static func hostChanged(host: Person?, epoch: UInt64, reason: String, cause: String?) -> Report {
    let members: JSON.Members = ["host": .optional(host?.id), "name": .optional(host?.name)]
    let line: Line? = host.flatMap { host in cause.map { "\("★", .good) \(host.name, .name) hosts now: \($0)" } }
    return Report(
      "host-changed", members + ["epoch": .integer(Int(epoch)), "reason": .string(reason)], line.map { [$0] } ?? [])
  }

  /// A peer has another part in a creator's session, or none.
  static func roleChanged(_ person: Person, role: String?) -> Report {
    let text = role.map { "\(person.name) is \($0)" } ?? "\(person.name) is not admitted any more"
    return Report("role-changed", person.members + ["role": .optional(role)], ["\("◆", .good) \(text)"])
  }

  static func lockChanged(isLocked: Bool) -> Report {
    Report(
      "lock-changed", ["locked": .bool(isLocked)],
      [
        isLocked
          ? "\("▪", .caution) the session is locked for newcomers" : "\("▫", .good) the session is open for newcomers"
      ])
  }

  /// Everything is here that the connected peers had.
  static func synchronized(digest: String) -> Report {
    // That of no anchors is zero, and tells people nothing.
    let digits: Line = digest.allSatisfy { $0 == "0" } ? "" : "  \(shortened(digest), .faint)"
    return Report("synchronized", ["digest": .string(digest)], ["\("=", .good) in step with everybody\(digits)"])
  }
}
