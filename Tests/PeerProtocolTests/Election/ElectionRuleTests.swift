import Basics
@testable import PeerProtocol
import Testing

/// Rules 1 to 5 of the election one by one, on a single node.
struct ElectionRuleTests {
  private let two = electionNode(2)
  private let three = electionNode(3)

  @Test func aloneItHostsAfterCanvassing() {
    var election = HostElection.fresh(1)
    election.tick(at: at(0))
    #expect(election.role == .canvassing)
    election.tick(at: at(599))
    #expect(!election.isHost)
    election.tick(at: at(600))
    #expect(election.isHost)
    #expect(election.epoch == 1)
    #expect(election.joinSequence == 1)
  }

  @Test func withMembersItListensForALease() throws {
    let election = HostElection.fresh(1, members: [2])
    #expect(election.role == .waiting)
    #expect((at(2000)...at(2300)).contains(try #require(election.deadline)))
  }

  @Test func onlyABeatOfMyHostRenewsTheLease() {
    var election = HostElection.follower(1, of: 2, epoch: 5)
    election.handle(.beat(electionBeat(9)), from: three, at: at(1000))
    #expect(election.leaseUntil == at(2000))
    election.handle(.beat(electionBeat(4)), from: two, at: at(1000))
    #expect(election.leaseUntil == at(2000))
    election.handle(.beat(electionBeat(5)), from: two, at: at(1000))
    #expect(election.leaseUntil == at(3000))
    let answer = ElectionMessage.ack(.init(epoch: 5, sequence: 1, joinSequence: 0, sessionTime: 1000))
    let said1 = election.drain()
    #expect(said1.last == .send(answer, to: two))
  }

  @Test func hearsayPassesOnWhatIsLeft() {
    var election = HostElection.fresh(1, members: [2, 3])
    election.handle(.preNack(.init(host: two, epoch: 4, leaseRemaining: 300)), from: three, at: at(100))
    #expect(election.host == two)
    #expect(election.leaseUntil == at(400))
    #expect(election.epoch == 4)
  }

  @Test func aLeaseHolderObjects() {
    var election = HostElection.follower(1, of: 2, epoch: 5)
    election.handle(.preClaim(.init(priority: 255, joinSequence: 0, maxEpoch: 8)), from: three, at: at(500))
    let objection = ElectionMessage.preNack(.init(host: two, epoch: 5, leaseRemaining: 1500))
    let said2 = election.drain()
    #expect(said2 == [.send(objection, to: three)])
    #expect(election.maxEpochSeen == 8)
  }

  @Test func aBetterRankedNodeCanvassesAtOnce() {
    var election = HostElection.fresh(1, members: [2])
    election.handle(.preClaim(.init(priority: 128, joinSequence: 0, maxEpoch: 3)), from: two, at: at(100))
    #expect(election.role == .canvassing)
    let said3 = election.drain()
    #expect(said3.count == 2)
    election.tick(at: at(700))
    #expect(election.epoch == 4)
  }

  @Test func anObjectionEndsTheCandidacy() throws {
    var election = HostElection.fresh(2)
    election.tick(at: at(0))
    election.handle(.preNack(.init(host: nil, epoch: 0, leaseRemaining: 0)), from: electionNode(1), at: at(100))
    #expect(election.role == .waiting)
    #expect(try #require(election.deadline) >= at(950))
  }

  @Test func worseRankedNodesWaitLonger() throws {
    var steps: [Int64] = []
    for number in UInt64(1)...4 {
      var election = HostElection.follower(number, of: 9, epoch: 1, members: (1...4).filter { $0 != number })
      election.tick(at: at(2000))
      steps.append(try #require(election.deadline).nanoseconds(since: at(2000)) / 250_000_000)
    }
    #expect(steps == [0, 1, 2, 3])
  }

  @Test func ranksCountPriorityThenPlaceThenNode() {
    let ranks = [
      ElectionRank(priority: 9, joinSequence: 5, node: three), ElectionRank(priority: 1, joinSequence: 1, node: two),
      ElectionRank(priority: 1, joinSequence: 2, node: two), ElectionRank(priority: 1, joinSequence: 2, node: three),
      ElectionRank(priority: 1, joinSequence: 0, node: two),
    ]
    #expect(Array(ranks.reversed()).sorted() == ranks)
  }

  @Test func theLowerHostOffersAndLocks() {
    var election = HostElection.host(1, members: [2, 3])
    election.handle(.beat(electionBeat(7)), from: two, at: at(800))
    let said4 = election.drain()
    #expect(said4 == [.send(.offer(.init(size: 1, priority: 128, epoch: 1)), to: two)])
    election.handle(.beat(electionBeat(8)), from: three, at: at(900))
    election.handle(.offer(.init(size: 50, priority: 128, epoch: 9)), from: electionNode(0), at: at(900))
    let said5 = election.drain()
    #expect(said5.isEmpty)
    #expect(election.isHost)
  }

  @Test func theUnlockedReceiverDecides() {
    let one = electionNode(1)
    var election = HostElection.host(2, members: [1])
    election.handle(.offer(.init(size: 1, priority: 128, epoch: 1)), from: one, at: at(800))
    let said6 = election.drain()
    #expect(said6 == [.send(.win(.init(epoch: 1, offerEpoch: 1)), to: one)])
    election.handle(.yield(.init(epoch: 1, maxEpoch: 6, sessionTime: 0)), from: one, at: at(900))
    #expect(election.epoch == 7)
    let said7 = election.drain()
    #expect(said7.first == .hostChanged(from: two, to: two, epoch: 7, reason: .merged))

    election = HostElection.host(2, members: [1])
    election.handle(.offer(.init(size: 2, priority: 0, epoch: 0)), from: one, at: at(800))
    #expect(election.host == one)
    let said8 = election.drain()
    #expect(said8.count == 4)
  }

  @Test func aNodeThatIsNotHostSaysSo() {
    var election = HostElection.follower(1, of: 2, epoch: 5)
    election.handle(.ack(.init(epoch: 3, sequence: 9, joinSequence: 1, sessionTime: 0)), from: three, at: at(500))
    let answer = ElectionMessage.stepDown(.init(to: two, epoch: 5, leaseRemaining: 1500, ended: 3))
    let said9 = election.drain()
    #expect(said9 == [.send(answer, to: three)])
  }

  @Test func onlyMyHostCanStepDownAndOnlyFromItsReign() {
    var election = HostElection.follower(1, of: 2, epoch: 5)
    var stepDown = ElectionMessage.StepDown(to: three, epoch: 6, leaseRemaining: 700, ended: 5)
    election.handle(.stepDown(stepDown), from: electionNode(4), at: at(100))
    #expect(election.host == two)
    stepDown.ended = 4
    election.handle(.stepDown(stepDown), from: two, at: at(100))
    #expect(election.host == two)
    stepDown.ended = 5
    election.handle(.stepDown(stepDown), from: two, at: at(100))
    #expect(election.host == three)
    #expect(election.leaseUntil == at(800))
    stepDown.to = electionNode(1)
    stepDown.ended = 6
    election.handle(.stepDown(stepDown), from: three, at: at(200))
    #expect(election.role == .waiting)
  }
}
