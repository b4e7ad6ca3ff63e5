import WorldModel

extension Node {
  /// Notes the time of a call.
  ///
  /// A turn that comes late because this process stood still must not accuse others.
  mutating func notice(_ now: Instant) {
    let late = now - lastTick - ProtocolTimes.ping
    if late > .milliseconds(500) { compensate(for: late, at: now) }
    lastTick = max(lastTick, now)
  }

  /// Moves every deadline that waits for others by the time this node was not running.
  mutating func compensate(for gap: Duration, at now: Instant) {
    for id in linkOrder {
      links[id]?.lastHeard += gap
      if let deadline = links[id]?.deadline { links[id]?.deadline = deadline + gap }
    }
    elect(.stalled(gap), at: now)
  }

  mutating func runTimers(at now: Instant) {
    guard !hasEnded else { return }
    expireLinks(at: now)
    expireInvitations(at: now)
    expireMembers(at: now)
    dialInvitations(at: now)
    dialMembers(at: now)
    if now >= nextAntiEntropy {
      nextAntiEntropy = now + ProtocolTimes.antiEntropy
      exchangeVectors()
      confirmIncarnations(at: now)
      checkDownloads(at: now)
    }
    if let due = graph.deadline, due <= now {
      graph.tick(at: now)
      drainGraph(at: now)
    }
    if let due = election.deadline, due <= now { elect(.tick, at: now) }
  }

  private mutating func expireLinks(at now: Instant) {
    for id in linkOrder {
      guard let link = links[id] else { continue }
      if let deadline = link.deadline, deadline <= now {
        if hasInvitation(with: link.peer), link.phase == .stranger {
          links[id]?.deadline = now + ProtocolLimits.strangerTime
        } else {
          // Whoever is held as a member is not refused because its own word does not come through.
          end(id, link.phase == .greeting || link.weAdmit ? .timedOut : .refused, at: now)
        }
      } else if link.phase == .member {
        keepAlive(link, at: now)
      }
    }
  }

  private mutating func keepAlive(_ link: Link, at now: Instant) {
    if now - link.lastHeard >= ProtocolTimes.silence {
      end(link.id, .timedOut, at: now)
    } else if now - link.lastSent >= ProtocolTimes.ping {
      links[link.id]?.lastSent = now
      sendControl(.ping, on: link.id) { $0.write(UInt64(bitPattern: now.nanoseconds)) }
    }
  }
}
