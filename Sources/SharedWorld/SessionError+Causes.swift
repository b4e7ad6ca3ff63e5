import AnchorReplication
import Basics
import Glibc
import PeerProtocol
import PeerTransport
import WorldModel

#if Alignment
import WorldAlignment
#endif

extension SessionError {
  /// A call to a session that is over.
  static let sessionEnded = SessionError(.ended, "the session has ended; start a new one")

  /// Why a link ended before it led into a session.
  init(ended reason: EndReason) {
    let ours = ProtocolLimits.versions
    switch reason {
    case .versionMismatch(let theirs):
      self.init(
        .versionMismatch,
        "this peer speaks protocol versions \(ours.text), the other one \(theirs.text); update the older app")
    case .identityMismatch:
      self.init(.identityMismatch, "the peer's id is not the one of its certificate; do not trust it")
    case .ownIdentity: self.init(.invalidArgument, "that address leads back to this peer")
    case .limitExceeded:
      self.init(.limitExceeded, "the session is full, or the peer takes no more connections; try later")
    case .locked: self.init(.locked, "the session takes no newcomers; ask its host to unlock it")
    case .otherService: self.init(.otherService, "the peer uses another service type; give both peers the same one")
    case .refused: self.init(.declined, "the peer refused the connection")
    case .passcodeRequired:
      self.init(
        .passcodeRequired, "one of the two peers has a passcode and the other has none; give both the same one")
    case .passcodeRefused:
      self.init(
        .passcodeRefused,
        "the passcodes of the two peers differ (the code of a room is one), or somebody is between them; compare them")
    case .passcodeLocked:
      self.init(.passcodeLocked, "20 passcodes were wrong; let somebody in the room unlock it")
    case .passcodeWait(let time):
      let seconds = Int((time / .seconds(1)).rounded(.up))
      self.init(
        .passcodeWait,
        "a passcode was wrong before, from this device or its address; try again in \(seconds) s")
    case .codeRequired:
      self.init(
        .codeRequired,
        "one of the two peers asks for a comparison of codes and the other cannot show one; let its app set "
          + "authentication.codeHandler")
    case .codeRefused:
      self.init(
        .codeRefused,
        "the code was not confirmed on both screens; if the two codes differed, somebody is between the peers: do not "
          + "connect on this network")
    case .codeBusy:
      self.init(
        .codeBusy, "too many codes are being compared, or a comparison failed a short time ago; wait and try again")
    case .driverRequired:
      self.init(
        .driverRequired,
        "one of the two peers has an authenticator and the other has none; let both apps set authentication.authenticator"
      )
    case .authenticationFailed(let failure):
      let side = failure.isOwn ? "this peer's driver refused the other one" : "the other peer's driver refused this one"
      let reason = failure.reason.isEmpty ? "" : ": \(failure.reason)"
      self.init(.authenticationFailed, "\(side)\(reason); give both peers what their drivers ask for")
    case .kicked: self.init(.declined, "this peer was removed from that session and cannot join it again")
    case .timedOut: self.init(.invitationTimedOut, "the peer did not answer in time; try again")
    case .protocolError: self.init(.notConnected, "the peer does not follow the protocol")
    case .left: self.init(.ended, "the session ended before the invitation was answered")
    case .connectionLost, .duplicate, .replaced: self.init(.notConnected, "the connection broke; try again")
    }
  }

  /// A peer was not authenticated by drivers.
  init(ended reason: EndReason, with peer: Peer) {
    let error = SessionError(ended: reason)
    self.init(error.code, "\(peer.name.isEmpty ? "a peer" : peer.name), \(peer.id.short): \(error.message)")
  }

  /// A peer held other anchors under the same history.
  static func divergence(from peer: Peer) -> SessionError {
    SessionError(
      .divergence, "the anchors of \(peer.name) differ under the same history; all of them are being merged")
  }

  /// The system has refused something with a file, for the reason in `errno`; `doing` says what, such as "write a.worldmap".
  static func system(_ doing: String) -> SessionError {
    let number = errno
    let isFull = number == ENOSPC || number == EDQUOT
    return SessionError(isFull ? .diskFull : .io, "cannot \(doing): \(String(cString: strerror(number)))")
  }

  /// A peer sent a part of a map that is not of it.
  static func wrongPart(of map: MapID, from peer: Peer, _ failure: ChunkFailure) -> SessionError {
    SessionError(.corruptData, "\(peer.name) sent a wrong part of map \(map): \(failure)", cause: failure)
  }

