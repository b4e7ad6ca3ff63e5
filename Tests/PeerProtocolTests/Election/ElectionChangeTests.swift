import Basics
@testable import PeerProtocol
import Testing

/// Rules 6 and 7, seats, session time and the edges of numbers, on a single node.
struct ElectionChangeTests {
  private let two = electionNode(2)

  @Test func theOldHostStaysUntilTheNewOnesBeat() {
    var election = HostElection.host(1, members: [2])
    let first = election.handover(to: two, at: at(800))
    let second = election.handover(to: two, at: at(810))
    #expect(first && !second)
    #expect(election.isHost)
    election.handle(.beat(electionBeat(2)), from: two, at: at(900))
    #expect(election.host == two)
  }

  @Test func theOldHostStaysWithoutABeat() {
    var election = HostElection.host(1, members: [2])
    let toAStranger = election.handover(to: electionNode(3), at: at(800))
    #expect(!toAStranger)
    let toAMember = election.handover(to: two, at: at(800))
    #expect(toAMember)
    for time: Int64 in [1100, 1600, 1800] { election.tick(at: at(time)) }
    #expect(election.isHost)
    let again = election.handover(to: two, at: at(1810))
    #expect(again)
  }

  @Test func theTargetOfAHandoverClaims() {
    var election = HostElection.follower(1, of: 2, epoch: 5)
    election.handle(.handover(.init(epoch: 5)), from: electionNode(3), at: at(100))
    #expect(!election.isHost)
    election.handle(.handover(.init(epoch: 5)), from: two, at: at(100))
    #expect(election.isHost)
    #expect(election.epoch == 6)
  }

  @Test func theSuccessorOfAResignationClaims() throws {
    var election = HostElection.host(1, members: [2, 3])
    let hasSuccessor = election.resign(at: at(800))
    #expect(hasSuccessor)
    let said = election.drain()
    #expect(said.first == .broadcast(.resign(.init(epoch: 1, successor: two))))
    var successor = HostElection.follower(2, of: 1, epoch: 1)
    successor.handle(.resign(.init(epoch: 1, successor: two)), from: electionNode(1), at: at(900))
    #expect(successor.isHost)
    var other = HostElection.follower(3, of: 1, epoch: 1)
    other.handle(.resign(.init(epoch: 1, successor: two)), from: electionNode(1), at: at(900))
    #expect(other.host == nil)
    #expect(try #require(other.deadline) > at(1100))
  }

  @Test func aLoneHostKeepsItsPlace() {
    var election = HostElection.host(1)
    let hasSuccessor = election.resign(at: at(800))
    #expect(!hasSuccessor)
    #expect(election.isHost)
  }

  @Test func aRequestIsGrantedOrNot() {
    for grants in [true, false] {
      var election = HostElection.fresh(1, configuration: ElectionConfiguration(grantsRequests: grants))
      election.tick(at: at(0))
      election.tick(at: at(600))
      election.know([2], at: at(700))
      election.handle(.request(.init(priority: 0, isExplicit: true)), from: two, at: at(800))
      let said = election.drain()
      #expect(said == (grants ? [.send(.handover(.init(epoch: 1)), to: two)] : []))
    }
  }

  @Test func aLateTickSuspectsNobody() {
    var election = HostElection.follower(1, of: 2, epoch: 5)
    election.tick(at: at(12_000))
    #expect(election.host == two)
    #expect(election.leaseUntil == at(14_000))
    election.tick(at: at(14_400))
    #expect(election.host == nil)
  }

  @Test func aSleepGrantsALease() {
    var election = HostElection.follower(1, of: 2, epoch: 5)
    election.clockJumped(by: .milliseconds(400), at: at(1000))
    #expect(election.leaseUntil == at(2000))
    election.clockJumped(by: .seconds(3600), at: at(1000))
    #expect(election.leaseUntil == at(3000))
  }

