/// Finds what a user means by a name, an id or the beginning of either.
enum Lookup {
  /// The object that a word of the user names.
  enum Result<Value> {
    case found(Value)
    case nothing
    case several(Int)
  }

  /// The one among `values` that `word` means.
  ///
  /// A whole id or name goes before a beginning, so that `lamp` means the anchor of that name though `lamp 2` exists.
  /// - Parameter keys: the ids and names of a value.
  static func find<Value>(_ word: String, in values: [Value], by keys: (Value) -> [String]) -> Result<Value> {
    for matches: (String) -> Bool in [{ $0 == word }, { $0.hasPrefix(word) }] {
      let found = values.filter { keys($0).contains(where: matches) }
      if found.count == 1 { return .found(found[0]) }
      if found.count > 1 { return .several(found.count) }
    }
    return .nothing
  }
}
