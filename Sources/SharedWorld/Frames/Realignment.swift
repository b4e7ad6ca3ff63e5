/// The outcome of ``Session/Frames/keepAligned(by:)``, with the alignment as it is now.
@nonexhaustive
public enum Realignment: Hashable, Sendable {
  /// The source agrees with the alignment, or was no better.
  case kept(PeerAlignment)
  /// The frame was measured, and the alignment is new.
  case measured(PeerAlignment)
  /// Nothing was looked at: a search for this frame is under way, or the last one was less than
  /// ``Session/Configuration/realignmentInterval`` ago. Until the alignment is there an app may show that it looks around.
  case skipped(PeerAlignment)

  /// The alignment as it is now.
  public var alignment: PeerAlignment {
    switch self {
    case .kept(let alignment), .measured(let alignment), .skipped(let alignment): alignment
    }
  }
}
