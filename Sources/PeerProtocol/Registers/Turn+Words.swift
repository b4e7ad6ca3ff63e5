import AnchorReplication
import Basics

/// Words of this node and of others on their way through it.
extension Turn {
  /// Says a word of this node; one that is said already is not said again, and an empty one takes back what was said.
  mutating func say(_ topic: WordTopic, key: [UInt8] = [], _ build: (inout ByteWriter) -> Void = { _ in }) {
    var writer = ByteWriter()
    build(&writer)
    let (own, body) = (words[topic, me, key], writer.take())
    guard own.map({ Array($0.body) != body }) ?? !body.isEmpty else { return }
    let latest = words.words(of: topic.rawValue, by: me).map(\.version).max() ?? 0
    say(topic, key, body, after: latest)
  }

  private mutating func say(_ topic: WordTopic, _ key: [UInt8], _ body: [UInt8], after version: UInt64) {
    // From the beginning when a lie has used the numbers up.
    let next = version < SpreadWord.greatestVersion ? version + 1 : 1
    let word = SpreadWord(topic, by: me, key: key, version: next, body: body)
    keep(word, topic)
    spread([word], except: nil)
  }

  /// Takes a word that a member sends; whether it is news that others need.
  mutating func hear(_ word: SpreadWord, _ topic: WordTopic, from sender: NodeID) -> Bool {
    guard word.author != me else {
      correct(word, topic)
      return false
    }
    if let known = words.word(named: word.name) {
      let isLater = known.content.lexicographicallyPrecedes(word.content)
      if SpreadWord.areApart(known.version, word.version) {
        let isBelieved = configuration.rules.contains(.wordVouching) ? mesh.vouches(sender, for: word.author) : isLater
        guard isBelieved, known != word else { return false }
      } else if !isLater {
        return false
      }
    }
    // The other words of its frame go with this call.
    keep(word.copy, topic)
    return words.word(named: word.name) != nil
  }

  /// Somebody spreads a word in this node's name that it has not said: the true one is said again, above it.
  private mutating func correct(_ word: SpreadWord, _ topic: WordTopic) {
    let own = words.word(named: word.name)
    guard own.map({ $0.content.lexicographicallyPrecedes(word.content) }) ?? true else { return }
    say(topic, Array(word.key), own.map { Array($0.body) } ?? [], after: word.version)
    // Of a register that it does not have: where only the latest words stay, the true ones must not give way to inventions.
    guard own == nil, word.version < SpreadWord.greatestVersion - 1 else { return }
    for other in words.words(of: topic.rawValue, by: me) where !other.body.isEmpty && other.version < word.version {
      say(topic, Array(other.key), Array(other.body), after: word.version + 1)
    }
  }

  /// Gives a word to its user, and gives up what has no room beside it.
  private mutating func keep(_ word: SpreadWord, _ topic: WordTopic) {
    words.set(word)
    tell(.word(word))
    if let gone = words.bound(topic, of: word.author) { tell(.word(gone.forgotten)) }
    if word.author != me, !mesh.isMember(word.author) { boundStrangers(topic) }
  }

  private mutating func boundStrangers(_ topic: WordTopic) {
    let (roster, anchors) = (mesh.roster, anchors)
    let gone = words.boundStrangers(topic, isMember: roster.admits) { anchors.appliedCount(of: $0.actor) > 0 }
    for word in gone { tell(.word(word.forgotten)) }
  }

  /// Gives up what is more than is kept of nodes that are members no more.
  mutating func boundStrangers() {
    for topic in WordTopic.allCases { boundStrangers(topic) }
  }

  /// Passes news on: to those whom the author does not reach itself, and to the author, which corrects what it did not say.
  ///
  /// The digest finds what that misses while links come and go.
  mutating func spread(_ news: [SpreadWord], except sender: MemberLink?) {
    guard !news.isEmpty else { return }
    for member in mesh.links.members where member != sender {
      send(news.filter { $0.author == me || mesh.brings($0.author, to: member.node) }, on: member.link)
    }
  }

  /// Sends words, in as many frames as they need.
  mutating func send(_ words: [SpreadWord], on link: LinkRef) {
    var rest = words[...]
    while !rest.isEmpty {
      var size = 0
      let part = rest.prefix { word in
        size += word.count
        return size <= ProtocolLimits.memberFrame
      }
      send(.words, on: link) { body in for word in part { word.write(to: &body) } }
      rest = rest.dropFirst(part.count)
    }
  }
}
