import Testing

@testable import PeerProtocol

@Suite("Messages in one buffer")
struct MessageRunTests {
  @Test("a run gives every message as it was added, also empty ones, and counts the cost of each")
  func messages() {
    let messages: [[UInt8]] = [[], [1, 2, 3], [], [4], []]
    var run = MessageRun()
    #expect(run.isEmpty)
    for bytes in messages { run.append(bytes.span.bytes) }
    #expect(Array(run) == messages)
    #expect((run.count, run.cost) == (5, messages.reduce(0) { $0 + ProtocolLimits.cost(ofMessage: $1) }))
  }

  @Test("what is taken is gone, and the next messages are a run of their own")
  func take() {
    let (one, other): ([UInt8], [UInt8]) = ([1, 2], [3])
    var run = MessageRun()
    run.append(one.span.bytes)
    let first = run.take()
    #expect(run.isEmpty)
    run.append(other.span.bytes)
    #expect((Array(first), Array(run)) == ([one], [other]))
  }
}
