import AnchorReplication
package import Basics

/// The organ of what members spread: it takes words from neighbours, passes them on, and finds by a digest what was missed.
///
/// Each member says a few things of itself that all are to know: its groups, how far it has come with the map. Sending such a word to
/// all neighbours is not enough. A neighbour may be about to lose its link, halves of a split have heard different things, and
/// somebody may lie about others. So a new link begins with everything that is known, neighbours compare a few numbers from time
/// to time, and a word that nobody can have said is corrected by its author (``Turn/hear(_:_:from:)``).
///
/// Further reading: Demers et al., *Epidemic algorithms for replicated database maintenance* (1987), of which this is rumour mongering
/// with anti-entropy behind it.
struct Registers: Organ {
  /// The frames of this organ.
  enum Frame {
    case words, digest
  }

  /// When the digest of a link was answered last.
  private var answered = PerLink<Instant>()

  /// Everything is at the pace of anti-entropy: see ``compare(in:)``.
  func deadline(in turn: inout Turn) -> Instant? { nil }

  /// Tells a new neighbour everything that is known.
  mutating func linked(_ link: LinkRef, in turn: inout Turn) {
    guard turn.configuration.rules.contains(.wordsOnNewLinks) else { return }
    turn.send(turn.words.words, on: link)
  }

  mutating func unlinked(_ link: LinkRef) { answered.end(link) }

  /// Tells the neighbours in a few numbers what is known here.
  mutating func compare(in turn: inout Turn) {
    turn.boundStrangers()
    guard !turn.words.isEmpty, turn.configuration.rules.contains(.wordDigests) else { return }
    let digest = digest(in: turn)
    for member in turn.mesh.links.members { turn.send(.wordDigest, on: member.link) { digest.write(to: &$0) } }
  }

  /// Takes a frame of a member.
  mutating func receive(
    _ frame: Frame, _ body: RawSpan, from sender: MemberLink, in turn: inout Turn
  ) throws(DecodingFailure) {
    switch frame {
    case .words: try receive(SpreadWord.read(Array(body)), from: sender, in: &turn)
    case .digest: answer(try WordDigest(body: body), from: sender, in: &turn)
    }
  }

  private func receive(
    _ words: [SpreadWord], from sender: MemberLink, in turn: inout Turn
  ) throws(DecodingFailure) {
    // Nothing has an effect before all of it is read.
    var known: [(word: SpreadWord, topic: WordTopic)] = []
    for word in words {
      // A topic of a later version is skipped, as a frame is, and so is a kind.
      guard let topic = WordTopic(rawValue: word.topic) else { continue }
      do throws(DecodingFailure) { try topic.check(word) } catch .unknownKind { continue }
      known.append((word, topic))
    }
    turn.spread(known.filter { turn.hear($0.word, $0.topic, from: sender.node) }.map(\.word), except: sender)
  }

  /// Sends a neighbour the words of the parts that differ.
  private mutating func answer(_ theirs: WordDigest, from sender: MemberLink, in turn: inout Turn) {
    // An answer costs as much as the book is long, and a question nothing.
    if let last = answered[sender.link], turn.now < last + ProtocolTimes.digestAnswer { return }
    answered.begin(sender.link, with: turn.now)
    let ours = digest(in: turn)
    guard ours != theirs else { return }
    turn.send(turn.words.words(ofParts: zip(ours.sums, theirs.sums).map { $0 != $1 }), on: sender.link)
  }

  private func digest(in turn: borrowing Turn) -> WordDigest {
    let roster = turn.mesh.roster
    return WordDigest(
      sums: turn.words.digest { WordTopic(rawValue: $0.topic)?.rule.outlives == true || roster.admits($0.author) })
  }
}

/// The words that a member knows, in a few numbers.
package struct WordDigest: Equatable, Sendable, FrameBody {
  /// Bytes on the wire.
  static let size = 8 * WordBook.parts

  /// A sum of hashes for each part.
  package let sums: [UInt64]

  package init(sums: [UInt64]) { self.sums = sums }

  package func write(to writer: inout ByteWriter) {
    for sum in sums { writer.write(sum) }
  }

  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    var sums: [UInt64] = []
    for _ in 0..<WordBook.parts { sums.append(try reader.read(UInt64.self)) }
    self.sums = sums
  }
}
