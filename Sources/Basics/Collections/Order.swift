/// Sorting whose code is compiled once, in this module, where `sorted` is specialized for each element and comparison: 3 kB
/// and a third of a second of build for each of them. It takes several times as long for each comparison, so long lists and
/// hot paths keep `sorted`.
extension Sequence {
  /// The elements in an order; equal ones keep theirs.
  package func inOrder(by precedes: (Element, Element) -> Bool) -> [Element] { sorted(by: precedes) }
}

extension Sequence where Element: Comparable {
  /// The elements in ascending order.
  package func inOrder() -> [Element] { sorted() }
}
