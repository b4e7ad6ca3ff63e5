package import BasicsLinux
import COpenSSL
import Glibc

/// Why a link, a dial or the listener failed.
package enum TransportFailure: Error, Equatable, Sendable {
  /// A system call failed.
  case system(SystemCallFailure)
  /// The other side did not answer the connection attempt in time.
  case connectTimedOut
  /// The TLS handshake did not finish in time.
  case handshakeTimedOut
  /// The peer's certificate was refused.
  case refused(CertificateProblem)
  /// TLS failed for another reason, in OpenSSL's words; also the text of the peer's alert.
  case tls(String)
  /// The stream ended without TLS's closing message, so bytes may be missing.
  case truncated
  /// The dial was cancelled or the transport shut down.
  case cancelled
  /// A medium other than TCP failed, in its own words.
  case medium(String)

  /// A defect of a peer's certificate.
  package enum CertificateProblem: Equatable, Sendable {
    /// None was sent.
    case missing
    /// The key is not Ed25519.
    case notEd25519
    /// More than one certificate, or more than ``TLSContext/chainLimit`` bytes.
    case chainTooLong
    /// It is our own: the connection leads back to us or somebody reflects it.
    case ownIdentity
  }
}

extension TransportFailure: CustomStringConvertible {
  /// A sentence for people.
  package var description: String {
    switch self {
    case .system(let failure): failure.description
    case .connectTimedOut: "the peer did not answer the connection attempt in time"
    case .handshakeTimedOut: "the TLS handshake did not finish in time"
    case .refused(.missing): "the peer sent no certificate"
    case .refused(.notEd25519): "the peer's key is not Ed25519"
    case .refused(.chainTooLong): "the peer sent more than its own small certificate"
    case .refused(.ownIdentity): "the connection leads back to this peer"
    case .tls(let reason): "TLS: \(reason)"
    case .truncated: "the connection was cut"
    case .cancelled: "cancelled"
    case .medium(let reason): reason
    }
  }
}

extension TransportFailure {
  /// Runs `body`, whose failure becomes a transport's.
  static func wrapping<R>(_ body: () throws(SystemCallFailure) -> R) throws(TransportFailure) -> R {
    do throws(SystemCallFailure) { return try body() } catch { throw .system(error) }
  }

  /// Whether the address refused the connection: no process listens there.
  var isRefusal: Bool {
    if case .system(let failure) = self, failure.code == ECONNREFUSED { true } else { false }
  }

  /// Whether another socket listens there already.
  package var isAddressInUse: Bool {
    if case .system(let failure) = self, failure.code == EADDRINUSE { true } else { false }
  }
}
