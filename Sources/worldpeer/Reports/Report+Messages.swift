import Basics
import PeerCLI

extension Report {
  /// A message of another peer arrived.
  ///
  /// - Parameters:
  ///   - bytes: Shown as text if they are valid UTF-8, else in hexadecimal.
  ///   - key: That of an unreliable message.
  static func message(from person: Person, _ bytes: [UInt8], key: String? = nil) -> Report {
    let text = String(validating: bytes, as: UTF8.self)
    let line: Line =
      if let text { "\("✉", .good) \(person.name, .name): \(text)" } else {
        "\("✉", .good) \(person.name, .name): \(Text.bytes(bytes.count), .faint) that are not text"
      }
    var members = person.members + ["text": .optional(text), "data": .optional(text == nil ? bytes.hexadecimal : nil)]
    if let key { members = members + ["key": .string(key)] }
    return Report("message", members, [line])
  }

  /// A peer is in these groups now.
  static func groupsChanged(_ person: Person, _ groups: [String]) -> Report {
    let text = groups.isEmpty ? "no group" : groups.joined(separator: ", ")
    return Report(
      "groups-changed", person.members + ["groups": .array(groups.map { .string($0) })],
      ["\("→", .good) \(person.name, .name) is in \(text)"])
  }

  /// Messages of this peer are not known to have reached a receiver.
  static func messagesFailed(to person: Person, _ numbers: [UInt64], reason: String) -> Report {
    Report(
      "messages-failed",
      person.members + [
        "numbers": .array(numbers.map { .integer(Int(clamping: $0)) }), "reason": .string(reason),
      ],
      [
        "\("!", .caution) \(Text.plural(numbers.count, "message")) may not have reached \(person.name, .name) (\(reason))"
      ])
  }
}
