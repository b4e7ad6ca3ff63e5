import Basics
import BasicsLinux
import PeerProtocol
import PeerTransport
import ServiceDiscovery
import WorldModel

extension SessionCore {
  func invite(
    _ target: InvitationTarget, context: [UInt8], timeout: Duration
  ) async throws(SessionError) -> Peer {
    guard context.count <= ProtocolLimits.invitationContext else {
      throw SessionError(
        .limitExceeded, "an invitation's context has at most \(ProtocolLimits.invitationContext) bytes")
    }
    let start = ContinuousClock.now
    let addresses = try await addresses(of: target, timeout: timeout)
    let rest = timeout - (ContinuousClock.now - start)
    let id = freshInvitation()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        invitations[id] = continuation
        if Task.isCancelled {
          finishInvitation(id, .cancelled)
        } else if (try? handle(.invite(id, addresses, context: context, timeout: rest))) == nil {
          finishInvitation(id, .failed(.left))
        }
      }
    } onCancel: {
      loop.execute { self.assumeIsolated { $0.input(.cancelInvitation(id)) } }
    }
    return try peer(from: result)
  }

  func finishInvitation(_ id: InvitationID, _ result: InvitationResult) {
    invitations.removeValue(forKey: id)?.resume(returning: result)
  }

  private func peer(from result: InvitationResult) throws(SessionError) -> Peer {
    switch result {
    case .accepted(let peer): return self.peer(peer)
    case .declined(let peer, let reason):
      throw SessionError(.declined, "\(self.peer(peer).name) declined: \(reason)")
    case .timedOut: throw SessionError(.invitationTimedOut, "nobody answered the invitation in time; try again")
    case .cancelled: throw SessionError(.cancelled, "the invitation was withdrawn")
    case .failed(let reason): throw SessionError(ended: reason)
    }
  }

  private func addresses(
    of target: InvitationTarget, timeout: Duration
  ) async throws(SessionError) -> [SocketAddress] {
    switch target {
    case .endpoint(let endpoint):
      guard endpoint.port > 0 else {
        throw SessionError(.invalidArgument, "\(endpoint) has no port to connect to; give one from 1 to 65535")
      }
      return try await Self.resolve(endpoint)
    case .candidate(let id):
      guard let found = candidates[id], let discovery else {
        throw SessionError(.unknownPeer, "\(id) is not on the network any more")
      }
      do {
        return try await discovery.resolve(found.instance, timeout: min(timeout, .seconds(5)))
      } catch {
        throw SessionError(.notConnected, "\(id) cannot be resolved: \(error)", cause: error)
      }
    }
  }

  /// The addresses of a host and port given by hand.
  nonisolated static func resolve(_ endpoint: Endpoint) async throws(SessionError) -> [SocketAddress] {
    do {
      return try await NameLookup.addresses(of: endpoint.host, port: endpoint.port)
    } catch {
      throw SessionError(.invalidArgument, "\(error)", cause: error)
    }
  }

  /// Asks the app, beside the event loop, and brings its answer back.
  func ask(_ id: InvitationID, _ invitation: Invitation) {
    let handler = configuration.invitationHandler
    let added = jobs.add { [weak self] in
      let decision = await handler(invitation)
      await self?.answer(id, decision)
    }
    if !added { answer(id, .decline(reason: "busy")) }
  }

  private func answer(_ id: InvitationID, _ decision: InvitationDecision) {
    switch decision {
    case .accept: input(.answer(id, .accept))
    case .decline(let reason): input(.answer(id, .decline(reason: reason)))
    }
  }
}
