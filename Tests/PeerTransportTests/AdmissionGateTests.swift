import Basics
import PeerProtocol
import PeerTransport
import Testing

@Suite struct AdmissionGateTests {
  private let second: UInt64 = 1_000_000_000

  /// A gate with numbered visitors.
  private struct Entrance {
    var gate: AdmissionGate
    /// How often the gate has asked whether an address is a member's.
    private(set) var questions = 0
    private var made: UInt64 = 0

    init(_ change: (inout AdmissionGate.Limits) -> Void = { _ in }) {
      var limits = AdmissionGate.Limits()
      change(&limits)
      gate = AdmissionGate(limits: limits)
    }

    /// One connection more; why it is turned away, or which other one had to go for it.
    mutating func visit(
      _ host: SocketAddress.Host, isKnown: Bool = false, at now: UInt64 = 0
    ) -> (refusal: AdmissionGate.Refusal?, evicted: UInt64?) {
      made += 1
      do {
        var asked = 0
        defer { questions += asked }
        let evicted = try gate.enter(LinkID(rawValue: made), from: host, at: now) {
          asked += 1
          return isKnown
        }
        return (nil, evicted?.rawValue)
      } catch {
        return (error, nil)
      }
    }

    /// Why one connection more is turned away.
    mutating func refusal(
      _ host: SocketAddress.Host, isKnown: Bool = false, at now: UInt64 = 0
    ) -> AdmissionGate.Refusal? { visit(host, isKnown: isKnown, at: now).refusal }

    mutating func release(_ number: UInt64) { gate.release(LinkID(rawValue: number)) }
    mutating func note(_ stage: AdmissionGate.Stage, _ number: UInt64) {
      gate.note(stage, of: LinkID(rawValue: number))
    }
    mutating func beginComputing(_ number: UInt64) { gate.beginComputing(for: LinkID(rawValue: number), at: 0) }
    mutating func endComputing(_ number: UInt64, at now: UInt64) -> UInt64 {
      gate.endComputing(for: LinkID(rawValue: number), at: now)
    }
  }

  private func host(_ number: Int) -> SocketAddress.Host { .ipv4(UInt32(number)) }

