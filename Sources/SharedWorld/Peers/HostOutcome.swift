/// The result of the wish that a certain peer host.
@nonexhaustive
public enum HostOutcome: String, Hashable, Sendable {
  /// The peer hosts.
  case hosts
  /// The host has declined the request.
  case refused
  /// The peer does not host: it may not, its request was not answered in time, or the task was cancelled.
  case unchanged
  /// The session is over.
  case ended
}
