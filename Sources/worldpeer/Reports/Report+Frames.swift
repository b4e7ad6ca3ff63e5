import PeerCLI
import SharedWorld

extension Report {
  /// How a peer's frame lies in this one's.
  struct Alignment {
    let peer: Person
    let alignment: PeerAlignment

    init(_ peer: Person, _ alignment: PeerAlignment) { (self.peer, self.alignment) = (peer, alignment) }

    var members: JSON.Members {
      peer.members + [
        "state": .string(alignment.state.rawValue), "matrix": Self.matrix(alignment.transform),
        "residual": .number(alignment.residual), "position": .number(alignment.position),
        "orientation": .number(alignment.orientation), "observations": .integer(alignment.observations),
        "contradictions": .integer(alignment.contradictions),
      ]
    }

    var line: Line {
      let held = alignment.contradictions > 0 ? ", \(alignment.contradictions) measurements contradict" : ""
      guard let transform = alignment.transform else {
        return "\("⊿", .caution) the frame of \(peer.name, .name) is \(alignment.state.rawValue)\(held)"
      }
      let quality =
        alignment.observations == 0
        ? "the same frame"
        : "\(Self.centimeters(alignment.residual)) residual, ± \(Self.centimeters(alignment.position)), "
          + "\(alignment.observations) observations"
      return
        "\("⊿", .good) the frame of \(peer.name, .name) is at \(position: transform.translation)  \(quality + held, .faint)"
    }

    /// The 16 numbers row by row, or null.
    private static func matrix(_ transform: Transform?) -> JSON {
      guard let columns = transform?.columns else { return .null }
      return .array(
        (0..<4).flatMap { row in
          [columns.0[row], columns.1[row], columns.2[row], columns.3[row]].map { JSON.single($0) }
        })
    }

    private static func centimeters(_ meters: Double) -> String { "\((meters * 1_000).rounded() / 10) cm" }
  }

  /// A peer's frame lies elsewhere than before, or is not aligned any more.
  static func alignmentChanged(_ alignment: Alignment) -> Report {
    Report("alignment-changed", alignment.members, [alignment.line])
  }
}
