import PeerProtocol

/// A session's part in the other peers: the callers that wait for their answers, and what the app was told of newcomers.
struct PeerDesk {
  /// The invitations that this peer's app sends.
  let invitations = Pending<InvitationResult>()
  /// The callers that wait until some peer hosts.
  let hosts = Pending<HostWaitResult>()
  /// Those that rest between two invitations; a timer gives them their outcome.
  let rests = Pending<Void>()
  /// Whether the app was told that the session is locked.
  var isLocked = false

  /// Resumes every caller.
  func endAll(_ reason: EndReason) {
    invitations.endAll(reason)
    hosts.endAll(reason)
    rests.endAll(reason)
  }
}