  @Test func `one address has four places at most`() {
    var entrance = Entrance()
    for _ in 1...4 { #expect(entrance.refusal(host(1)) == nil) }
    #expect(entrance.refusal(host(1), at: 10 * second) == .perAddress)
    #expect(entrance.refusal(host(2), at: 10 * second) == nil)
    entrance.release(1)
    #expect(entrance.refusal(host(1), at: 10 * second) == nil)
    #expect(entrance.refusal(host(1), at: 10 * second) == .perAddress)
  }

  @Test func `thirty-two strangers are held in all`() {
    var entrance = Entrance()
    for number in 1...32 { #expect(entrance.refusal(host(number)) == nil) }
    #expect(entrance.refusal(host(99)) == .total)
    #expect(entrance.gate.waiting == 32)
    entrance.release(1)
    #expect(entrance.refusal(host(99)) == nil)
  }

  @Test func `who is a member is asked only where that decides`() {
    var entrance = Entrance()
    for _ in 1...5 { _ = entrance.refusal(host(1)) }
    for number in 2...29 { #expect(entrance.refusal(host(number)) == nil) }
    #expect(entrance.questions == 0)
    #expect(entrance.refusal(host(30)) == .total)
    #expect(entrance.questions == 1)
    for number in 1...4 { entrance.release(UInt64(number)) }
    #expect((0..<4).map { _ in entrance.refusal(host(1)) }.last == .rate)
    #expect(entrance.questions == 1)
  }

  @Test func `the addresses of 64 members have places of their own, and no rate for all holds them up`() {
    var entrance = Entrance { $0.burstOfAll = 32 }
    for number in 1...32 { #expect(entrance.refusal(host(number)) == nil) }
    #expect(entrance.refusal(host(40)) == .total)
    for number in 101...164 { #expect(entrance.refusal(host(number), isKnown: true) == nil) }
    #expect(entrance.refusal(host(165), isKnown: true) == .total)
  }

  @Test func `all members that dial a newcomer at once end nobody's handshake, however long that takes`() {
    var entrance = Entrance()
    for number in 1...64 { #expect(entrance.visit(host(number), isKnown: true, at: 10 * second).refusal == nil) }
    let late = entrance.visit(host(65), isKnown: true, at: 100 * second)
    #expect(late.refusal == nil && late.evicted == nil)
    // A stranger takes nobody's place but a stranger's.
    #expect(entrance.visit(host(99), at: 100 * second).evicted == 1)
  }

  @Test func `the time in which this side computes is not the peer's`() {
    var entrance = Entrance()
    for number in 1...32 { #expect(entrance.refusal(host(number)) == nil) }
    for number in 1...32 { entrance.beginComputing(UInt64(number)) }
    #expect(entrance.refusal(host(50), at: 9 * second) == .total, "each waits for this side")
    let time = entrance.endComputing(3, at: 9 * second)
    #expect(time == 9 * second)
    #expect(entrance.refusal(host(50), at: 9 * second + 249_999_999) == .total, "its peer has a quarter of a second")
    #expect(entrance.visit(host(50), at: 9 * second + 250_000_000).evicted == 3)
  }

  @Test func `a full gate gives the place of a closing stranger, then of a handshake that had its time`() {
    var entrance = Entrance()
    for number in 1...32 { #expect(entrance.refusal(host(number)) == nil) }
    entrance.note(.open, 1)
    entrance.note(.draining, 7)
    #expect(entrance.visit(host(50), at: 1).evicted == 7)
    #expect(entrance.refusal(host(51), at: 249_999_999) == .total, "each handshake has a quarter of a second")
    #expect(entrance.visit(host(51), at: 250_000_000).evicted == 2, "the oldest one; the first is past its handshake")
    #expect(entrance.gate.waiting == 32)
  }

  @Test func `an IPv6 network of 64 bits has sixteen places, however many addresses it uses`() {
    func address(_ network: UInt64, _ number: Int) -> SocketAddress.Host {
      .ipv6(high: network, low: UInt64(number), scope: 0)
    }
    var entrance = Entrance()
    for number in 1...16 { #expect(entrance.refusal(address(1, number)) == nil) }
    #expect(entrance.refusal(address(1, 17)) == .perNetwork)
    #expect(entrance.refusal(address(1, 17), isKnown: true) == nil)
    #expect(entrance.refusal(address(2, 1)) == nil)
  }

  @Test func `an address has a burst of five and then twenty a second`() {
    var entrance = Entrance()
    var made: UInt64 = 0
    func attempt(at now: UInt64) -> AdmissionGate.Refusal? {
      made += 1
      defer { entrance.release(made) }
      return entrance.refusal(host(1), at: now)
    }
    let start = 7 * second
    #expect((0..<6).map { _ in attempt(at: start) } == [nil, nil, nil, nil, nil, .rate])
    #expect(attempt(at: start + 49_999_999) == .rate)
    #expect(attempt(at: start + 50_000_000) == nil)
    #expect(attempt(at: start + 50_000_000) == .rate)
    // A millisecond apart for ten seconds: the burst and twenty for each second.
    let later = start + 100 * second
    let accepted = (0..<10_000).count { attempt(at: later + UInt64($0) * 1_000_000) == nil }
    #expect(accepted == 4 + 10 * 20)
  }

  @Test func `all addresses together have a burst of 64 and then 50 a second`() {
    var entrance = Entrance()
    var made: UInt64 = 0
    func attempt(_ number: Int, at now: UInt64) -> Bool {
      made += 1
      defer { entrance.release(made) }
      return entrance.refusal(host(number), at: now) == nil
    }
    #expect((0..<100).count { attempt($0, at: 0) } == 64)
    // Four thousand addresses in ten seconds, 2.5 ms apart.
    #expect((0..<4_000).count { attempt(1_000 + $0, at: 10 * second + UInt64($0) * 2_500_000) } == 63 + 10 * 50)
  }

  @Test func `the table of addresses is bounded and forgets those that rest`() {
    var entrance = Entrance { $0.addresses = 3 }
    for number in 1...3 { #expect(entrance.refusal(host(number)) == nil) }
    entrance.release(1)
    entrance.release(2)
    #expect(entrance.refusal(host(4), at: 1) == .crowded, "no address has rested yet")
    #expect(entrance.refusal(host(4), at: second) == nil)
    entrance.release(77)
    #expect(entrance.gate.waiting == 2, "only what entered can be released")
  }
}
