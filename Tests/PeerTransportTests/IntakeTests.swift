import Basics
import PeerProtocol
import TestSupport
import Testing
import WorldModel

@testable import PeerTransport

/// Who is handled when, where links have more to be handled than there is time.
@Suite(.endsHangs) struct IntakeTests {
  /// Handles bytes as frames of one byte each.
  private final class Desk: IntakeOwner {
    enum Entry: Equatable, Sendable {
      /// So many frames of a link, one after the other.
      case handled(LinkID, Int)
      case paused(LinkID)
      case resumed(LinkID)
      case ended(LinkID)
      case gaveWay
    }

    var log: [Entry] = []
    /// Called with each byte.
    var onFrame: (UInt8) -> Void = { _ in }

    func handle(_ bytes: RawSpan, of link: LinkID, until isSpent: () -> Bool) -> Int {
      var used = 0
      while used < bytes.byteCount {
        onFrame(bytes.unsafeLoadUnaligned(fromByteOffset: used, as: UInt8.self))
        used += 1
        if isSpent() { break }
      }
      log.append(.handled(link, used))
      return used
    }

    func setReceiving(_ link: LinkID, _ isReceiving: Bool) { log.append(isReceiving ? .resumed(link) : .paused(link)) }
    func concludeEnd(of link: LinkID) { log.append(.ended(link)) }
  }

  private static let (dear, cheap) = (LinkID(rawValue: 1), LinkID(rawValue: 2))

  /// Runs `body` with an intake on a loop; each look at its clock takes `step`, and a peer has `burst` (ns), which a byte fills
  /// by `perByte`.
  private static func run(
    step: UInt64, burst: Int64, perByte: Int64 = 0, _ body: @Sendable @escaping (Intake, Desk) -> Void,
    until isDone: @Sendable @escaping ([Desk.Entry]) -> Bool
  ) async throws -> [Desk.Entry] {
    let loop = try EventLoop(name: "intake")
    defer { loop.stop() }
    return await withCheckedContinuation { done in
      loop.execute {
        var time: UInt64 = 0
        let clock = {
          time += step
          return time
        }
        let intake = Intake(loop: loop)
        let desk = Desk()
        intake.owner = desk
        intake.meter = WorkMeter(WorkClocks(time: clock, processorTime: clock))
        (intake.limits.burst, intake.limits.perByte, intake.limits.share) = (burst, perByte, 1_000_000)
        for link in [dear, cheap] { intake.open(link, of: PeerID(of: link)) }
        body(intake, desk)
        Watch(loop, intake, desk, isDone) { done.resume(returning: $0) }.endRound()
      }
    }
  }

  /// Looks at the end of each round whether the test is over.
  private final class Watch: RoundHandler {
    let (loop, intake, desk): (EventLoop, Intake, Desk)
    let isDone: ([Desk.Entry]) -> Bool
    let report: ([Desk.Entry]) -> Void

    init(
      _ loop: EventLoop, _ intake: Intake, _ desk: Desk, _ isDone: @escaping ([Desk.Entry]) -> Bool,
      _ report: @escaping ([Desk.Entry]) -> Void
    ) {
      (self.loop, self.intake, self.desk, self.isDone, self.report) = (loop, intake, desk, isDone, report)
    }

    func endRound() {
      if isDone(desk.log) { report(desk.log) } else { loop.atEndOfRound(self) }
    }
  }

