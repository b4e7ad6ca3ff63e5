// Two sessions of one process, on a network in memory.

import SharedWorld

func shareALamp(from alice: PeerIdentity, to bob: PeerIdentity) async throws {
  // snippet.network
  let network = try MemoryNetwork()
  var configuration = Session.Configuration(service: "my-app")
  configuration.transport = .inMemory(network)
  configuration.invitations.outgoing = .all
  configuration.invitations.incoming = .all

  try await Session.withSession(as: alice, configuration: configuration) { first in
    try await Session.withSession(as: bob, configuration: configuration) { second in
      try await first.place(Anchor(name: "lamp", transform: .identity))
      for await case .change(let change) in second.world.changes() where change.anchor.name == "lamp" { break }
    }
  }
  // snippet.end
}