  /// Somebody tried a wrong passcode at this session.
  static func wrongPasscode(of peer: Peer, at host: SocketAddress.Host, left: Int) -> SessionError {
    SessionError(
      .passcodeRefused,
      "\(peer.name) (\(peer.id.short)) at \(host) tried a wrong passcode; after \(left) more nobody new is admitted")
  }

  /// Too many passcodes were wrong.
  static let roomLocked = SessionError(
    .passcodeLocked, "20 passcodes were wrong; nobody new is admitted until unlockPasscode() is called")

  /// Two processes run with one identity: `peer`'s, which may be this one's own.
  static func identityInUse(by peer: Peer, isOwn: Bool) -> SessionError {
    SessionError(
      .identityInUse,
      isOwn
        ? "another process runs with this identity and was linked instead; end one of them, or give it a name of its own"
        : "\(peer.name) runs twice with one identity; the earlier process is refused until the later one ends")
  }

  /// Why an edit of an anchor was refused.
  init(_ failure: AnchorError, anchor: AnchorID?) {
    let name = anchor.map { "anchor \($0)" } ?? "an anchor"
    switch failure {
    case .unknownAnchor(let id): self.init(.unknownAnchor, "there is no anchor \(id) in this session", cause: failure)
    case .duplicateAnchor(let id):
      self.init(.invalidArgument, "anchor \(id) is already in this session; use a new id", cause: failure)
    case .invalid(let id, let why): self.init(.invalidArgument, "anchor \(id) is not allowed: \(why)", cause: failure)
    case .foreignParticipant(let id):
      self.init(
        .invalidArgument, "anchor \(id) stands for another participant; place one for your own peer id only",
        cause: failure)
    case .overLimit(let quantity, let limit):
      self.init(.limitExceeded, "\(name) would exceed the limit of \(limit) \(quantity)", cause: failure)
    case .clockExhausted:
      self.init(
        .limitExceeded, "a member has used up the clock that orders edits; remove the anchor, or start a new session",
        cause: failure)
    }
  }

  /// Why a session cannot listen.
  init(listening address: SocketAddress, failure: any Error) {
    guard let failure = failure as? TransportFailure, failure.isAddressInUse else {
      self.init(.io, "cannot listen on \(address): \(failure)", cause: failure)
      return
    }
    self.init(.addressInUse, "\(address) is in use; choose another port, or 0 for any", cause: failure)
  }
}

extension ClosedRange<UInt16> {
  fileprivate var text: String { lowerBound == upperBound ? "\(lowerBound)" : "\(lowerBound) to \(upperBound)" }
}

extension SessionError {
  /// Why the node changed nothing; `anchor` is the one it was about.
  init(_ refusal: Refusal, anchor: AnchorID?) {
    switch refusal {
    case .edit(let error): self.init(error, anchor: anchor)
    case .drag(let error): self.init(error)
    case .journal(let error): self.init(.corruptData, "the journal holds what no session wrote: \(error)", cause: error)
    case .notHost: self.init(.notHost, "only the host may do that; ask the host, or ask to be host")
    case .notReceiver(let peer):
      self.init(.unknownPeer, "\(peer.short) is not a member of this session that can be reached")
    case .measurement(.sameFrame):
      self.init(.invalidArgument, "both peers use one frame; there is nothing to align")
    case .measurement(.outOfRange):
      self.init(.invalidArgument, "a number of the alignment is not finite, negative or too large")
    case .tooManyGroups:
      self.init(.limitExceeded, "a peer is in at most \(ProtocolLimits.groups) groups; leave one first")
    case .tooManyAttachments:
      self.init(.limitExceeded, "a peer has at most \(ProtocolLimits.attachments) attachments; detach one first")
    case .messagesWait:
      self.init(.wouldBlock, "too many messages are on their way; send less, or use send")
    case .resourcesWait:
      self.init(.wouldBlock, "too many resources have not ended; wait for their results")
    case .noResource:
      self.init(.unknownResource, "this resource is not offered any more")
    case .notPermitted:
      self.init(.notPermitted, "this peer's role in the session does not allow that; ask the creator or a moderator")
    case .tooManyStatements:
      self.init(.limitExceeded, "this peer has ruled on as many peers as it may; let another moderator do it")
    case .mayNotShare:
      self.init(
        .notPermitted,
        "this peer may not share a map with the session now; see hosting.mapProviders of the configuration")
    }
  }
}

