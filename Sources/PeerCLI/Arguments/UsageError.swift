/// A mistake in a command line, in a sentence that says what to do.
package struct UsageError: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// The end of an error about an unknown word: `; did you mean 'peers'?`, or nothing when no known word resembles it.
///
/// - Parameters:
///   - word: The word that was typed.
///   - known: The words that would have been understood; leading dashes and case do not count in the comparison.
package func suggestion(for word: String, among known: [String]) -> String {
  let typed = bare(word)
  // One slip in a short word, two in a longer one; more would suggest words that have nothing in common.
  let slips = typed.count > 4 ? 2 : typed.count > 1 ? 1 : 0
  let closest = known.map { (word: $0, distance: editDistance(bare($0), typed)) }.min { $0.distance < $1.distance }
  if let closest, closest.distance <= slips { return "; did you mean '\(closest.word)'?" }
  let longer = known.filter { typed.count > 1 && bare($0).hasPrefix(typed) }
  return longer.count == 1 ? "; did you mean '\(longer[0])'?" : ""
}

private func bare(_ word: String) -> String { String(word.drop { $0 == "-" }).lowercased() }

/// The number of letters to insert, remove, replace or swap with a neighbour (optimal string alignment).
private func editDistance(_ left: String, _ right: String) -> Int {
  let (left, right) = (Array(left), Array(right))
  var rows = [Array(0...right.count)]
  for row in left.indices {
    var next = [row + 1]
    for column in right.indices {
      let replaced = rows[row][column] + (left[row] == right[column] ? 0 : 1)
      var best = min(rows[row][column + 1] + 1, next[column] + 1, replaced)
      if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
        best = min(best, rows[row - 1][column - 1] + 1)
      }
      next.append(best)
    }
    rows.append(next)
  }
  return rows[left.count][right.count]
}