  private static func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }

  @Test(arguments: [[3], [1, 1, 1]])
  func `what takes long waits for the next round, behind what others have received`(records: [Int]) async throws {
    let log = try await Self.run(step: Intake.quantum, burst: 1, perByte: 1 << 40) { intake, _ in
      for size in records { intake.take(Self.bytes(size).span.bytes, of: Self.dear) }
      intake.take(Self.bytes(1).span.bytes, of: Self.cheap)
    } until: {
      $0.contains(.resumed(Self.dear))
    }
    #expect(
      log == [
        .handled(Self.dear, 1), .paused(Self.dear), .handled(Self.cheap, 1), .handled(Self.dear, 1),
        .handled(Self.dear, 1), .resumed(Self.dear),
      ])
  }

  @Test func `the clock is looked at after each dear frame, and after eight of others`() async throws {
    let steps: [UInt64: Int] = [Intake.quantum / 2: 2, Intake.quantum / 20: 1 + 19 * Intake.stride]
    for (step, count) in steps {
      let log = try await Self.run(step: step, burst: 1 << 60) { intake, _ in
        intake.take(Self.bytes(1_000).span.bytes, of: Self.dear)
      } until: {
        !$0.isEmpty
      }
      #expect(log.first == .handled(Self.dear, count))
    }
  }

  @Test func `other threads get their turn after each quantum, however many links and rounds it took`() async throws {
    let log = try await Self.run(step: Intake.quantum / 2, burst: 1 << 60) { intake, desk in
      intake.giveWay = { desk.log.append(.gaveWay) }
      for link in [Self.dear, Self.cheap] { intake.take(Self.bytes(1).span.bytes, of: link) }
    } until: {
      $0.contains(.gaveWay)
    }
    #expect(log == [.handled(Self.dear, 1), .handled(Self.cheap, 1), .gaveWay])
  }

  @Test func `attack: of 32 strangers with much to handle one is handled in a round, and a member in each`()
    async throws
  {
    let strangers = (0..<32).map { LinkID(rawValue: 100 + $0) }
    let log = try await Self.run(step: Intake.quantum, burst: 1, perByte: 1 << 40) { intake, _ in
      for link in strangers { intake.open(link, of: PeerID(of: link), isStranger: true) }
      for link in strangers { intake.take(Self.bytes(3).span.bytes, of: link) }
      intake.take(Self.bytes(8).span.bytes, of: Self.dear)
    } until: {
      $0.contains(.resumed(Self.dear))
    }
    let rounds = log.split(separator: .handled(Self.dear, 1), omittingEmptySubsequences: false)
    #expect(rounds.count == 9)
    for round in rounds {
      #expect(round.count { if case .handled(let link, _) = $0 { strangers.contains(link) } else { false } } <= 1)
    }
  }

  @Test func `attack: strangers that cost too much rest together, and one that is admitted does not`() async throws {
    let (first, second) = (LinkID(rawValue: 100), LinkID(rawValue: 101))
    _ = try await Self.run(step: 1, burst: 1 << 60) { intake, desk in
      for link in [first, second] { intake.open(link, of: PeerID(of: link), isStranger: true) }
      var time: UInt64 = 0
      intake.meter = WorkMeter(WorkClocks(time: { time }, processorTime: { time }))
      // A frame that costs more than they have, after which time stands still.
      desk.onFrame = { _ in time += 2 * WorkBudget.Limits.strangers.burst.magnitude }
      intake.take(Self.bytes(1).span.bytes, of: first)
      #expect(intake.isOverdrawn(second))
      intake.admit(second)
      #expect(intake.isOverdrawn(first) && !intake.isOverdrawn(second))
    } until: { _ in
      true
    }
  }

  @Test func `what is cheap is handled at once and nobody is paused`() async throws {
    let log = try await Self.run(step: 0, burst: 0) { intake, _ in
      for _ in 0..<3 { intake.take(Self.bytes(10_000).span.bytes, of: Self.dear) }
    } until: {
      $0.count == 3
    }
    #expect(log == Array(repeating: .handled(Self.dear, 10_000), count: 3))
  }

  @Test func `a peer that has overdrawn its budget is not read, on none of its links, and others are`() async throws {
    let other = LinkID(rawValue: 3)
    let log = try await Self.run(step: 2 * Intake.quantum, burst: Int64(5 * Intake.quantum)) { intake, _ in
      intake.open(other, of: PeerID(of: Self.dear))
      intake.take(Self.bytes(1_000).span.bytes, of: Self.dear)
      intake.take(Self.bytes(1_000).span.bytes, of: other)
      #expect(intake.isOverdrawn(other))
      // Bytes that were already read wait.
      intake.take(Self.bytes(1_000).span.bytes, of: other)
      intake.take(Self.bytes(1).span.bytes, of: Self.cheap)
    } until: {
      $0.contains(.handled(Self.cheap, 1))
    }
    #expect(
      log == [
        .handled(Self.dear, 1), .paused(Self.dear), .handled(other, 1), .paused(other), .handled(Self.cheap, 1),
      ])
  }

  @Test func `a peer that has rested goes on where it was`() async throws {
    let log = try await Self.run(step: Intake.quantum, burst: 0) { intake, _ in
      // The clock takes a step at each look, so the debt is paid after a few.
      intake.limits.share = 4
      intake.open(Self.dear, of: PeerID(of: LinkID(rawValue: 9)))
      intake.take(Self.bytes(20).span.bytes, of: Self.dear)
      #expect(intake.isOverdrawn(Self.dear))
    } until: {
      $0.last == .resumed(Self.dear)
    }
    let frames = log.reduce(0) { sum, entry in if case .handled(_, let count) = entry { sum + count } else { sum } }
    #expect(frames == 20)
    #expect(log.count { $0 == .paused(Self.dear) } == 1)
  }

  @Test func `what a link said before it ended is handled before its end is reported`() async throws {
    let log = try await Self.run(step: Intake.quantum, burst: 1, perByte: 1 << 40) { intake, _ in
      intake.take(Self.bytes(2).span.bytes, of: Self.dear)
      #expect(!intake.end(Self.dear))
      #expect(intake.end(Self.cheap))
    } until: {
      $0.contains(.ended(Self.dear))
    }
    #expect(log == [.handled(Self.dear, 1), .paused(Self.dear), .handled(Self.dear, 1), .ended(Self.dear)])
  }

  @Test func `what an overdrawn peer said before its link ended is dropped`() async throws {
    let log = try await Self.run(step: Intake.quantum, burst: 0) { intake, desk in
      intake.take(Self.bytes(20).span.bytes, of: Self.dear)
      #expect(intake.end(Self.dear))
      desk.concludeEnd(of: Self.dear)
    } until: {
      $0.contains(.ended(Self.dear))
    }
    #expect(log == [.handled(Self.dear, 1), .paused(Self.dear), .ended(Self.dear)])
  }

  @Test func `a link that is closed while its bytes are handled leaves nothing behind`() async throws {
    let log = try await Self.run(step: Intake.quantum, burst: 1 << 60) { intake, desk in
      desk.onFrame = { _ in #expect(!intake.forget(Self.dear)) }
      intake.take(Self.bytes(20).span.bytes, of: Self.dear)
      desk.onFrame = { _ in }
      intake.take(Self.bytes(20).span.bytes, of: Self.dear)
      intake.take(Self.bytes(1).span.bytes, of: Self.cheap)
    } until: {
      $0.contains(.handled(Self.cheap, 1))
    }
    #expect(log == [.handled(Self.dear, 1), .handled(Self.cheap, 1)])
  }
}

extension PeerID {
  /// The peer of a link of these tests.
  fileprivate init(of link: LinkID) { self.init(SHA256Digest(words: SIMD4(link.rawValue, 0, 0, 0))) }
}
