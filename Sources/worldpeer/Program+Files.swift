import PeerCLI
import SharedWorld

/// Files that this peer offers, accepts and gets.
extension Program {
  private typealias File = Report.File

  func perform(_ act: FileAct) async throws -> Report.Answer {
    switch act {
    case .send(let path, let peer): return try await sendFile(path, to: peer)
    case .accept(let word, let path): try await acceptFile(word, to: path)
    case .decline(let word): await session.decline(try files.offer(word))
    case .cancel(let word): await session.cancelResource(try files.file(word))
    }
    return .done
  }

  /// Offers a file; what becomes of it at each peer is told by events.
  private func sendFile(_ path: String, to word: String?) async throws -> Report.Answer {
    var receivers = await session.state().peers.filter { $0.state == .connected }.map(\.peer.id)
    if let word { receivers = [try await member(word)] }
    guard !receivers.isEmpty else { throw ProgramFailure("not-connected", "no other peer is connected") }
    let transfer = try await session.sendResource(at: path, to: receivers)
    files.add(transfer.id)
    return .file(transfer.id.description)
  }

  private func acceptFile(_ word: String, to path: String) async throws {
    let offer = try files.offer(word)
    files.setDestination(path, of: offer.id)
    do throws(SessionError) {
      try await session.accept(offer)
    } catch {
      files.setDestination(nil, of: offer.id)
      throw error
    }
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

  func report(_ failure: ResourceFailure?, of id: ResourceID, at receiver: PeerID) {
    console.say(.fileSettled(at: person(receiver), id.description, reason: failure?.word))
  }
}
