// Open a stream of bytes to a peer, and accept those of others.

import SharedWorld

let identity = try PeerIdentity.loadOrCreate(named: "kitchen")
try await Session.withSession(as: identity, service: "my-app") { session in
  // snippet.accept
  let logs = session.streams.incoming(named: "log/*")
  // snippet.end
  try await withThrowingTaskGroup(of: Void.self) { group in
    // snippet.read
    group.addTask {
      await withDiscardingTaskGroup { readers in
        for await log in logs {
          readers.addTask {
            do {
              var count = 0
              for try await bytes in log { count += bytes.count }
              try await log.write(Array("\(count) bytes".utf8))
              try await log.finish()
            } catch {
              print("the log of \(log.peer) broke off: \(error)")
            }
          }
        }
      }
    }
    // snippet.end

    // snippet.open
    for peer in await session.state.peers where peer.state == .connected {
      let log = try await session.streams.open(named: "log/kitchen", to: peer.id)
      try await log.write(Array("the kettle boils".utf8))
      try await log.finish()
      for try await bytes in log { print(String(decoding: bytes, as: UTF8.self)) }
    }
    // snippet.end
    try await group.waitForAll()
  }
}
