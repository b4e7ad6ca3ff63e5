import Basics
import WorldModel

/// A resource that is offered to this node, is fetched, or was received and is served to the others that fetch it; or an
/// attachment, this node's own ones too.
struct IncomingResource: Sendable {
  /// How far it is.
  enum Stage: Sendable {
    case offered, fetching, received
  }

  let offer: OfferedResource
  /// The start of its sender, or of the author of an attachment.
  let sender: NodeID
  /// Whether it is for every member for as long as it is listed, and no word about it is said to its author.
  var isAttachment = false
  var stage = Stage.offered
  /// Its names, and from whom its chunks come; the bytes are in a file of the driver.
  var holding: ContentHolding
  /// The other peers that fetch it or have it, as its sender says.
  var companions: [PeerID] = []
  var patience: ResourcePatience

  var id: ContentID { holding.head.id }

  /// The word about it that its sender should have heard.
  var word: ResourceWord.Stage {
    switch stage {
    case .offered: .waiting
    case .fetching: .accepted
    case .received: .received
    }
  }

  /// The peers that may have chunks of it from here.
  func mayServe(_ peer: PeerID) -> Bool { stage != .offered && (isAttachment || companions.contains(peer)) }

  /// The word to others about its chunks that are here; nil when there are none.
  var have: ContentHave? {
    guard holding.manifest != nil, !holding.verified.isEmpty else { return nil }
    return ContentHave(content: id, chunks: holding.verified)
  }

  /// Whether it is an offer that has not ended for this node.
  var isOpen: Bool { !isAttachment && stage != .received }
}

extension ContentManifest {
  /// Bytes of every chunk but the last; nil when they differ, so that the place of a chunk in a file would not follow.
  var evenChunk: Int? {
    guard let size = names.first?.size, let last = names.last, last.size <= size else { return nil }
    return names.dropLast().allSatisfy { $0.size == size } ? size : nil
  }

  /// Raw bytes of some chunks of an even manifest.
  func bytes(of chunks: ChunkSet) -> Int {
    guard let first = names.first, let last = names.last else { return 0 }
    return chunks.count * first.size - (chunks.contains(names.count - 1) ? first.size - last.size : 0)
  }
}
