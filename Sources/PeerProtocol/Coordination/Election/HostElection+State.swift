package import Basics

/// The state as bytes, for explorers that have to know whether they have been here before.
extension HostElection {
  /// Appends everything that later behaviour depends on but session time and chance; instants as what is left of them.
  ///
  /// Nodes are named by their incarnations, which therefore have to differ.
  package func writeState(to writer: inout ByteWriter, at now: Instant) {
    writePhase(to: &writer, at: now)
    writer.write(host?.incarnation ?? 0)
    writer.write(epoch)
    writer.write(maxEpochSeen)
    writer.write(lastClaim)
    writer.write(joinSequence)
    writer.write(nextJoinSequence)
    for member in members {
      writer.write(member.node.incarnation)
      writer.write(member.rank.joinSequence)
    }
    write(bootUntil, to: &writer, at: now)
    write(quietUntil, to: &writer, at: now)
    write(nextOffer, to: &writer, at: now)
    writer.write(UInt8(isEntering ? 1 : 0))
    writer.write(beatSequence)
    writer.write(countedFrom)
  }

  private func writePhase(to writer: inout ByteWriter, at now: Instant) {
    switch phase {
    case .following(let until): write(until, to: &writer, at: now, tag: 1)
    case .listening(let until): write(until, to: &writer, at: now, tag: 2)
    case .waiting(let until): write(until, to: &writer, at: now, tag: 3)
    case .canvassing(let until): write(until, to: &writer, at: now, tag: 4)
    case .hosting:
      write(nextBeat, to: &writer, at: now, tag: 5)
      for lock in [offer, handoverTo] {
        write(lock?.until ?? .zero, to: &writer, at: now, tag: UInt8(truncatingIfNeeded: lock?.node.incarnation ?? 0))
      }
    }
    let timers = configuration.timers
    for follower in followers {
      let age = now.nanoseconds(since: follower.heard)
      guard age < timers.ackLife else { continue }
      writer.write(follower.node.incarnation)
      writer.write(UInt64(age))
    }
  }

  private func write(_ instant: Instant, to writer: inout ByteWriter, at now: Instant, tag: UInt8 = 0) {
    writer.write(tag)
    writer.write(UInt64(max(0, instant.nanoseconds(since: now))))
  }
}