extension SessionError {
  /// Why a drag could not begin or go on.
  init(_ failure: DragError) {
    switch failure {
    case .ended: self.init(.dragEnded, "this drag has ended; begin another one", cause: failure)
    case .tooMany(let limit):
      self.init(.limitExceeded, "this peer drags \(limit) anchors already; end one of these drags", cause: failure)
    case .refused(let error): self.init(error, anchor: nil)
    }
  }
}

extension SessionError {
  /// Why a request has no answer, as the other side says.
  init(_ reason: MessageReturn.Reason, _ error: RemoteError, of peer: PeerID) {
    switch reason {
    case .unhandled: self.init(.unhandled, "\(peer.short) does not answer such requests", cause: error)
    case .undecodable: self.init(.undecodable, "\(peer.short) cannot decode the request", cause: error)
    case .refused: self.init(.requestFailed, "the request failed at \(peer.short)", cause: error)
    case .malformed: self.init(.undecodable, "\(peer.short) cannot read the request's envelope", cause: error)
    }
  }
}

extension SessionError {
  /// Why a stream, or a call to it, is over before its end.
  init(_ failure: StreamFailure) {
    switch failure {
    case .tooMany(let peer):
      self.init(
        .limitExceeded, "\(ProtocolLimits.streamsOfPeer) streams to \(peer.short) have not ended; finish or reset one")
    case .finished(let name):
      self.init(.invalidArgument, "the stream '\(name)' was finished; nothing can be written to it any more")
    case .writeCancelled(let hasBegun):
      let end = hasBegun ? ", and the stream reset because a part of it had left" : " before anything of it left"
      self.init(.cancelled, "the write was cancelled\(end)")
    case .notOpened(let isLate):
      self =
        isLate
        ? Self(.requestTimedOut, "the peer did not accept the stream in time; try again")
        : Self(.cancelled, "the stream was not opened")
    case .released: self.init(.cancelled, "the stream was released")
    case .resetHere(let reset):
      self.init(.streamReset, "this side has reset the stream", cause: RemoteError(reset.code, reset.message))
    case .resetThere(let reset, let name, let peer, let isOpening):
      self.init(reset, of: name, peer, isOpening: isOpening)
    case .violated: self.init(.streamReset, "the other side broke the rules of the stream")
    case .unreadable(let peer, let error):
      self.init(.corruptData, "\(peer.short) sent bytes that are no part of a stream", cause: error)
    case .forgotten(let peer):
      self.init(.notConnected, "\(peer.short) has lost the stream while it could not be reached")
    case .restarted(let peer): self.init(.notConnected, "\(peer.short) has restarted")
    case .undelivered(let peer, let reason): self.init(goneFromStream: peer, reason.rawValue)
    case .left(let peer, let reason): self.init(goneFromStream: peer, Session.LeaveReason(reason).rawValue)
    case .unsent(let refusal): self.init(refusal, anchor: nil)
    case .ended: self = .sessionEnded
    }
  }

  private init(goneFromStream peer: PeerID, _ reason: String) {
    self.init(.notConnected, "the peer of the stream, \(peer.short), is gone: \(reason)")
  }

  private init(_ reset: StreamReset, of stream: String, _ peer: PeerID, isOpening: Bool) {
    let cause = RemoteError(reset.code, reset.message)
    switch reset.reason {
    case .app where isOpening:
      self.init(.streamReset, "\(peer.short) did not accept the stream '\(stream)'", cause: cause)
    case .app, .violation: self.init(.streamReset, "\(peer.short) has reset the stream '\(stream)'", cause: cause)
    case .unhandled: self.init(.unhandled, "\(peer.short) accepts no streams named '\(stream)'", cause: cause)
    case .limit:
      self.init(.limitExceeded, "too many streams to \(peer.short) have not ended; finish or reset one", cause: cause)
    }
  }
}

#if Alignment
extension SessionError {
  /// Why measurements gave no transform.
  init(_ error: AlignmentError) {
    switch error {
    case .notEnough, .degenerate, .ambiguous: self.init(.notDetermined, "\(error)", cause: error)
    case .notFinite, .negativeWeight, .unevenDescriptors: self.init(.invalidArgument, "\(error)", cause: error)
    case .cancelled: self.init(.cancelled, "\(error)", cause: error)
    }
  }
}
#endif
