import AnchorReplication
import Basics
import WorldModel

/// Attachments: resources of the whole session, which every member fetches from those that have them.
extension Resources {
  // MARK: Commands

  /// Attaches a resource, whose bytes the driver has.
  mutating func attach(_ package: ResourcePackage, in turn: inout Turn) -> Answer {
    let known = attachments.lists[turn.me] ?? []
    guard known.count < ProtocolLimits.attachments, lastNumber < ProtocolLimits.counter else {
      return .refused(.tooManyAttachments)
    }
    lastNumber += 1
    let manifest = ContentManifest(.resource, epoch: turn.me.incarnation, revision: lastNumber, names: package.names)
    let fact = AttachmentFact(head: manifest.head, name: package.name)
    append(fact, of: turn.me, .received, ContentHolding(manifest), at: turn.now)
    turn.say(.attachments) { AttachmentList(known + [fact]).write(to: &$0) }
    tellHave(incoming.count - 1, in: &turn)
    return .offered(ResourceID(manifest.id))
  }

  /// Removes an attachment everywhere; its author may, and who may remove members.
  mutating func detach(_ content: ContentID, in turn: inout Turn) -> Answer {
    guard let (author, fact) = attachments.find(content), incoming.contains(where: { $0.id == content }) else {
      return .refused(.noResource)
    }
    guard author.peer == turn.me.peer || turn.mayRule else { return .refused(.notHost) }
    if author == turn.me {
      withdraw([fact], in: &turn)
    } else {
      turn.say(.removals, key: AttachmentName(author: author, number: fact.number).bytes) { $0.write(1 as UInt8) }
    }
    return .done
  }

  /// Lists some of this node's attachments no more.
  private func withdraw(_ gone: [AttachmentFact], in turn: inout Turn) {
    let rest = (attachments.lists[turn.me] ?? []).filter { !gone.contains($0) }
    turn.say(.attachments) { body in if !rest.isEmpty { AttachmentList(rest).write(to: &body) } }
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

  /// Tells a neighbour which chunks of an attachment are here.
  func tellHave(_ index: Int, on link: LinkRef, in turn: inout Turn) {
    guard let have = incoming[index].have else { return }
    turn.send(.chunkHave, on: link) { have.write(to: &$0) }
  }

  /// A member has other attachments, or removes one of somebody else; a word that found no room is empty.
  mutating func changed(_ word: SpreadWord, _ topic: WordTopic, in turn: inout Turn) {
    if topic == .attachments {
      attachments.set(try? AttachmentList(word), of: word.author)
    } else if let name = try? AttachmentName(word) {
      attachments.set(isRemoved: !word.body.isEmpty, name, by: word.author)
    }
    showAttachments(in: &turn)
  }

  /// Lists what stands, and no more what does not: what its author has taken back, or somebody has removed who may, and all of a guest.
  mutating func showAttachments(in turn: inout Turn) {
    let mine = attachments.lists[turn.me] ?? []
    let gone = mine.filter { isRemoved($0, of: turn.me, in: turn) }
    // So that it stays removed whatever becomes of those who removed it.
    if !gone.isEmpty { withdraw(gone, in: &turn) }
    for index in incoming.indices.reversed() where incoming[index].isAttachment {
      let (author, id) = (incoming[index].sender, incoming[index].id)
      guard !isListed(id, of: author, in: turn) else { continue }
      let gone = incoming.remove(at: index)
      dropUploads(of: gone.id, in: &turn)
      turn.report(.resource(.attachment(gone.offer, .removed)))
    }
    for (author, facts) in attachments.lists {
      for fact in facts where !incoming.contains(where: { $0.id == fact.head.id }) {
        guard isListed(fact.head.id, of: author, in: turn) else { continue }
        let holding = ContentHolding(fetching: fact.head, by: turn.me.peer)
        let offer = append(fact, of: author, .offered, holding, at: turn.now)
        turn.report(.resource(.attachment(offer, .listed)))
      }
    }
  }

  private func isListed(_ content: ContentID, of author: NodeID, in turn: borrowing Turn) -> Bool {
    guard let fact = attachments.lists[author]?.first(where: { $0.head.id == content }) else { return false }
    return turn.heeds(author.peer) && !isRemoved(fact, of: author, in: turn)
  }

  private func isRemoved(_ fact: AttachmentFact, of author: NodeID, in turn: borrowing Turn) -> Bool {
    attachments.removers(of: AttachmentName(author: author, number: fact.number))
      .contains { $0.peer == author.peer || turn.mayRemove($0.peer) }
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
}
