import Basics
import PeerProtocol

/// An anchor in somebody's hand: it is shown to all at up to 60 poses a second, and stays where it is let go.
///
/// A pose becomes durable when the drag ends, and once a second until then. A drag that is released without ``end()`` ends
/// by itself. A later ``Session/World/beginDrag(_:)`` of the same anchor by this peer ends this one.
public final class Drag: Sendable {
  /// The anchor.
  public let anchor: AnchorID

  private let id: DragID
  private let session: Session

  init(anchor: AnchorID, id: DragID, session: Session) {
    self.anchor = anchor
    self.id = id
    self.session = session
  }

  deinit {
    session.abandonDrag(id)
  }

  /// Shows the anchor at another place.
  ///
  /// - Throws: ``SessionError`` with the code `dragEnded` after ``end()`` or when a later drag took its place, `unknownAnchor`
  ///   when somebody removed the anchor, `invalidArgument` for a transform that is not rigid, `ended` after the session.
  public func update(to transform: Transform) async throws(SessionError) {
    try await session.handle(.drag(id, to: transform))
  }

  /// Lets go: the last place becomes the anchor's, for everybody.
  ///
  /// - Throws: The errors of ``update(to:)``.
  public func end() async throws(SessionError) {
    try await session.handle(.endDrag(id))
  }
}
