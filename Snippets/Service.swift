// A program without a window, from start to end: a room whose code and folder come from outside, and that systemd can run.

import Foundation
import SharedWorld

// snippet.output
/// For whom the program works, at once also where the output is a pipe.
func say(_ text: String) {
  print(text)
  fflush(nil)
}

/// For people who look after it.
func note(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
// snippet.end

// snippet.run
/// Runs until the session ends, and returns the status to exit with.
func run(_ session: Session) async throws -> Int32 {
  // A program that has run before has its anchors back.
  if await !session.world.anchors.contains(where: { $0.name == "lamp post" }) {
    try await session.place(Anchor(name: "lamp post", transform: Transform(translation: [0, 2, -1])))
  }
  for await event in session.events {
    switch event {
    case .peerJoined(let peer): say("\(peer.name) is here")
    case .anchorAdded(let anchor, .remote): say("somebody placed \(anchor.name)")
    case .nobodyFound, .invitationFailed, .problem: note("\(event)")
    case .ended(let reason): return reason == .left ? 0 : 75
    default: break
    }
  }
  return 0
}
// snippet.end

// snippet.main
let environment = ProcessInfo.processInfo.environment
do {
  var configuration = try Session.Configuration(room: "kitchen", code: environment["ROOM_CODE"])
  configuration.storage.folder = environment["STATE_DIRECTORY"] ?? "kitchen-data"
  configuration.log = { note("\($0)") }
  exit(try await Session.withSession(named: "lamp post", configuration: configuration) { try await run($0) })
} catch let error as SessionError where error.code == .ended {
  exit(0)
} catch let error as SessionError where error.code == .invalidArgument {
  note(error.message)
  exit(64)
} catch {
  note("\(error)")
  exit(70)
}
// snippet.end
