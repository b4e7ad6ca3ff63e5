public import PeerProtocol
public import WorldModel

/// A resource on its way from this peer to others: how far each has come, and what became of it there.
///
/// It is read once, as a sequence or by ``results()``. The sequence ends when every receiver has a result.
public struct ResourceTransfer: AsyncSequence, Sendable {
  /// News of a transfer.
  @nonexhaustive
  public enum Update: Sendable, Hashable {
    /// A receiver has more of it.
    case progress(ResourceProgress)
    /// A receiver has all of it.
    case received(Peer)
    /// A receiver does not get it.
    case failed(Peer, ResourceFailure)
  }

  /// The resource.
  public let id: ResourceID
  private let updates: AsyncStream<Update>

  init(id: ResourceID, updates: AsyncStream<Update>) {
    (self.id, self.updates) = (id, updates)
  }

  /// Awaits the result of every receiver, nil for one that has all of it.
  public func results() async -> [PeerID: ResourceFailure?] {
    var results: [PeerID: ResourceFailure?] = [:]
    for await update in updates {
      switch update {
      case .progress: break
      case .received(let peer): results.updateValue(nil, forKey: peer.id)
      case .failed(let peer, let failure): results.updateValue(failure, forKey: peer.id)
      }
    }
    return results
  }

  /// Reads the updates.
  public func makeAsyncIterator() -> AsyncStream<Update>.Iterator { updates.makeAsyncIterator() }
}

/// A resource that has arrived.
public struct ResourceReceipt: Hashable, Sendable {
  /// The offer that was accepted.
  public let offer: ResourceOffer
  /// The file with its bytes (mode 0600), which the app moves to where it wants it.
  ///
  /// It is removed when the session ends.
  public let path: String
}
