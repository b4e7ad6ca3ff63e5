import WorldModel

/// The named limits of a replicated anchor set.
///
/// A local edit that would pass `anchors` or `stateBytes` is refused. Edits made apart can still add up to more when
/// they meet, and refusing them then would leave peers different permanently: what arrives from others is accepted up
/// to twice these limits, and beyond that ends the link.
package struct ReplicationLimits: Equatable, Sendable {
  /// Anchors in the set.
  package var anchors = Limits.anchors
  /// Actors that ever wrote in the session.
  package var actors = 4_096
  /// Bytes of names, kinds and payloads in the set.
  package var stateBytes = 64 * 1024 * 1024
  /// Operations that wait for an anchor that has not arrived.
  package var heldOperations = 4_096
  /// Bytes of those operations.
  package var heldBytes = 1024 * 1024
  /// Bytes of the operation log.
  package var logBytes = 4 * 1024 * 1024
  /// Milliseconds that the author on a link may be ahead of session time.
  package var clockAheadMilliseconds: UInt64 = 60_000

  /// Bytes of one encoded operation: a full payload, name, kind and the fixed parts.
  package static let operationBytes = Limits.anchorPayload + 8 * 1024

  /// The limits of the protocol.
  package static let `default` = ReplicationLimits()

  /// The limits of the protocol, to be changed by tests.
  package init() {}
}
