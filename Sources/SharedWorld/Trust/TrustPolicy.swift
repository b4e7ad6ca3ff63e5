public import WorldModel

/// The keys that a session admits, whatever the app answers and whatever other members do.
public enum TrustPolicy: Hashable, Sendable {
  /// Any key that the app admits; no key is recorded.
  case anyone
  /// Trust on first use: any key that the app admits is recorded in a ``PinStore``, so that a key which was never admitted
  /// before is told from a known one.
  case firstUse(PinStore)
  /// These keys and no others, in both directions.
  case pinned(Set<PeerID>)
  /// The keys in a ``PinStore``, and those whose six-digit code two people have compared on this device, which are then recorded.
  ///
  /// It needs ``Session/Configuration/Authentication/codeHandler``. This peer does not connect to one that another member
  /// admits before its code is compared here: when either user invites the other, or the other peer connects to this one.
  case code(PinStore)
}

/// How a key compares with those that this device has admitted before.
@nonexhaustive
public enum Recognition: String, Hashable, Sendable {
  /// The policy records no keys.
  case untracked
  /// The key was admitted before this session, is on the list, or its code was compared in this session.
  case known
  /// The key was never admitted before this session.
  case neverSeen = "never-seen"
  /// The same, and a known peer with another key has its name: a new device, or somebody who took the name.
  case newDevice = "new-device"
  /// The list does not have the key, or its code was not compared. Another member has admitted the peer; this one makes no
  /// connection to it.
  case refused
}
