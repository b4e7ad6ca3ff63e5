// Offers a file to all members, accepts those of others, and attaches one to the session.

import Foundation
import SharedWorld

func offer(_ path: String, in session: Session) async throws {
  // snippet.offer
  let peers = await session.state.peers.map(\.id)
  let transfer = try await session.files.send(at: path, named: "plan.pdf", to: peers)
  for (peer, failure) in await transfer.results() {
    print("\(peer.short): \(failure.map { "\($0)" } ?? "has it")")
  }
  // snippet.end
}

func receive(_ event: Session.Event, in session: Session) async throws {
  switch event {
  // snippet.accept
  case .resourceOffered(let offer):
    if offer.size < 10_000_000 { try await session.files.accept(offer) } else { await session.files.decline(offer) }
  case .resourceReceived(let receipt):
    try FileManager.default.moveItem(atPath: receipt.path, toPath: "plan.pdf")
  // snippet.end
  default: break
  }
}

func attach(_ path: String, in session: Session) async throws {
  // snippet.attach
  let id = try await session.files.attach(at: path, named: "manual.pdf")
  // snippet.end
  print(id)
}
