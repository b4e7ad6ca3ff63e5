import AnchorReplication
package import Basics

/// Rule 7: a process that stood still knows nothing about the others and suspects nobody.
extension HostElection {
  /// Tells that the machine slept: the boot clock moved on by `gap` while the monotonic clock, whose time this is,
  /// stood still.
  package mutating func clockJumped(by gap: Duration, at now: Instant) {
    guard gap.wholeNanoseconds > configuration.timers.stall else { return }
    forgive(at: now)
  }

  /// Notices that this call comes far too late, for instance after SIGSTOP or in a debugger.
  mutating func noticeStall(at now: Instant) {
    guard let deadline, now.nanoseconds(since: deadline) > configuration.timers.stall else { return }
    forgive(at: now)
  }

  /// Starts every deadline anew, and with a full lease for the host.
  ///
  /// A host forgets its followers until their next Acks: it counts as alone if it meets a host that the others have
  /// elected meanwhile.
  private mutating func forgive(at now: Instant) {
    guard rules.contains(.stallCompensation) else { return }
    let timers = configuration.timers
    let lease = now.advanced(byNanoseconds: timers.lease)
    switch phase {
    case .following(let until): phase = .following(until: max(until, lease))
    case .listening, .waiting, .canvassing: phase = .listening(until: lease)
    case .hosting:
      let answer = now.advanced(byNanoseconds: timers.offer)
      offer?.until = answer
      handoverTo?.until = answer
      nextBeat = now
      forgetFollowers()
    }
  }
}
