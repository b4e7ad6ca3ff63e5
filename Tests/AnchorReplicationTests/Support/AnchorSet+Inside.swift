@testable import AnchorReplication

extension AnchorSet {
  /// The number of operations that wait for an anchor that has not arrived.
  var heldCount: Int { held.count }

  /// Bytes of operations in the log.
  var logByteCount: Int { log.byteCount }

  /// Whether operations of this actor were dropped for want of room, and have not been received again.
  func lacksOperations(of actor: ActorID) -> Bool { held.hasDropped(actor, beyond: appliedCount(of: actor)) }
}
