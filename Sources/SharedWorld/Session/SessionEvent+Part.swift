extension Session.Event {
  /// A part of a session that has events of its own: one for each handle.
  enum Part {
    case world, peers, messages, files, maps, frames
  }

  /// The part that this is about; nil for what is about the session itself.
  var part: Part? {
    switch self {
    case .anchorAdded, .anchorUpdated, .anchorRemoved, .anchorRestored, .editSuperseded, .fieldOverwritten,
      .ownershipChanged, .synchronized, .anchorDragged, .dragEnded, .participantMoved, .participantGone:
      .world
    case .candidateFound, .candidateLost, .discoveryAvailable, .discoveryUnavailable, .nobodyFound, .invitationReceived,
      .invitationEnded, .invitationFailed, .codeShown, .codeEnded, .newDevice, .peerJoined, .peerReconnecting,
      .peerReconnected, .peerLeft, .hostChanged, .lockChanged, .roleChanged, .sessionMerged:
      .peers
    case .message, .unreliableMessage, .messagesFailed, .messageReturned, .groupsChanged: .messages
    case .resourceOffered, .resourceProgress, .resourceReceived, .resourceFailed, .resourceSettled,
      .attachmentChanged:
      .files
    case .mapProgress, .mapReceived, .mapFailed, .peerMapChanged: .maps
    case .alignmentChanged: .frames
    case .problem, .ended: nil
    }
  }
}
