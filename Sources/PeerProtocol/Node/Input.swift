package import Basics
package import WorldModel

/// What happened outside the node.
///
/// Received bytes come through ``Node/receive(_:on:at:)``, because they are borrowed.
package enum Input: Sendable {
  /// A TLS connection is up; `peer` is read from its certificate. `dial` is nil when the other side dialled.
  case linkOpened(LinkID, peer: PeerID, dial: DialID?, remote: SocketAddress)
  /// A connection is gone.
  case linkClosed(LinkID)
  /// A dial ended without a connection; `refused` when the address answered that nobody listens there.
  case dialFailed(DialID, refused: Bool)
  /// A link can take more bytes.
  case writable(LinkID)
  /// A deadline may have passed.
  case tick
  /// The clock that counts suspended time ran ahead of the monotonic one.
  case clockJumped(by: Duration)
  /// Chunks of a map that the cache had, each proven anew; there may be several answers to one search.
  case chunksFound(MapID, [FoundChunk], isLast: Bool)
  /// What a ``ChunkCheck`` found.
  case chunkChecked(ChunkVerdict)
  /// Where this peer listens has changed.
  case addresses([SocketAddress])

  /// Invite whoever answers at these addresses.
  case invite(InvitationID, [SocketAddress], context: [UInt8], timeout: Duration)
  /// Withdraw an invitation.
  case cancelInvitation(InvitationID)
  /// The app's one answer to a received invitation.
  case answer(InvitationID, InviteAnswer.Decision)
  /// Share a map with one peer, or with all and every later joiner.
  case share(MapPackage, with: PeerID?)
  /// Stop fetching a map, for good.
  case cancelMap(MapID)
  /// The app has found where it is in the session's map, or has lost it.
  case relocalised(Bool)
  /// Send an app's message to these members, or to all.
  case send([UInt8], to: [PeerID]?)
  /// Hand the host's role over.
  case handover(PeerID)
  /// Ask to be host.
  case requestHost
  /// Remove a member for the life of the session; ignored unless ``Node/mayRule``.
  case kick(PeerID)
  /// Turn newcomers away from now on, or no longer; ignored unless ``Node/mayRule``.
  case setLocked(Bool)
  /// Say goodbye and end.
  case leave
}
