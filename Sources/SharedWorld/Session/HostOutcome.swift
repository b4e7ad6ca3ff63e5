/// What became of the wish that a certain peer host.
@nonexhaustive
public enum HostOutcome: String, Hashable, Sendable {
  /// The peer hosts.
  case hosts
  /// The peer does not host: it may not, its request was not granted in time, or the task was cancelled.
  case unchanged
  /// The session is over.
  case ended
}
