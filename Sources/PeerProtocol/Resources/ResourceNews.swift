/// News of resources, from a node to its app.
package enum ResourceNews: Sendable {
  /// A member offers one; answer with ``Input/answerResource(_:accepts:)``.
  case offered(OfferedResource)
  /// More of one is at its receiver.
  case progress(ResourceAdvance)
  /// All of one is here, proven and written.
  case received(OfferedResource)
  /// One that was offered to this node does not come.
  case failed(OfferedResource, ResourceFailure)
  /// A receiver of one of this node's has all of it, or will not get it and has come this far.
  indirect case settled(ResourceAdvance, ResourceFailure?)
  /// An attachment of a member is listed, is here, does not come, or was removed.
  case attachment(OfferedResource, AttachmentStage)
  /// The bytes of one are not read any more.
  case released(ResourceID)
}

/// How far an attachment of another member has come at a node.
package enum AttachmentStage: Sendable, Equatable {
  /// It is listed; ``Input/answerResource(_:accepts:)`` has it fetched, now or later.
  case listed
  /// All of it is here, proven and written.
  case here
  /// It is not here, and is listed still.
  case failed(ResourceFailure)
  /// It is listed no more.
  case removed
}
