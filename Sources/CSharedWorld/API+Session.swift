public import CSharedWorldHeaders
import SharedWorld

/// The TCP port a session listens on.
@c @implementation
public func sw_session_port(_ session: OpaquePointer?) -> UInt16 {
  (try? object(session, as: RunningSession.self).session.port) ?? 0
}

/// Answers an invitation.
@c @implementation
public func sw_session_answer(
  _ session: OpaquePointer?, _ invitation: UInt64, _ accept: Int32, _ reason: UnsafePointer<CChar>?
) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    let reason = try optionalText(reason, "reason") ?? ""
    guard running.desk.invitations?.answer(invitation, accept == 0 ? .decline(reason: reason) : .accept) == true else {
      throw Failure.argument("no invitation \(invitation) waits for an answer, or its sender has withdrawn it")
    }
  }
}

/// Answers whether another screen shows the same code.
@c @implementation
public func sw_session_answer_code(
  _ session: OpaquePointer?, _ code: UInt64, _ is_same: Int32
) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    guard running.desk.codes?.answer(code, is_same != 0) == true else {
      throw Failure.argument("no code \(code) waits for an answer, or its comparison has ended")
    }
  }
}

/// Lets strangers try the passcode again.
@c @implementation
public func sw_session_unlock_passcode(_ session: OpaquePointer?) -> sw_status {
  attempt { try object(session, as: RunningSession.self).wait { await $0.peers.unlockPasscode() } }
}

/// The host.
@c @implementation
public func sw_session_host(
  _ session: OpaquePointer?, _ host: UnsafeMutablePointer<sw_peer_id>?, _ epoch: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  attempt {
    let state = try object(session, as: RunningSession.self).wait { await $0.state }
    host?.pointee = sw_peer_id(copying: state.host?.id.bytes ?? [])
    epoch?.pointee = state.epoch
  }
}

/// Begins to leave.
@c @implementation
public func sw_session_leave(_ session: OpaquePointer?) -> sw_status {
  attempt { try object(session, as: RunningSession.self).leave() }
}

/// Gives up an operation or a subscription.
@c @implementation
public func sw_session_cancel(_ session: OpaquePointer?, _ operation: UInt64) -> sw_status {
  attempt { try object(session, as: RunningSession.self).operations.cancel(operation) }
}

/// Asks to host.
@c @implementation
public func sw_session_request_host(
  _ session: OpaquePointer?, _ timeout: UInt32, _ operation: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  begin(session, operation) {
    let patience = try duration(timeout, default: 5_000)
    return { session, _ in try check(await session.peers.requestHost(timeout: patience)) }
  }
}

/// Hands the host's role over.
@c @implementation
public func sw_session_hand_over(
  _ session: OpaquePointer?, _ peer: UnsafePointer<sw_peer_id>?, _ timeout: UInt32,
  _ operation: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  begin(session, operation) {
    let (id, patience) = (try peerID(peer), try duration(timeout, default: 5_000))
    return { session, _ in try check(try await session.peers.handOver(to: id, timeout: patience)) }
  }
}

/// Answers who may host, or who gets an anchor.
@c @implementation
public func sw_session_answer_question(_ session: OpaquePointer?, _ question: UInt64, _ accepts: Int32) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    guard running.desk.questions.answer(question, accepts: accepts != 0) else {
      throw Failure.argument("no question \(question) waits for an answer")
    }
  }
}

/// Removes a member.
@c @implementation
public func sw_session_kick(_ session: OpaquePointer?, _ peer: UnsafePointer<sw_peer_id>?) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    let id = try peerID(peer)
    try running.wait { try await $0.peers.remove(id) }
  }
}

/// Throws unless the peer that was to host does.
private func check(_ outcome: HostOutcome) throws {
  switch outcome {
  case .hosts: return
  case .refused: throw SessionError(.declined, "the present host keeps the role")
  case .unchanged: throw SessionError(.notAcknowledged, "the host has not changed in time")
  case .ended: throw SessionError(.ended, "the session has ended")
  }
}
