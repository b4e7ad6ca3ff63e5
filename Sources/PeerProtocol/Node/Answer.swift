package import AnchorReplication
import Basics
package import WorldModel

/// The immediate result of an input; results that take time arrive as events.
package enum Answer: Sendable, Equatable {
  /// The input was accepted.
  case done
  /// A drag has begun.
  case began(DragID)
  /// A map is shared, under this id.
  case shared(MapID)
  /// A resource is offered, under this id.
  case offered(ResourceID)
  /// A message is accepted, under this number.
  case sent(MessageID)
  /// Nothing has changed.
  case refused(Refusal)

  /// Throws the refusal, if it is one.
  package func check() throws(Refusal) {
    if case .refused(let refusal) = self { throw refusal }
  }
}

/// Why an input changed nothing.
package enum Refusal: Error, Sendable, Equatable {
  /// The anchors do not allow it.
  case edit(AnchorError)
  /// Only the host may do that, or a peer that is alone.
  case notHost
  /// In an owned session this peer's role does not allow that, or the session is not owned.
  case notPermitted
  /// This peer has ruled on as many peers as it may.
  case tooManyStatements
  /// The session's rule does not let this node share a map with all.
  case mayNotShare
  /// The journal holds what no session can have written.
  case journal(ReplicationError)
  /// The drag cannot begin or go on.
  case drag(DragError)
  /// The measurement between frames is none.
  case measurement(FrameRefusal)
  /// This peer is no member that anything can be delivered to.
  case notReceiver(PeerID)
  /// This peer is in as many groups as it may be in.
  case tooManyGroups
  /// No such resource is offered any more.
  case noResource
  /// Too many resources to one of the receivers, or in all, have not ended.
  case resourcesWait
  /// Too many attachments of this peer stand.
  case tooManyAttachments
  /// Too many messages to one of the receivers, or in all, are not acknowledged; ``NodeEvent/messageRoom`` says when to try again.
  case messagesWait
}