  @Test func aHostThatStoodStillCountsAsAlone() {
    var election = HostElection.host(1, members: [2])
    election.handle(.ack(.init(epoch: 1, sequence: 1, joinSequence: 2, sessionTime: 0)), from: two, at: at(800))
    #expect(election.size(at: at(800)) == 2)
    election.clockJumped(by: .seconds(10), at: at(810))
    #expect(election.size(at: at(810)) == 1)
    election.handle(.ack(.init(epoch: 1, sequence: 1, joinSequence: 2, sessionTime: 0)), from: two, at: at(811))
    #expect(election.size(at: at(811)) == 1)
    election.tick(at: at(812))
    election.handle(.ack(.init(epoch: 1, sequence: 3, joinSequence: 2, sessionTime: 0)), from: two, at: at(813))
    #expect(election.size(at: at(813)) == 2)
  }

  @Test func aNodeThatMayNotHostNeverCanvasses() {
    var election = HostElection.fresh(1, configuration: ElectionConfiguration(canHost: false))
    #expect(election.deadline == nil)
    election.requestHost(at: at(0))
    let said = election.drain()
    #expect(said.isEmpty)
  }

  @Test func aLoneHostThatEntersASessionSaysSoAtOnceAndHostsOnUntilItHearsTheHostOfThat() {
    var election = HostElection.host(1, members: [2, 3])
    election.join(two, at: at(1000))
    #expect(election.isHost && election.deadline == at(1000))
    // Another lone host may enter a session itself.
    election.handle(.beat(electionBeat(9, size: 1)), from: electionNode(3), at: at(1100))
    #expect(election.isHost)
    _ = election.drain()
    election.handle(.beat(electionBeat(9, size: 1)), from: two, at: at(1200))
    #expect(election.host == two && election.epoch == 9)
    let words = election.drain().compactMap(\.message)
    #expect(words.contains(.stepDown(.init(to: two, epoch: 9, leaseRemaining: 2000, ended: 1))))
    #expect(words.contains { if case .ack = $0 { true } else { false } })
    #expect(!words.contains { if case .yield = $0 { true } else { false } })
  }

  @Test func theHostOfTheSessionThatIsEnteredMayBeAnotherThanTheMemberThatInvited() {
    for size: UInt16 in [1, 2] {
      var election = HostElection.host(1, members: [2, 3])
      election.join(two, at: at(1000))
      election.handle(.beat(electionBeat(9, size: size)), from: electionNode(3), at: at(1100))
      #expect(election.host == electionNode(size == 1 ? 1 : 3))
    }
  }

  @Test func aLoneHostThatEntersASessionYieldsToTheOfferOfItsHostWhateverItsRank() {
    var election = HostElection.host(9, members: [2, 3])
    election.join(two, at: at(1000))
    election.handle(.offer(.init(size: 1, priority: 0, epoch: 0)), from: two, at: at(1100))
    #expect(election.host == two)
  }

  @Test func twoLoneHostsOnTheirWayIntoOneSessionDoNotGatherEachOther() {
    var election = HostElection.host(1, members: [2, 3])
    election.join(two, at: at(1000))
    _ = election.drain()
    election.handle(.beat(electionBeat(9, size: 1)), from: electionNode(3), at: at(1100))
    let words = election.drain()
    #expect(election.isHost && words.isEmpty)
    // Nor does one that has no host yet and listens.
    var newcomer = HostElection.fresh(1)
    newcomer.join(two, at: at(0))
    newcomer.handle(.beat(electionBeat(9, size: 1)), from: electionNode(3), at: at(100))
    #expect(newcomer.host == nil)
    newcomer.handle(.beat(electionBeat(1, size: 1)), from: two, at: at(200))
    #expect(newcomer.host == two)
  }

  @Test func aHostWhoseOfferIsAnsweredByFollowingMayHandOverAtOnce() {
    var election = HostElection.host(1, members: [2])
    election.handle(.beat(electionBeat(1, size: 1)), from: two, at: at(1000))
    let said = election.drain()
    #expect(said.contains { if case .send(.offer, to: two) = $0 { true } else { false } })
    let isEarly = election.handover(to: two, at: at(1010))
    election.handle(.ack(.init(epoch: 1, sequence: 0, joinSequence: 1, sessionTime: 0)), from: two, at: at(1020))
    let isLater = election.handover(to: two, at: at(1030))
    #expect(!isEarly && isLater)
  }

