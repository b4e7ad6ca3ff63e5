import Basics

extension SeededRandom {
  /// One of `count` nodes, 2 at least, but not `node`.
  mutating func node(otherThan node: Int, of count: Int) -> Int { (node + 1 + below(count - 1)) % count }
}
