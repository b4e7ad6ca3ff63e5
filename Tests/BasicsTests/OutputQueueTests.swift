import Basics
import Testing

@Suite struct OutputQueueTests {
  @Test func `elements leave in the order in which they came, also those that come during the drain`() {
    var queue = OutputQueue<Int>()
    #expect(queue.isEmpty)
    for number in 1...3 { queue.append(number) }
    #expect(queue.next() == 1)
    queue.append(4)
    #expect(!queue.isEmpty)
    #expect([queue.next(), queue.next(), queue.next(), queue.next(), queue.next()] == [2, 3, 4, nil, nil])
    #expect(queue.isEmpty)
    queue.append(5)
    #expect(queue.next() == 5)
    #expect(queue.next() == nil)
  }

  @Test func `a copy drains on its own`() {
    var queue = OutputQueue<Int>()
    for number in 1...2 { queue.append(number) }
    _ = queue.next()
    var copy = queue
    #expect(copy.next() == 2)
    #expect(copy.next() == nil)
    #expect(queue.next() == 2)
  }

  @Test func `a drained queue holds on to nothing`() {
    final class Cup {}
    var queue = OutputQueue<Cup>()
    weak var last: Cup?
    do {
      let cup = Cup()
      last = cup
      queue.append(cup)
    }
    #expect(last != nil)
    while queue.next() != nil {}
    #expect(last == nil)
  }
}