  @Test func aLoneHostOnItsWayOffersItselfToTheMemberWhoseSessionItEntersAlone() {
    var election = HostElection.host(1, members: [2, 3])
    election.join(two, at: at(1000))
    election.tick(at: at(1000))
    let sizes = election.drain().compactMap { output -> (NodeID?, UInt16)? in
      switch output {
      case .send(.beat(let beat), to: let node): (node, beat.size)
      case .broadcast(.beat(let beat)): (nil, beat.size)
      default: nil
      }
    }
    #expect(sizes.count == 2 && sizes[0] == (two, 1) && sizes[1] == (nil, 0))
    // One whose lease is over follows no such newcomer, and asks.
    var free = HostElection.follower(3, of: 2, epoch: 1, members: [1])
    for time: Int64 in stride(from: 400, through: 2000, by: 400) { free.tick(at: at(time)) }
    free.handle(.beat(electionBeat(9, size: 0)), from: electionNode(1), at: at(2010))
    #expect(free.host == nil)
    free.handle(.beat(electionBeat(9, size: 1)), from: electionNode(1), at: at(2020))
    #expect(free.host == electionNode(1))
  }

  @Test func aLoneHostThatIsFollowedEntersNoMore() {
    var election = HostElection.host(9, members: [2, 3])
    election.join(two, at: at(1000))
    election.tick(at: at(1000))
    election.handle(
      .ack(.init(epoch: 1, sequence: 3, joinSequence: 0, sessionTime: 0)), from: electionNode(3), at: at(1010))
    for time: Int64 in stride(from: 1100, through: 4000, by: 100) { election.tick(at: at(time)) }
    election.handle(.beat(electionBeat(1, size: 1)), from: two, at: at(4000))
    #expect(election.isHost)
  }

  @Test func aLoneHostThatHasHeardNoHostForALeaseAsksTheMembers() {
    var election = HostElection.host(1, members: [2, 3])
    election.join(two, at: at(1000))
    for time: Int64 in stride(from: 1000, to: 3000, by: 100) { election.tick(at: at(time)) }
    #expect(election.isHost)
    _ = election.drain()
    // The Beat of another newcomer comes first: it is not what is asked for, then or until the answers are here.
    for time: Int64 in [3000, 3300] {
      election.handle(.beat(electionBeat(9, size: 1)), from: electionNode(3), at: at(time))
      #expect(election.host == nil)
    }
    #expect(election.drain().compactMap(\.message).contains { if case .preClaim = $0 { true } else { false } })
    var alone = election
    election.handle(
      .preNack(.init(host: electionNode(3), epoch: 7, leaseRemaining: 500)), from: two, at: at(3310))
    #expect(election.host == electionNode(3))
    // Without an objection it hosts again.
    alone.tick(at: at(3600))
    #expect(alone.isHost && alone.epoch == 10)
  }

  @Test func aLoneHostWhoseSessionIsGoneHostsOn() {
    var election = HostElection.host(1, members: [2])
    election.join(two, at: at(1000))
    for time: Int64 in stride(from: 1000, to: 3000, by: 100) { election.tick(at: at(time)) }
    election.left(two, at: at(2950))
    election.tick(at: at(3000))
    #expect(election.isHost && election.epoch == 1)
  }

  @Test func aNodeWithoutAHostThatEntersASessionListens() {
    var election = HostElection.fresh(1)
    election.join(two, at: at(100))
    #expect(election.host == nil)
    #expect(election.deadline == at(2100))
  }

