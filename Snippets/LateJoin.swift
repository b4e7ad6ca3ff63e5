// A peer that comes later waits until it has what the others have.

import SharedWorld

func joinLate(_ link: InvitationLink, _ session: Session) async throws {
  // snippet.join
  var events = session.events.makeAsyncIterator()
  _ = try await session.peers.invite(.link(link))
  while let event = await events.next() {
    if case .mapProgress(let progress) = event { print("\(progress.verifiedBytes) of \(progress.totalBytes) bytes") }
    if case .synchronized(let digest) = event {
      print("\(await session.world.anchors.count) anchors, digest \(digest)")
      break
    }
  }
  let points = await session.maps.latest()?.cloud.count ?? 0
  // snippet.end
  print("\(points) points")
}
