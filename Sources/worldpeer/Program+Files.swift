import PeerCLI
import SharedWorld

/// Files that this peer offers, accepts and gets.
extension Program {
  private typealias File = Report.File

  func perform(_ act: FileAct) async throws -> Report.Answer {
    switch act {
    case .send(let path, let peer): return try await sendFile(path, to: peer)
    case .accept(let word, let path): try await acceptFile(word, to: path)
    case .decline(let word): await session.files.decline(try files.offer(word))
    case .cancel(let word): await session.files.cancel(try files.file(word))
    case .attach(let path): return .file(try await session.files.attach(at: path).id.description)
    case .attachments:
      return .attachments(await session.files.attachments.map { (person($0.author), .init($0), $0.word) })
    case .sendStream(let name, let path, let peer): try await sendStream(name, from: path, to: peer)
    case .acceptStream(let name, let path): try acceptStream(name, into: path)
    case .detach(let word): try await session.files.detach(try await attachment(word))
    }
    return .done
  }

  /// Offers a file; what becomes of it at each peer is told by events.
  private func sendFile(_ path: String, to word: String?) async throws -> Report.Answer {
    var receivers = await session.state.peers.filter { $0.state == .connected }.map(\.peer.id)
    if let word { receivers = [try await member(word)] }
    guard !receivers.isEmpty else { throw ProgramFailure("not-connected", "no other peer is connected") }
    let transfer = try await session.files.send(at: path, to: receivers)
    files.add(transfer.id)
    return .file(transfer.id.description)
  }

  private func acceptFile(_ word: String, to path: String) async throws {
    let offer = try files.offer(word)
    files.setDestination(path, of: offer.id)
    do throws(SessionError) {
      try await session.files.accept(offer)
    } catch {
      files.setDestination(nil, of: offer.id)
      throw error
    }
  }

  private func attachment(_ word: String) async throws -> ResourceID {
    switch Lookup.find(word, in: await session.files.attachments, by: { [$0.name, $0.id.description] }) {
    case .found(let attachment): return attachment.id
    case .several(let count):
      throw ProgramFailure("ambiguous", "'\(word)' can mean \(count) attachments; give more of the id")
    case .nothing: throw ProgramFailure("unknown-resource", "nothing called '\(word)' is attached")
    }
  }

  func report(_ attachment: SessionAttachment) {
    var reason: String?
    if case .failed(let failure) = attachment.state { reason = failure.word }
    console.say(
      .attachmentChanged(
        of: person(attachment.author), File(attachment), state: attachment.word, path: attachment.path, reason: reason))
  }

  func report(_ offer: ResourceOffer) {
    files.add(offer)
    console.say(.fileOffered(from: person(offer.from), File(offer)))
  }

  func report(_ progress: ResourceProgress) {
    console.say(.fileProgress(with: person(progress.peer), progress))
  }

  func report(_ receipt: ResourceReceipt) {
    let offer = receipt.offer
    do {
      let path = try files.place(receipt)
      console.say(.fileReceived(from: person(offer.from), File(offer), path: path))
    } catch {
      let message = "\(offer.name) cannot be put there: \(error); it is \(receipt.path)"
      console.say(ProgramFailure("io", message), during: nil)
    }
    files.remove(offer.id)
  }

  func report(_ failure: ResourceFailure, of offer: ResourceOffer) {
    files.remove(offer.id)
    console.say(.fileFailed(from: person(offer.from), File(offer), reason: failure.word))
  }

  func report(_ failure: ResourceFailure?, of id: ResourceID, at receiver: Peer) {
    console.say(.fileSettled(at: person(receiver), id.description, reason: failure?.word))
  }
}
