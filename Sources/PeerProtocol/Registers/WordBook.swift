import Basics

/// The words that a node knows, of all topics.
///
/// Many organs once kept such a book by hand, and each got something wrong: equal versions ended differently here and there, a version
/// that a lie had used up was never corrected where the author had no link, what was kept depended on the order of arrival, or somebody
/// invented so many authors that true ones found no room. So this one knows bytes alone, and of its users the few numbers in
/// ``WordTopic``. Two books that have heard the same words are the same, whatever the order (Documentation/Protocol/registers.md).
package struct WordBook: Sendable {
  /// Parts of the digest: of a book that differs in a few words only the parts with those are sent.
  static let parts = 8

  private struct Stored: Sendable {
    let word: SpreadWord
    /// Of the whole word: the first 8 bytes of its SHA-256, so that nobody finds words whose sum is that of others.
    let hash: UInt64
    /// The part of the digest in which it counts, by its name alone.
    let part: Int

    init(_ word: SpreadWord) {
      self.word = word
      var writer = ByteWriter(capacity: word.count)
      word.write(to: &writer)
      hash = SHA256Digest(hashing: writer.bytes).words.x
      part = Int(SHA256Digest(hashing: Array(word.name)).words.x % UInt64(WordBook.parts))
    }
  }

  /// Ascending by name, so that nothing is hashed for a word that is refused, and no dictionary decides an order.
  private var stored: [Stored] = []

  package init() {}

  /// All words, ascending by name.
  package var words: [SpreadWord] { stored.map(\.word) }

  /// Whether nothing is known.
  var isEmpty: Bool { stored.isEmpty }

  /// A word; nil where there is none.
  package subscript(topic: WordTopic, author: NodeID, key: [UInt8] = []) -> SpreadWord? {
    word(named: SpreadWord.name(topic.rawValue, author, key)[...])
  }

  /// The words of an author in a topic, ascending by key.
  package func words(of topic: UInt8, by author: NodeID) -> [SpreadWord] {
    range(of: topic, author).map { stored[$0].word }
  }

  /// The word in the register of this name; nil where there is none.
  func word(named name: ArraySlice<UInt8>) -> SpreadWord? {
    let index = find(name)
    return isWord(at: index, named: name) ? stored[index].word : nil
  }

  // MARK: Changing

  /// Puts a word, which has its own bytes, in the place of the one that its register has.
  mutating func set(_ word: SpreadWord) {
    let (index, new) = (find(word.name), Stored(word))
    if isWord(at: index, named: word.name) { stored[index] = new } else { stored.insert(new, at: index) }
  }

  /// Removes of an author what is more than its topic keeps: the words with the lowest versions.
  mutating func bound(_ topic: WordTopic, of author: NodeID) -> SpreadWord? {
    let range = range(of: topic.rawValue, author)
    guard range.count > topic.rule.mostOfAuthor else { return nil }
    let oldest = range.min { (stored[$0].word.version, $0) < (stored[$1].word.version, $1) }
    return oldest.map { stored.remove(at: $0).word }
  }

  /// Removes what is more than a topic keeps of nodes that are no members: those that have written anything stay before the
  /// others, and of each kind the first ones by name, in whatever order they came.
  mutating func boundStrangers(
    _ topic: WordTopic, isMember: (NodeID) -> Bool, hasWritten: (NodeID) -> Bool
  ) -> [SpreadWord] {
    let strangers = stored.indices.filter { index in
      stored[index].word.topic == topic.rawValue && !isMember(stored[index].word.author)
    }
    guard strangers.count > topic.rule.mostOfStrangers else { return [] }
    let (writers, others) = (
      strangers.filter { hasWritten(stored[$0].word.author) }, strangers.filter { !hasWritten(stored[$0].word.author) }
    )
    let gone = (writers + others).dropFirst(topic.rule.mostOfStrangers).sorted(by: >)
    return gone.map { stored.remove(at: $0).word }
  }

  // MARK: Comparing

  /// A sum of hashes for each part, over the words that count.
  func digest(counts: (SpreadWord) -> Bool) -> [UInt64] {
    var sums = Array(repeating: 0 as UInt64, count: Self.parts)
    for stored in stored where counts(stored.word) { sums[stored.part] &+= stored.hash }
    return sums
  }

  /// The words of some parts, ascending by name.
  func words(ofParts isWanted: [Bool]) -> [SpreadWord] {
    stored.filter { isWanted[$0.part] }.map(\.word)
  }

  // MARK: Places

  /// The index of the first word that is not before a name.
  private func find(_ name: ArraySlice<UInt8>) -> Int {
    var (low, high) = (0, stored.count)
    while low < high {
      let middle = (low + high) / 2
      if stored[middle].word.name.lexicographicallyPrecedes(name) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func isWord(at index: Int, named name: ArraySlice<UInt8>) -> Bool {
    index < stored.count && stored[index].word.name == name
  }

  /// The indices of an author's words in a topic: their names begin alike.
  private func range(of topic: UInt8, _ author: NodeID) -> Range<Int> {
    let prefix = SpreadWord.prefix(of: topic, author)[...]
    let start = find(prefix)
    var end = start
    while end < stored.count, stored[end].word.topic == topic, stored[end].word.author == author { end += 1 }
    return start..<end
  }
}
