package import WorldModel

/// News of one link for the app's driver.
package enum HandshakeNews: Sendable {
  /// The driver is to begin; the answer is ``Input/driverStep(_:_:)``.
  case began(HandshakeOpening)
  /// The other driver has sent this; the answer is the same.
  case received([UInt8])
  /// Nothing more comes, and no answer has an effect any more.
  case ended
}

/// The link that a driver is made for.
package struct HandshakeOpening: Sendable {
  /// The peer at the other end, as its TLS certificate proves.
  package let peer: PeerID
  /// Whether this side dialled.
  package let isDialled: Bool
  /// Whether the peer was authenticated in this process before.
  package let isResumed: Bool
  /// 32 bytes of keying material that the two ends of this connection share and nobody else has (RFC 8446 §7.5).
  package let binding: [UInt8]
}

/// A driver's answer.
package struct HandshakeStep: Sendable {
  /// How far the driver has come.
  package enum Verdict: Sendable, Equatable {
    /// It waits for more data.
    case undecided
    /// It has authenticated the peer at the other end; further data do not reach it.
    case authenticated
    /// It refuses the peer, for a reason that both sides are told.
    case refused(reason: String)
  }

  /// Data for the other driver, sent before the verdict; nil for none.
  let data: [UInt8]?
  let verdict: Verdict

  package init(sending data: [UInt8]? = nil, _ verdict: Verdict = .undecided) {
    (self.data, self.verdict) = (data, verdict)
  }
}

/// Why the drivers of the two ends of a link did not authenticate each other.
package struct HandshakeFailure: Sendable, Equatable {
  /// The reason for people, plain text of at most ``ProtocolLimits/reason`` bytes; chosen by the other side where it refuses.
  package let reason: String
  /// Whether this side refuses the other one.
  package let isOwn: Bool
}
