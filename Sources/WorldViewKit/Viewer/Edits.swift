import SharedWorld

/// The edits of this page's users, in the order in which they were made.
struct Edits {
  /// To be taken back.
  var history = UndoHistory()
  private var placedWithoutName = 0

  /// The name of an anchor for which the user `name` typed none.
  mutating func nextName(of name: String) -> String {
    placedWithoutName += 1
    return "\(name) \(placedWithoutName)"
  }
}
