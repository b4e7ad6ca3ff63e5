import AnchorReplication
import Basics
import WorldModel

/// Attachments: resources of the whole session, which every member fetches from those that have them.
extension Resources {
  // MARK: Commands

  /// Attaches a resource, whose bytes the driver has.
  mutating func attach(_ package: ResourcePackage, in turn: inout Turn) -> Answer {
    var word = attachments[turn.me] ?? AttachmentWord(node: turn.me)
    guard word.facts.count < ProtocolLimits.attachments, lastNumber < ProtocolLimits.counter else {
      return .refused(.tooManyAttachments)
    }
    lastNumber += 1
    let manifest = ContentManifest(.resource, epoch: turn.me.incarnation, revision: lastNumber, names: package.names)
    word.last = lastNumber
    word.facts.append(AttachmentFact(head: manifest.head, name: package.name))
    let holding = ContentHolding(manifest)
    append(AttachmentFact(head: manifest.head, name: package.name), of: turn.me, .received, holding, at: turn.now)
    guard record(word, from: nil, in: &turn) else {
      incoming.removeLast()
      return .refused(.tooManyAttachments)
    }
    tellHave(incoming.count - 1, in: &turn)
    return .offered(ResourceID(manifest.id))
  }

  /// Removes an attachment everywhere; its author may, and who may remove members.
  mutating func detach(_ content: ContentID, in turn: inout Turn) -> Answer {
    guard let found = attachments.find(content) else { return .refused(.noResource) }
    var word = found.word
    guard word.node.peer == turn.me.peer || turn.mayRule else { return .refused(.notHost) }
    word.facts.remove(at: found.place)
    record(word, from: nil, in: &turn)
    return .done
  }

  /// Begins to fetch an attachment.
  mutating func fetchAttachment(_ index: Int, in turn: inout Turn) {
    incoming[index].stage = .fetching
    if incoming[index].holding.isComplete { progress(index, in: &turn) } else { fetch(in: &turn) }
  }

  /// An attachment cannot be read or written here: it stays listed, and may be fetched again.
  mutating func failAttachment(_ index: Int, _ failure: ResourceFailure, in turn: inout Turn) {
    let resource = incoming[index]
    incoming[index].stage = .offered
    var fresh = ContentHolding(fetching: resource.holding.head, by: turn.me.peer)
    for source in resource.holding.sources { fresh.addHolder(source.peer, have: source.have, at: turn.now) }
    incoming[index].holding = fresh
    for member in turn.mesh.links.members { say(.failed(failure), of: resource.id, to: member.node, in: &turn) }
    dropUploads(of: resource.id, in: &turn)
    turn.report(.resource(.attachment(resource.offer, .failed(failure))))
    fetch(in: &turn)
  }

  // MARK: The book

  /// Tells a new neighbour of everything that is attached, and was.
  func tellAttachments(on link: LinkRef, in turn: inout Turn) {
    guard turn.configuration.rules.contains(.attachmentsOnNewLinks) else { return }
    for word in attachments.words { send(word, on: link, in: &turn) }
  }

  /// Tells a neighbour which chunks of an attachment are here.
  func tellHave(_ index: Int, on link: LinkRef, in turn: inout Turn) {
    guard let have = incoming[index].have else { return }
    turn.send(.chunkHave, on: link) { have.write(to: &$0) }
  }

  /// Takes what a member knows of the attachments of one start.
  mutating func receive(_ told: AttachmentWord, from sender: MemberLink, in turn: inout Turn) {
    var word = told
    var known = attachments[word.node] ?? AttachmentWord(node: word.node)
    // An attachment of a guest counts as removed, so that all end without it.
    if !turn.heeds(word.node.peer) { word.facts.removeAll { !known.facts.contains($0) } }
    if word.node == turn.me {
      // Nobody else adds any in this node's name.
      lastNumber = max(lastNumber, word.last)
      known.last = max(known.last, word.last)
    }
    let merged = known.merged(with: word, rules: turn.configuration.rules)
    if merged != attachments[word.node] {
      record(merged, from: merged == told ? sender : nil, in: &turn)
    } else if merged != told {
      send(merged, on: sender.link, in: &turn)
    }
  }

  /// Records a word, passes it on, and lists what it says; false when there is no room for it.
  @discardableResult
  private mutating func record(_ word: AttachmentWord, from sender: MemberLink?, in turn: inout Turn) -> Bool {
    guard attachments.set(word, isMember: turn.mesh.isMember) else { return false }
    for member in turn.mesh.links.members where member != sender { send(word, on: member.link, in: &turn) }
    for index in incoming.indices.reversed() {
      guard incoming[index].isAttachment, incoming[index].sender == word.node,
        !word.facts.contains(where: { $0.head.id == incoming[index].id })
      else { continue }
      let gone = incoming.remove(at: index)
      dropUploads(of: gone.id, in: &turn)
      turn.report(.resource(.attachment(gone.offer, .removed)))
    }
    for fact in word.facts where !incoming.contains(where: { $0.id == fact.head.id }) {
      let holding = ContentHolding(fetching: fact.head, by: turn.me.peer)
      let offer = append(fact, of: word.node, .offered, holding, at: turn.now)
      turn.report(.resource(.attachment(offer, .listed)))
    }
    return true
  }

  @discardableResult
  private mutating func append(
    _ fact: AttachmentFact, of author: NodeID, _ stage: IncomingResource.Stage, _ holding: ContentHolding,
    at now: Instant
  ) -> OfferedResource {
    let offer = OfferedResource(
      id: ResourceID(fact.head.id), from: author.peer, name: fact.name, size: fact.head.size)
    incoming.append(
      IncomingResource(
        offer: offer, sender: author, isAttachment: true, stage: stage, holding: holding,
        patience: ResourcePatience(at: now)))
    return offer
  }

  private func send(_ word: AttachmentWord, on link: LinkRef, in turn: inout Turn) {
    turn.send(.attachments, on: link) { word.write(to: &$0) }
  }
}
