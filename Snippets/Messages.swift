// Send objects to the others, read theirs, and ask a peer something.

import SharedWorld

struct Stroke: Codable, Sendable {
  var color: String
  var points: [SIMD3<Float>]
}

let identity = try PeerIdentity.loadOrCreate(named: "kitchen")
try await Session.withSession(as: identity, service: "my-app") { session in
  // snippet.streams
  let strokes = session.messages.of(Stroke.self, at: "draw/*")
  let counts = session.messages.requests(String.self, at: "count")
  // snippet.end
  // snippet.history
  let lines = session.messages.of(String.self, at: "chat", keep: .last(1000))
  // snippet.end
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { for await line in lines { print("\(line.sender.name): \(line.object)") } }
    // snippet.read
    group.addTask {
      for await stroke in strokes {
        print("\(stroke.sender.name) draws \(stroke.object.color) at \(stroke.transform ?? .identity)")
      }
    }
    group.addTask {
      await counts.answer { question in
        guard !question.object.isEmpty else { throw RemoteError("empty", "count what?") }
        return question.object.count
      }
    }
    // snippet.end

    // snippet.send
    let tip = Transform(translation: [0, 1.2, -0.5])
    let red = Message(Stroke(color: "red", points: []), transform: tip)
    try await session.messages.send(red, to: .all, at: "draw/wall")

    for peer in await session.state.peers where peer.state == .connected {
      let length: Int = try await session.messages.request("hello", from: peer.id, at: "count", timeout: .seconds(5))
      print("\(peer.peer.name) counts \(length)")
    }
    // snippet.end

    // snippet.unreliable
    try await session.send(tip, to: .all, at: "pointer", mode: .unreliable(key: "pointer"))
    // snippet.end

    // snippet.group
    try await session.messages.join(group: "red team")
    try await session.send(tip, to: .group("red team"), at: "pointer")
    // snippet.end
    try await group.waitForAll()
  }
}
