import Testing

/// A public enum may get cases in a later version, unless apps only hand it in (decision 0011).
@Suite("Enums that can grow")
struct GrowingEnums {
  /// The modules whose public types apps in other packages can name.
  private static let libraries: Set<String> = [
    "AnchorReplication", "Authentication", "Basics", "BasicsLinux", "PeerProtocol", "PeerTransport", "ServiceDiscovery",
    "SharedWorld", "WorldAlignment", "WorldFormats", "WorldModel",
  ]

  /// Public enums without `@nonexhaustive`, and why an app need not expect a new case.
  private static let handedIn: [String: String] = [
    "Acknowledgement.Level": "handed in: the peers that an edit waits for",
    "AlignmentMode": "handed in: the turns that a search tries",
    "CoordinateFrame": "handed in: the axes that an app converts from or to",
    "DiscoveryMode": "handed in: a setting",
    "DiscoveryRole": "handed in: a setting",
    "AuthenticationState": "handed in: what an app's driver answers",
    "EncodingOptions.Arrangement": "handed in: a setting of an encoder",
    "EncodingOptions.Effort": "handed in: a setting of an encoder",
    "EncodingOptions.Precision": "handed in: a setting of an encoder",
    "FrameFit.Hold": "handed in: how users hold two devices together",
    "InvitationDecision": "handed in: what an app answers",
    "InvitationTarget": "handed in: the peer to invite",
    "MapPicture.Coloring": "handed in: a setting of a picture",
    "MapPicture.View": "handed in: a setting of a picture",
    "MapProviders": "handed in: a setting",
    "MessageAudience": "handed in: the receivers of a message",
    "MessageMode": "handed in: the promise that a message is sent with",
    "SessionAuthority": "handed in: a setting",
    "NewcomerRole": "handed in: a setting",
    "TrustPolicy": "handed in: a setting",
    "UndoHistory.Edit": "handed in: what an app has edited",
  ]

  @Test("a public enum can grow, or is only handed in")
  func attributes() {
    var closed: Set<String> = []
    for file in Repository.swift where file.module.map(Self.libraries.contains) == true {
      for (name, line) in Self.closed(in: file.code) {
        closed.insert(name)
        guard Self.handedIn[name] == nil else { continue }
        report([
          Finding(
            path: file.path, line: line,
            advice: "\(name) needs @nonexhaustive, or its reason in GrowingEnums.swift if apps only hand it in")
        ])
      }
    }
    for name in Set(Self.handedIn.keys).subtracting(closed).sorted() {
      Issue.record("\(name) is no public enum without @nonexhaustive: take it off the list in GrowingEnums.swift")
    }
  }

  @Test("enums are found with the types around them, those without cases left out")
  func recognized() {
    let code = """
      @nonexhaustive
      public enum A {
        case a
        public indirect enum B: Int {
          case b
        }
      }
      public enum Names {
        static let a = 1
      }
      extension C.D {
        public struct E {
          @nonexhaustive public enum F { case f }
          var f = 1
          @frozen
          public enum G { case g }
        }
        enum H { case h }
      }
      """
    let found = Self.closed(in: code)
    #expect(found.map(\.name) == ["A.B", "C.D.E.G"] && found.map(\.line) == [4, 16])
  }

  /// The public enums with cases that lack the attribute.
  private static func closed(in code: String) -> [(name: String, line: Int)] {
    let lines = code.split(separator: "\n", omittingEmptySubsequences: false)
    // Made once: an expression takes longer to make than to match. Most lines begin nothing.
    let declaration = declaration
    var around: [(indent: Int, name: Substring)] = []
    var found: [(name: String, line: Int)] = []
    for (number, line) in lines.enumerated() {
      guard line.utf8.contains(UInt8(ascii: "{")), let type = line.firstMatch(of: declaration) else { continue }
      let indent = line.prefix { $0 == " " }.count
      around.removeAll { $0.indent >= indent }
      around.append((indent, type.name))
      guard type.kind == "enum", line.contains("public "), hasCases(at: number, in: lines),
        !isNonexhaustive(at: number, in: lines)
      else { continue }
      found.append((around.map(\.name).joined(separator: "."), number + 1))
    }
    return found
  }

  private static var declaration: Regex<(Substring, kind: Substring, name: Substring)> {
    /^[ @\w]*\b(?<kind>struct|class|actor|enum|extension|protocol) (?<name>[\w.]+)[^()]*\{/
  }

  /// Whether the attribute stands on the line, or on one of attributes alone above it.
  private static func isNonexhaustive(at number: Int, in lines: [Substring]) -> Bool {
    let above = lines[..<number].reversed().prefix { $0.wholeMatch(of: /\s*@[^{}]*/) != nil }
    return ([lines[number]] + above).contains { $0.contains("@nonexhaustive") }
  }

  /// Whether the body of the enum has a case of its own.
  private static func hasCases(at number: Int, in lines: [Substring]) -> Bool {
    if lines[number].contains("{ case ") { return true }
    let indent = lines[number].prefix { $0 == " " }
    let body = lines[(number + 1)...].prefix { $0 != "\(indent)}" }
    return body.contains { $0.hasPrefix("\(indent)  case ") || $0.hasPrefix("\(indent)  indirect case ") }
  }
}
