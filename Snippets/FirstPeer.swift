// The program of Getting started: the first run says this device's id; with the id of the other device it meets that one.

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
          // Beside the loop: an answer may take half a minute. A peer with another key is sent nothing.
          tasks.addTask {
            do throws(SessionError) {
              _ = try await session.invite(.candidate(candidate.id), expecting: friend)
            } catch {
              if error.code == .identityMismatch { print("\(candidate.id) is not the peer we wait for") }
            }
          }
        case .peerJoined(let peer):
          print("\(peer.name) is here")
          let lamp = Anchor(name: "lamp of \(identity.name)", transform: Transform(translation: [0, 1, -2]))
          tasks.addTask { try await session.place(lamp) }
        case .anchorAdded(let anchor, let origin) where origin != .local: print("received the \(anchor.name)")
        default: break
        }
      }
    }
  }
}
