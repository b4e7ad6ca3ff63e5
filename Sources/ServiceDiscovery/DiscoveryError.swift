/// Why a discovery operation could not be carried out.
package enum DiscoveryError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The service type breaks a rule of RFC 6335 §5.1.
  case invalidServiceType(String, reason: String)

  /// The instance name breaks a rule of RFC 6763 §4.1.1.
  case invalidInstanceName(String, reason: String)

  /// A TXT pair, or the record as a whole, breaks a rule of RFC 6763 §6 or one of our limits.
  case invalidInfo(reason: String)

  /// No back-end can work now.
  case unavailable(reason: String)

  /// No answer for the instance in time: it is gone, or its host is unreachable.
  case resolutionTimedOut(ServiceInstance)

  /// The back-end was started a second time.
  case alreadyStarted

  /// The back-end was stopped, before or during the operation.
  case stopped

  /// The task that asked was cancelled.
  case cancelled

  package var description: String {
    switch self {
    case .invalidServiceType(let name, let reason): "service type \"\(name)\" is invalid: \(reason)"
    case .invalidInstanceName(let name, let reason): "instance name \"\(name)\" is invalid: \(reason)"
    case .invalidInfo(let reason): "discovery info is invalid: \(reason)"
    case .unavailable(let reason): "discovery is unavailable: \(reason)"
    case .resolutionTimedOut(let instance): "\(instance) did not answer in time"
    case .alreadyStarted: "discovery was already started"
    case .stopped: "discovery was stopped"
    case .cancelled: "the operation was cancelled"
    }
  }
}
