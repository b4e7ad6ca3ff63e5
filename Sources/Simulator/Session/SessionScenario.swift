package import AnchorReplication
import Basics
import PeerProtocol

/// The kinds of run of whole sessions that a seed can stand for.
package enum SessionScenario: String, CaseIterable, Sendable {
  /// Faults of every kind while apps edit anchors, share maps and ask to host; then rest: everything agrees within 60 s.
  case chaos = "session"
  /// The same, and apps walk about, drag anchors and say what they want to see of it: at rest each sees just that.
  case poses = "session-poses"
  /// The same as the first, and apps send messages and read slowly: each arrives once, in order, or fails.
  case messages = "session-messages"
  /// The same, and apps open streams, write, read at their own pace and let go of them: bytes come once and in order, and both
  /// sides agree on what is over.
  case streams = "session-streams"
  /// The same as the first, and apps offer, accept, decline and give up resources: what comes is what was offered, and every
  /// offer ends.
  case resources = "session-resources"
  /// The same as the first, and apps attach resources to the session and remove some: everybody gets what stands, and what was
  /// removed stays away.
  case attachments = "session-attachments"
  /// The same as the first, and people join and leave groups while the first node lies until the faults are over: of each other one
  /// everybody knows in the end what that one says itself.
  case words = "session-words"
  /// The same as the first, and devices see the world in frames of their own, which drift, get lost and are measured: nothing is
  /// ever shown at a wrong place.
  case frames = "session-frames"
  /// The same, and the first node measures wrongly: frames that honest nodes confirm stay where they are.
  case wrongFrames = "session-wrong-frames"
  /// The same as the first, and the first node lies until the faults are over.
  case liar
  /// An owned session in parts that split and merge: a member that is removed and stays on, a guest that writes, an accomplice that hands on what that
  /// writes and lies, a stranger that nobody may admit; at rest the others hold the same.
  case owned = "session-owned"
  /// The host of a session at rest crashes silently: E6.
  case failover = "session-failover"
  /// A session splits in two of unequal size, both sides edit, and it heals: E5.
  case merge = "session-merge"
  /// The same as the first, and every app has a driver that asks for a secret; the first node knows none, and tries to get in until
  /// the faults are over: nobody is ever linked whose driver, or whose peer's, has not authenticated the other.
  case drivers = "session-drivers"
  /// Newcomers join a session at rest: the host stays, and they get everything.
  case joins = "session-joins"
  /// A member loses its link to an author in the middle of its words: others bring the rest at once.
  case detour
  /// Two members reach each other only through others, over ways of which one is slow, and one of the two restarts: no message
  /// overtakes another one.
  case relays = "session-relays"
  /// An author dies, and those who heard its last words are cut off for a while: they come all the way nevertheless.
  case orphan
  /// Members of a locked session restart with what they had kept, at last all at once: they are members again.
  case restarts = "session-restarts"

  /// Runs one seed with `count` nodes, 2 at least, each keeping these rules, with the faults of `plan` instead of random ones.
  package func run(
    seed: UInt64, count: Int, rules: ProtocolRules = .all, recording: Bool = false, replaying: Bool = false,
    plan: FaultPlan? = nil
  ) -> RunOutcome {
    var random = SeededRandom(seed: seed ^ 0x5e55)
    let cast = self == .owned ? OwnedCast(count: max(OwnedCast.fewest, count)) : nil
    let world = SessionWorld(
      seed: seed, count: max(2, cast?.count ?? count), rules: rules,
      liar: self == .liar || self == .words ? 0 : cast == nil ? nil : OwnedCast.accomplice,
      stranger: self == .drivers ? 0 : nil, cast: cast, isRecorded: replaying,
      profile: Self.profile(&random), transcript: Transcript(isOn: recording))
    let frames: FrameApp.Kind? = self == .frames ? .honest : self == .wrongFrames ? .wrong(by: 0) : nil
    var run = SessionRun(
      world: world, random: random, hasPoses: self == .poses,
      hasWords: self == .words,
      hasMessages: self == .messages || self == .streams || self == .relays,
      hasStreams: self == .streams, hasResources: self == .resources, hasAttachments: self == .attachments,
      frames: frames)
    switch self {
    case .chaos, .liar, .poses, .messages, .streams, .resources, .attachments, .words, .frames, .wrongFrames,
      .drivers:
      run.chaos(plan)
    case .owned: run.owned(plan)
    case .failover: run.failover()
    case .merge: run.merge()
    case .joins: run.joins()
    case .detour: run.detour()
    case .orphan: run.orphan()
    case .relays: run.relays()
    case .restarts: run.restarts()
    }
    if replaying { for index in 0..<run.world.count { run.world.replay(index) } }
    return run.outcome
  }

  /// A cable, a good or a bad radio link; now and then a slow one.
  private static func profile(_ random: inout SeededRandom) -> NetworkProfile {
    var profile = NetworkProfile()
    profile.jitter = [500_000, 3_000_000, 20_000_000, 60_000_000][random.below(4)]
    profile.rate = [nil, nil, 10_000_000, 1_000_000, 250_000][random.below(5)]
    return profile
  }
}