  @Test func theHostSeatsNewcomersInOrder() {
    var election = HostElection.host(1, members: [2, 3])
    let newcomers = [two, electionNode(3)]
    for node in newcomers {
      election.handle(.ack(.init(epoch: 1, sequence: 1, joinSequence: 0, sessionTime: 0)), from: node, at: at(800))
    }
    let seats = newcomers.indices.map { index in
      ElectionOutput.send(.seat(.init(joinSequence: UInt32(index) + 2)), to: newcomers[index])
    }
    let said = election.drain()
    #expect(said == seats)
    #expect(election.size(at: at(900)) == 3)
    #expect(election.size(at: at(2401)) == 1)
  }

  @Test func sessionTimeFollowsTheHostAndNeverRunsBackwards() {
    var election = HostElection.follower(1, of: 2, epoch: 5)
    election.handle(.beat(electionBeat(5, sessionTime: 60_000)), from: two, at: at(1000))
    #expect(election.sessionTime(at: at(1500)) == 60_500)
    election.handle(.beat(electionBeat(5, sessionTime: 60_300)), from: two, at: at(1500))
    #expect(election.sessionTime(at: at(1600)) == 60_500)
    #expect(election.sessionTime(at: at(2000)) == 60_800)
  }

  @Test func theHighestNumbersFromTheWireOverflowNothing() throws {
    let most = ElectionMessage.greatestCount
    var election = HostElection.follower(1, of: 2, epoch: 5)
    var beat = electionBeat(1 << 32, priority: 255, sessionTime: most)
    (beat.sequence, beat.size, beat.nextJoinSequence) = (.max, .max, ElectionMessage.greatestJoinSequence)
    election.handle(.beat(beat), from: two, at: at(100))
    election.tick(at: at(2100))
    for _ in 0..<2 { election.tick(at: try #require(election.deadline)) }
    #expect(election.isHost)
    #expect(election.epoch == (1 << 32) + 1)
  }

  @Test func aHostToWhomTheLastPlaceIsNamedGoesOnSpeaking() throws {
    var election = HostElection.host(1, members: [2, 3])
    for place in [ElectionMessage.greatestJoinSequence, 0] {
      election.handle(.ack(.init(epoch: 1, sequence: 1, joinSequence: place, sessionTime: 0)), from: two, at: at(800))
    }
    election.tick(at: at(1300))
    let said = election.drain()
    #expect(said.count == 2)
    for output in said {
      let message = try #require(output.message)
      var writer = ByteWriter()
      message.write(to: &writer)
      #expect(try ElectionWireTests.readMessage(writer.bytes) == message)
    }
  }

  @Test func anEpochThatNobodyWouldBelieveIsNotResumed() {
    var election = HostElection.fresh(1)
    election.resume(epoch: ElectionMessage.greatestCount, joinSequence: ElectionMessage.greatestJoinSequence)
    while !election.isHost, let deadline = election.deadline { election.tick(at: deadline) }
    #expect(election.epoch == (1 << 32) + 1)
  }

  @Test func whoEntersASessionFollowsItsHostAtAnyEpoch() {
    let greatest = UInt64(1) << 61
    for epoch in [UInt64(1) << 32 + 1, greatest, greatest + 1] {
      var election = HostElection.fresh(1)
      election.join(two, at: at(0))
      election.know([2], at: at(0))
      // Of a message that is no Beat, and of a second host, it believes no more than others.
      election.handle(.preClaim(.init(priority: 0, joinSequence: 0, maxEpoch: epoch)), from: two, at: at(10))
      #expect(election.maxEpochSeen == 0)
      election.handle(.beat(electionBeat(epoch)), from: two, at: at(20))
      #expect(election.epoch == (epoch > greatest ? 0 : epoch))
      guard election.epoch > 0 else { continue }
      election.handle(.beat(electionBeat(epoch + UInt64(1) << 21)), from: two, at: at(30))
      #expect(election.epoch == epoch)
    }
  }

  @Test func epochsThatLeapAreIgnored() {
    let most = ElectionMessage.greatestCount
    var election = HostElection.follower(1, of: 2, epoch: 5)
    election.handle(.beat(electionBeat(most)), from: two, at: at(100))
    #expect(election.epoch == 5)
    #expect(election.maxEpochSeen == 5)
  }
}
