import PeerCLI
import SharedWorld

/// What the page does about members, where this peer may.
extension Viewer {
  func kick(_ request: PeerRequest) async throws(HTTPFailure) -> HTTPResponse {
    try await edit { session throws(SessionError) in try await session.kick(try PeerID(page: request.peer)) }
  }

  func setRole(_ request: RoleRequest) async throws(HTTPFailure) -> HTTPResponse {
    guard let role = PeerRole(rawValue: request.role) else {
      throw HTTPFailure(400, "there is no role \(request.role)")
    }
    return try await edit { session throws(SessionError) in
      try await session.setRole(role, of: try PeerID(page: request.peer))
    }
  }

  func setLock(_ request: LockRequest) async throws(HTTPFailure) -> HTTPResponse {
    try await edit { session throws(SessionError) in
      if request.isLocked { try await session.lockSession() } else { try await session.unlockSession() }
    }
  }

  /// Lets strangers try the passcode again.
  func unlockPasscode() async throws(HTTPFailure) -> HTTPResponse {
    trouble = nil
    return try await edit { session in await session.unlockPasscode() }
  }

  /// What this peer may do about members.
  func describeRights(_ state: Session.State) async -> JSON.Members {
    let role = try? await session.role(of: session.localPeer.id)
    let isOwned = (try? await session.owner()) ?? nil != nil
    let rules = role == .creator || role == .moderator
    return [
      "isOwned": .bool(isOwned), "isLocked": .bool(state.isLocked), "role": .optional(role?.rawValue),
      "mayRule": .bool(isOwned ? rules : state.host == session.localPeer.id),
      "isPasscodeClosed": .bool(trouble?.isPasscodeClosed == true),
    ]
  }
}

extension PeerID {
  /// The peer that the page names.
  fileprivate init(page text: String) throws(SessionError) {
    guard let id = PeerID(text) else { throw SessionError(.invalidArgument, "'\(text)' is no peer's id") }
    self = id
  }
}
