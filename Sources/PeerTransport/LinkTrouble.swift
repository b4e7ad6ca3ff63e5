package import Basics

/// A fault beside the links of a session: for logs, and for the app where it must act.
package enum LinkTrouble: Sendable {
  /// No connection can be accepted now; the listener retries every second.
  case listenerPaused(TransportFailure)
  /// Connections are accepted again.
  case listenerResumed
  /// A dial of an address failed.
  case dialFailed(SocketAddress, TransportFailure)
  /// A connection from an address failed before its peer was proven.
  case strangerFailed(SocketAddress, TransportFailure)
  /// A connection from an address was refused unseen.
  case strangerRefused(SocketAddress, AdmissionGate.Refusal)
}

extension AdmissionGate.Refusal: CustomStringConvertible {
  /// The limit that is reached, for people.
  package var description: String {
    switch self {
    case .total: "too many strangers are connected"
    case .perAddress: "too many strangers of this address are connected"
    case .perNetwork: "too many strangers of this IPv6 network are connected"
    case .rate: "this address connects too often"
    case .rateOfAll: "strangers connect too often"
    case .crowded: "too many different addresses connect"
    }
  }
}
