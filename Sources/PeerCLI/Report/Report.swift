import Basics
package import SharedWorld

/// One message of a program to its user: lines for a person, and the members of a JSON object for a script.
package struct Report: Sendable {
  /// How a report is shown to a person.
  package enum Display: Equatable, Sendable {
    /// As lines of their own.
    case lines
    /// As a bar that the next report replaces, and only now and then; the last one always, as a line.
    case progress(isLast: Bool)
    /// As a line, once a second for each thing that moves.
    case movement(of: String)
    /// Only to a person that types the commands: an "ok", which a transcript does without.
    case confirmation
  }

  /// The kind of the report, a kebab-case word.
  package let event: String
  package private(set) var lines: [Line]
  package private(set) var members: JSON.Members
  package let display: Display

  package init(_ event: String, _ members: JSON.Members = [:], _ lines: [Line] = [], display: Display = .lines) {
    self.event = event
    self.members = members
    self.lines = lines
    self.display = display
  }

  /// Adds a member, and a line unless `line` is nil.
  package mutating func add(_ key: String, _ value: JSON, _ line: Line? = nil) {
    members = members + [key: value]
    if let line { lines.append(line) }
  }

  /// Adds a line only for people.
  package mutating func add(line: Line) { lines.append(line) }
}

extension Report {
  /// A peer: its id in hexadecimal and its name.
  package struct Person: Equatable, Sendable {
    package let id: String
    package let name: String

    package init(id: String, name: String) {
      self.id = id
      self.name = name
    }

    package init(_ peer: Peer) { self.init(id: peer.id.description, name: peer.name) }

    package var members: JSON.Members { ["peerID": .string(id), "name": .string(name)] }
  }

  /// This peer is in its session and listens on `port`.
  package static func ready(_ person: Person, port: UInt16) -> Report {
    Report(
      "ready", person.members + ["port": .integer(Int(port))],
      ["\("●", .good) \(person.name, .name) is ready on port \(Int(port))  \(shortened(person.id), .faint)"])
  }

  /// A peer invites this one; `isAsked` says that the user decides.
  package static func invitation(
    from person: Person, context: String, recognition: Recognition, isAsked: Bool
  ) -> Report {
    let note: Line = context.isEmpty ? "" : " (“\(context)”)"
    let sign: Line = isAsked ? "\("?", .caution)" : "\("·", .faint)"
    let question: Line = isAsked ? "; accept \(person.name) or decline \(person.name)?" : ""
    return Report(
      "invitation",
      person.members + [
        "context": .string(context), "asked": .bool(isAsked), "recognition": .string(recognition.rawValue),
      ],
      ["\(sign) \(person.name, .name) wants to join\(note)\(question)\(mark(recognition, id: person.id))"])
  }

  /// Something was not done.
  ///
  /// - Parameter command: The verb of the command that failed, nil for what goes wrong by itself.
  package static func error(code: String, message: String, command: String?) -> Report {
    Report(
      "error", ["code": .string(code), "message": .string(message), "command": .optional(command)],
      ["\("✗ \(code)", .bad): \(message)"])
  }
}

extension Invitation {
  /// The context as text without control characters: any stranger may send one.
  package var plainContext: String { PlainText.cleaned(String(decoding: context, as: UTF8.self)) }
}

extension Report {
  /// An invitation was received; whether the user is asked about it.
  package static func invitation(_ invitation: Invitation, isAsked: Bool) -> Report {
    .invitation(
      from: Person(invitation.peer),
      context: invitation.plainContext,
      recognition: invitation.recognition, isAsked: isAsked)
  }

  /// An invitation to the peer of this name failed.
  package static func invitationFailed(inviting target: String, _ error: SessionError, isRetried: Bool) -> Report {
    guard isRetried else { return .error(code: "\(error.code)", message: "\(target): \(error.message)", command: nil) }
    // The advice is to try again, which the session does by itself.
    let message = "\(target): \(error.message.prefix { $0 != ";" }); still trying"
    return Report(
      "retrying", ["target": .string(target), "code": .string("\(error.code)"), "message": .string(message)],
      ["\("~", .caution) \(message)"])
  }
}
