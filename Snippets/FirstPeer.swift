// The README's program: the first run says this device's id; with the id of the other device it meets that one.

import SharedWorld

let arguments = CommandLine.arguments.dropFirst()
let identity = try PeerIdentity.loadOrCreate(named: arguments.first ?? "first-peer")
print("\(identity.name) is \(identity.peerID)")

if let friend = arguments.last.flatMap({ PeerID($0) }) {
  var configuration = Session.Configuration(service: "first-peer")
  configuration.invitationHandler = { $0.peer.id == friend ? .accept : .decline(reason: "unknown") }

  try await Session.withSession(as: identity, configuration: configuration) { session in
    try await withThrowingDiscardingTaskGroup { tasks in
      for await event in session.events {
        switch event {
        case .candidateFound(let candidate):
          // Beside the loop: an answer may take half a minute.
          tasks.addTask { _ = try? await session.invite(.candidate(candidate.id)) }
        case .peerJoined(let peer) where peer.id == friend:
          print("\(peer.name) is here")
          let lamp = Anchor(name: "lamp of \(identity.name)", transform: Transform(translation: [0, 1, -2]))
          tasks.addTask { try await session.place(lamp) }
        case .peerJoined(let stranger):
          // Anybody can answer an invitation. Only the key says who did; leave before anything is shared.
          print("\(stranger.name) (\(stranger.id)) is not the peer we wait for")
          tasks.cancelAll()
          return
        case .anchorAdded(let anchor, let origin) where origin != .local: print("received the \(anchor.name)")
        default: break
        }
      }
    }
  }
}
