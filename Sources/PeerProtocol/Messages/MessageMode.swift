/// The promise of a session about the delivery of a message.
public enum MessageMode: Hashable, Sendable {
  /// Each receiver gets it exactly once, behind all earlier reliable messages of this session to it; or the sender learns
  /// that this failed.
  case reliable
  /// As ``reliable``, and ahead of the reliable messages of this session that have not left yet.
  ///
  /// Each receiver gets the critical messages of a sender in the order of sending, and so the ordinary ones; between the two
  /// there is no order. Critical ones have a window of their own (256 KiB for each receiver), so they leave while ordinary
  /// ones wait for room, and members that pass messages on send them first too.
  case critical
  /// The latest wins: of the messages of one session under one key, a receiver gets some, in the order of sending.
  ///
  /// Each may be lost, none comes twice, and none after a newer one of its key, over broken and replaced connections and
  /// through other members. A message that has not left is dropped for a newer one of its key, so nothing waits and
  /// nothing grows; what has not left when a receiver is away goes to it when it returns. Between keys, and between these
  /// and reliable messages, there is no order. A key has at most 63 bytes of UTF-8 without control characters, and may be
  /// empty.
  case unreliable(key: String)
}
