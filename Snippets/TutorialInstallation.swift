// The tutorial for an installation: a gallery owns the room, visitors are guests, and it runs for months.

import Foundation
import SharedWorld

let environment = ProcessInfo.processInfo.environment
// snippet.settings
var configuration = try Session.Configuration(room: "gallery", code: environment["ROOM_CODE"])
configuration.storage.folder = environment["STATE_DIRECTORY"] ?? "gallery-data"
configuration.hosting.authority = .curated
configuration.limits.members = 32
configuration.log = { FileHandle.standardError.write(Data("\($0)\n".utf8)) }
// snippet.end

// snippet.wish
/// What a visitor asks for: a few words at a place, which is the transform of the message.
struct Wish: Codable, Sendable {
  var text: String
}

/// Hangs up what visitors wish for, and keeps the last ten.
func grant(_ wishes: MessageStream<Wish>, in session: Session) async throws {
  for await wish in wishes {
    guard let place = wish.transform else { continue }
    try await session.place(Anchor(name: "visitor/" + wish.object.text, transform: place))
    let hung = await session.world.anchors.filter { $0.name.hasPrefix("visitor/") }
    for old in hung.sorted(by: { $0.createdAt ?? .zero < $1.createdAt ?? .zero }).dropLast(10) {
      try await session.remove(old.id)
    }
  }
}
// snippet.end

// snippet.run
try await Session.withSession(named: "gallery", configuration: configuration) { session in
  // A program that has run before has its exhibits back.
  let map = try WorldMap(contentsOfFile: "gallery.worldmap")
  try await session.share(map)
  let wishes = session.messages.of(Wish.self, at: "wish")
  try await withThrowingTaskGroup(of: Void.self) { tasks in
    tasks.addTask { try await grant(wishes, in: session) }
    for await event in session.events {
      switch event {
      case .peerJoined(let visitor): try await session.peers.setRole(.guest, of: visitor.id)
      case .ended(let reason): if reason != .left { exit(75) }
      default: break
      }
    }
    tasks.cancelAll()
  }
}
// snippet.end
