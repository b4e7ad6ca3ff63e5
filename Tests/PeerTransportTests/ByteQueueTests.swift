import PeerTransport
import Testing

@Suite struct ByteQueueTests {
  @Test func `bytes leave in the order they came, and only what fits is taken`() {
    let source = noise(50_000)
    let steps = noise(2_000, seed: 2)
    let queue = ByteQueue(capacity: 100)
    var model: [UInt8] = []
    var (taken, appendsToRest) = (0, 0)
    for pair in stride(from: 0, to: steps.count, by: 2) {
      let offered = source[taken..<(taken + Int(steps[pair]) % 70)]
      let accepted = offered.withUnsafeBytes { queue.append($0) }
      #expect(accepted == min(offered.count, 100 - model.count))
      if accepted > 0, !model.isEmpty { appendsToRest += 1 }
      model += offered.prefix(accepted)
      taken += accepted
      #expect(queue.bytes.elementsEqual(model))
      let gone = min(Int(steps[pair + 1]) % 70, model.count)
      queue.consume(gone)
      model.removeFirst(gone)
      #expect(queue.count == model.count)
    }
    #expect(appendsToRest > 100)
    queue.removeAll()
    #expect(queue.count == 0)
  }
}
