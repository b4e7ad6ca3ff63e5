package import Basics

/// The last frame of a link: why it ends.
package struct Goodbye: Sendable, Equatable, FrameBody {
  /// Why.
  package var reason: EndReason
  /// The sender's wire versions, so that a mismatch can name both sides.
  package var versions: ClosedRange<UInt16>

  package init(_ reason: EndReason, versions: ClosedRange<UInt16> = ProtocolLimits.versions) {
    self.reason = reason
    self.versions = versions
  }

  package func write(to writer: inout ByteWriter) {
    writer.write(reason.code)
    writer.write(versions.lowerBound)
    writer.write(versions.upperBound)
  }

  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let code = try reader.readByte()
    let (low, high) = (try reader.read(UInt16.self), try reader.read(UInt16.self))
    guard low <= high else { throw .invalid("version range is empty", offset: 1) }
    versions = low...high
    reason = EndReason(code: code, versions: versions)
  }
}

/// Why a link, or a peer's part in a session, ended.
package enum EndReason: Sendable, Equatable {
  /// It left by itself.
  case left
  /// A member removed it.
  case kicked
  /// It speaks other versions of the wire than this build.
  case versionMismatch(theirs: ClosedRange<UInt16>)
  /// The id it sent is not the id of its certificate.
  case identityMismatch
  /// It is this very peer.
  case ownIdentity
  /// Another link to the same peer is kept.
  case duplicate
  /// It went over a limit, or the session is full.
  case limitExceeded
  /// It broke the protocol.
  case protocolError
  /// Nothing was heard of it for too long.
  case timedOut
  /// It refused, or is not a member.
  case refused
  /// It uses another service.
  case otherService
  /// The connection broke.
  case connectionLost
  /// A newer start of the same peer replaced it.
  case replaced
  /// The session takes no newcomers.
  case locked
  /// One side has a passcode, and the other has none.
  case passcodeRequired
  /// The proof of the passcode failed.
  case passcodeRefused
  /// Too many proofs have failed; it may not try.
  case passcodeLocked
  /// A proof has failed; it may try after this time.
  case passcodeWait(Duration)
  /// One side asks for a comparison of codes, and one of the two can show none.
  case codeRequired
  /// A user said that the codes differ, or would not compare them.
  case codeRefused
  /// Too many codes are being compared, or a comparison has failed a short time ago; it may try later.
  case codeBusy
  /// One side has a driver, and the other has none.
  case driverRequired
  /// The drivers of the two ends did not authenticate each other.
  indirect case authenticationFailed(HandshakeFailure)

  /// The number on the wire.
  package var code: UInt8 {
    switch self {
    case .left: 1
    case .kicked: 2
    case .versionMismatch: 3
    case .identityMismatch: 4
    case .ownIdentity: 5
    case .duplicate: 6
    case .limitExceeded: 7
    case .protocolError: 8
    case .timedOut: 9
    case .refused: 10
    case .otherService: 11
    case .connectionLost: 12
    case .replaced: 13
    case .locked: 14
    case .passcodeRequired: 15
    case .passcodeRefused: 16
    case .passcodeLocked, .passcodeWait: 17
    case .codeRequired: 18
    case .codeRefused: 19
    case .codeBusy: 20
    case .driverRequired: 21
    case .authenticationFailed: 22
    }
  }

  /// The reason with this number; one that is not known counts as ``refused``.
  package init(code: UInt8, versions: ClosedRange<UInt16>) {
    let plain: [EndReason] = [
      .left, .kicked, .versionMismatch(theirs: versions), .identityMismatch, .ownIdentity, .duplicate, .limitExceeded,
      .protocolError, .timedOut, .refused, .otherService, .connectionLost, .replaced, .locked,
      .passcodeRequired, .passcodeRefused, .passcodeLocked, .codeRequired, .codeRefused, .codeBusy, .driverRequired,
      .authenticationFailed(HandshakeFailure(reason: "", isOwn: false)),
    ]
    self = plain.first { $0.code == code } ?? .refused
  }
}
