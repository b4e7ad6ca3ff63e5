import Basics
import Testing

@Suite("A heap")
struct MinHeapTests {
  @Test("elements come out in their order, whatever the order in which they went in")
  func order() {
    var random = SeededRandom(seed: 3)
    for count in 0..<60 {
      let numbers = (0..<count).map { _ in random.below(20) }
      var heap = MinHeap<Int>()
      for number in numbers { heap.push(number) }
      #expect(heap.first == numbers.min())
      var taken: [Int] = []
      while let next = heap.pop() { taken.append(next) }
      #expect(taken == numbers.sorted())
    }
  }
}
