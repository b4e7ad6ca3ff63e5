import Basics
import PeerProtocol
import PeerTransport
import Testing

@Suite struct AdmissionGateTests {
  private let second: UInt64 = 1_000_000_000

  private func host(_ number: UInt32) -> SocketAddress.Host { .ipv4(number) }

  private func refusal(
    _ gate: inout AdmissionGate, _ host: SocketAddress.Host, at now: UInt64
  ) -> AdmissionGate.Refusal? {
    do {
      try gate.enter(host, at: now)
      return nil
    } catch {
      return error
    }
  }

  @Test func `one address waits with four connections at most`() {
    var gate = AdmissionGate()
    for _ in 0..<4 { #expect(refusal(&gate, host(1), at: 0) == nil) }
    #expect(refusal(&gate, host(1), at: 10 * second) == .perAddress)
    #expect(refusal(&gate, host(2), at: 10 * second) == nil)
    gate.release(host(1))
    #expect(refusal(&gate, host(1), at: 10 * second) == nil)
    #expect(refusal(&gate, host(1), at: 10 * second) == .perAddress)
  }

  @Test func `thirty-two connections wait in all`() {
    var gate = AdmissionGate()
    for number in 0..<32 { #expect(refusal(&gate, host(UInt32(number)), at: 0) == nil) }
    #expect(refusal(&gate, host(99), at: 0) == .total)
    #expect(gate.waiting == 32)
    gate.release(host(0))
    #expect(refusal(&gate, host(99), at: 0) == nil)
  }

  @Test func `an address has a burst of five and then twenty a second`() {
    var gate = AdmissionGate()
    func attempt(at now: UInt64) -> AdmissionGate.Refusal? {
      let refusal = refusal(&gate, host(1), at: now)
      if refusal == nil { gate.release(host(1)) }
      return refusal
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

  @Test func `the table of addresses is bounded and forgets those that rest`() {
    var limits = AdmissionGate.Limits()
    limits.addresses = 3
    var gate = AdmissionGate(limits: limits)
    for number in 1...3 { #expect(refusal(&gate, host(UInt32(number)), at: 0) == nil) }
    for number in 1...2 { gate.release(host(UInt32(number))) }
    #expect(refusal(&gate, host(4), at: 1) == .crowded, "no address has rested yet")
    #expect(refusal(&gate, host(4), at: second) == nil)
    gate.release(host(2))
    gate.release(host(77))
    #expect(gate.waiting == 2, "only what entered can be released")
  }
}
