import PeerCLI
import SharedWorld

extension Report {
  /// A file that a peer offers.
  struct File {
    let id: String
    let name: String
    let size: Int

    init(id: String, name: String, size: Int) {
      (self.id, self.name, self.size) = (id, name, size)
    }

    init(_ attachment: SessionAttachment) {
      self.init(id: attachment.id.description, name: attachment.name, size: attachment.size)
    }

    init(_ offer: ResourceOffer) {
      self.init(id: offer.id.description, name: offer.name, size: offer.size)
    }

    var members: JSON.Members {
      ["resourceID": .string(id), "file": .string(name), "bytes": .integer(size)]
    }
  }

  /// A peer offers a file.
  static func fileOffered(from person: Person, _ file: File) -> Report {
    Report(
      "file-offered", person.members + file.members,
      [
        "\("▤", .good) \(person.name, .name) offers \(file.name), \(Text.bytes(file.size)): accept-file \(shortened(file.id), .faint) FILE"
      ])
  }

  /// More of a file is here, or at a receiver.
  static func fileProgress(with person: Person, _ progress: ResourceProgress) -> Report {
    let isSent = progress.direction == .sending
    let bar = ProgressBar(progress.bytes, of: progress.totalBytes).line
    let sizes = "\(Text.bytes(progress.bytes)) of \(Text.bytes(progress.totalBytes))"
    return Report(
      "file-progress",
      person.members + [
        "resourceID": .string(progress.id.description), "sending": .bool(isSent),
        "bytes": .integer(progress.bytes), "totalBytes": .integer(progress.totalBytes),
        "bytesPerSecond": .integer(progress.bytesPerSecond),
      ],
      ["file \(isSent ? "to" : "from") \(person.name)  \(bar)  \(sizes)"],
      display: .progress(isLast: progress.bytes == progress.totalBytes))
  }

  /// A file is here, at a path.
  static func fileReceived(from person: Person, _ file: File, path: String) -> Report {
    Report(
      "file-received", person.members + file.members + ["path": .string(path)],
      ["\("▤", .good) \(file.name) of \(person.name, .name) is here: \(path)"])
  }

  /// A file that was offered to this peer does not come.
  static func fileFailed(from person: Person, _ file: File, reason: String) -> Report {
    Report(
      "file-failed", person.members + file.members + ["reason": .string(reason)],
      ["\("!", .caution) \(file.name) of \(person.name, .name) does not come (\(reason))"])
  }

  /// An attachment of the session was added, is here, does not come or was removed.
  static func attachmentChanged(
    of person: Person, _ file: File, state: String, path: String?, reason: String?
  ) -> Report {
    let place = path.map { ", \($0)" } ?? ""
    return Report(
      "attachment-changed",
      person.members + file.members + [
        "state": .string(state), "path": .optional(path), "reason": .optional(reason),
      ],
      ["\("▤", .good) attachment \(file.name) of \(person.name, .name): \(reason ?? state)\(place)"])
  }

  /// A peer has a file of this one, or does not get it for a reason.
  static func fileSettled(at person: Person, _ id: String, reason: String?) -> Report {
    let line: Line =
      if let reason {
        "\("!", .caution) \(person.name, .name) does not get file \(shortened(id), .faint) (\(reason))"
      } else {
        "\("▤", .good) \(person.name, .name) has file \(shortened(id), .faint)"
      }
    return Report(
      "file-settled", person.members + ["resourceID": .string(id), "reason": .optional(reason)], [line])
  }
}

extension Report {
  /// A peer has a stream of this one to its end.
  static func streamSent(to person: Person, _ name: String, bytes: Int) -> Report {
    Report(
      "stream-sent", person.members + ["stream": .string(name), "bytes": .integer(bytes)],
      ["\("▤", .good) the stream \(name) to \(person.name, .name) has ended: \(Text.bytes(bytes))"])
  }

  /// A stream of a peer has ended, and its bytes are in a file.
  static func streamReceived(from person: Person, _ name: String, bytes: Int, path: String) -> Report {
    Report(
      "stream-received",
      person.members + ["stream": .string(name), "bytes": .integer(bytes), "path": .string(path)],
      ["\("▤", .good) the stream \(name) of \(person.name, .name) has ended: \(Text.bytes(bytes)) in \(path)"])
  }
}

extension SessionAttachment {
  /// Its state in a word.
  var word: String {
    switch state {
    case .listed: "listed"
    case .fetching: "fetching"
    case .here: "here"
    case .failed: "failed"
    case .removed: "removed"
    }
  }
}
