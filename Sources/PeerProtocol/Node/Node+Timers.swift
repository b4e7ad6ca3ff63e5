import Basics
import WorldModel

/// The time in which nothing becomes due of links, invitations and members, and the links that stay meanwhile.
///
/// It is found once and then spares a look at each of them for every batch of operations. Whatever may bring a deadline
/// nearer or change the links sets ``Node/quiet`` to nil: every input and frame does, except those known not to.
struct Quiet: Sendable, Equatable {
  /// What the driver must be woken for.
  let deadline: Instant
  /// That, or the first moment a link may need a ping or be too silent; both only move away while it is in use.
  let end: Instant
  /// The links of members that carry traffic, oldest first.
  let memberLinks: [LinkID]
  /// Those of them on which operations of others may have to be passed on.
  let relayLinks: [LinkID]
}

extension Node {
  /// Notes the time of a call.
  ///
  /// A turn that comes late because this process stood still must not accuse others.
  mutating func notice(_ now: Instant) {
    let late = now - lastTick - ProtocolTimes.ping
    if late > .milliseconds(500) {
      for id in links.ids {
        if let deadline = links[id]?.deadline { links[id]?.deadline = deadline + late }
      }
      excuse(late, at: now)
    }
    lastTick = max(lastTick, now)
  }

  /// Gives others the time in which this node was not running, or the machine was suspended.
  ///
  /// Nobody is thought to have been heard later than now: the monotonic clock may have stood still in that time, and a
  /// dead link must not be believed for as long again.
  mutating func excuse(_ gap: Duration, at now: Instant) {
    quiet = nil
    for id in links.ids {
      if let heard = links[id]?.lastHeard { links[id]?.lastHeard = min(heard + gap, now) }
    }
    for entry in roster.entries { members[entry.peerID]?.excuse(gap, at: now) }
    maps.excuse(gap)
    ownership.excuse(gap, at: now)
    elect(.stalled(gap), at: now)
    hastenDials(at: now)
  }

  /// Does what is due.
  mutating func runTimers(at now: Instant) {
    guard !hasEnded else { return }
    if quiet.map({ now >= $0.end }) ?? true {
      quiet = nil
      expireLinks(at: now)
      expireInvitations(at: now)
      expireMembers(at: now)
      dialInvitations(at: now)
      dialMembers(at: now)
    }
    if now >= nextAntiEntropy {
      quiet = nil
      nextAntiEntropy = now + ProtocolTimes.antiEntropy
      exchangeVectors()
      repeatRules()
      confirmIncarnations(at: now)
      settleDisputes(at: now)
      checkDownloads(at: now)
      repeatMapStatus(at: now)
    }
    if let due = ephemeralDeadline, due <= now { runEphemeral(at: now) }
    if let due = graph.deadline, due <= now {
      quiet = nil
      graph.tick(at: now)
      drainGraph(at: now)
    }
    if let due = election.deadline, due <= now {
      quiet = nil
      elect(.tick, at: now)
    }
    if hasNewEvidence { takeBelieved(at: now) }
    if !acknowledgements.waits.isEmpty { runAcknowledgements(at: now) }
    if !ownership.isIdle { runOwnership(at: now) }
    freeOrphans(at: now)
    if quiet == nil { quiet = quietNow }
  }

  /// Whether what is remembered would let a deadline pass or leave a link out; tests see that it never does.
  package var oversleeps: Bool {
    guard let quiet else { return false }
    let now = quietNow
    return quiet.deadline > now.deadline || quiet.end > now.end || quiet.memberLinks != now.memberLinks
      || quiet.relayLinks != now.relayLinks
  }

  /// When links, invitations and members have something due, as they are now.
  var quietNow: Quiet {
    var next = Instant.distantFuture
    var keepAlive = Instant.distantFuture
    for id in links.ids {
      if let deadline = links[id]?.deadline { next = min(next, deadline) }
      if links[id]?.phase == .bulk, let idle = links[id]?.idleAt { next = min(next, idle) }
      guard links[id]?.phase == .member, let heard = links[id]?.lastHeard, let sent = links[id]?.lastSent else {
        continue
      }
      keepAlive = min(keepAlive, heard + ProtocolTimes.silence, sent + ProtocolTimes.ping)
    }
    for invitation in outgoing {
      next = min(next, invitation.deadline)
      if invitation.peer == nil { next = min(next, invitation.plan.nextAttempt) }
    }
    for invitation in incoming { next = min(next, invitation.deadline) }
    for (peer, member) in members {
      if controlLinks[peer] == nil { next = min(next, member.plan.nextAttempt) }
      next = min(next, member.noticeDeadline ?? next)
    }
    let memberLinks = links.ids.filter(carriesMember)
    return Quiet(
      deadline: next, end: min(next, keepAlive), memberLinks: memberLinks, relayLinks: memberLinks.filter(mayRelay))
  }

  private mutating func expireLinks(at now: Instant) {
    for id in links.ids {
      if let deadline = links[id]?.deadline, deadline <= now {
        expire(id, at: now)
      } else if links[id]?.phase == .member {
        keepAlive(id, at: now)
      } else if links[id]?.phase == .bulk, let idle = links[id]?.idleAt, idle <= now {
        drop(id, at: now)
      }
    }
  }

  private mutating func expire(_ id: LinkID, at now: Instant) {
    guard let link = links[id] else { return }
    if hasInvitation(with: link.peer), link.phase == .stranger {
      links[id]?.deadline = now + ProtocolLimits.strangerTime
    } else {
      // Whoever is held as a member is not refused because its own word does not come through.
      end(id, link.phase == .greeting || link.weAdmit ? .timedOut : .refused, at: now)
    }
  }

  private mutating func keepAlive(_ id: LinkID, at now: Instant) {
    guard let heard = links[id]?.lastHeard, let sent = links[id]?.lastSent else { return }
    if now - heard >= ProtocolTimes.silence {
      end(id, .timedOut, at: now)
    } else if now - sent >= ProtocolTimes.ping {
      links[id]?.lastSent = now
      sendControl(.ping, on: id) { $0.write(UInt64(bitPattern: now.nanoseconds)) }
    }
  }
}
