extension SecureTransport {
  /// The limits of a transport; times in nanoseconds, sizes in bytes.
  package struct Configuration: Sendable {
    /// How long TCP may take to connect to one address, and a name to be looked up.
    var connectTimeout: UInt64 = 5_000_000_000
    /// How long the TLS handshake of a connection from outside may take, and each step of this side; its peer is not charged
    /// with these.
    package var handshakeTimeout: UInt64 = 5_000_000_000
    /// How long the TLS handshake of a dial may take: longer, since the other side may be slow and have many who dial it at once.
    var dialledHandshakeTimeout: UInt64 = 10_000_000_000
    /// How long a connection from outside may send nothing at all.
    package var firstByteTimeout: UInt64 = 1_500_000_000
    /// How long a closing link may take to flush and until the peer has closed too, after the kernel took bytes last.
    var lingerTimeout: UInt64 = 2_000_000_000
    /// The same for a stranger: enough for a goodbye to cross a LAN.
    package var strangerLingerTimeout: UInt64 = 250_000_000
    /// How long a closing link may take in all.
    var closeTimeout: UInt64 = 15_000_000_000
    /// Closing links of members held at once; one more ends the oldest.
    var closingLinks = 64
    /// How long sent bytes may stay unacknowledged (TCP_USER_TIMEOUT).
    var userTimeout: UInt64 = 15_000_000_000
    /// How many bytes the kernel may hold that are not sent yet (TCP_NOTSENT_LOWAT).
    package var unsentLimit = 64 * 1024
    /// How long bytes may wait in the network because of one link, before that link has fewer in flight.
    var delayTarget: UInt64 = 4_000_000
    /// The most bytes in the queue of a link.
    package var highWatermark = 64 * 1024
    /// A queue that has fallen to this may be filled again.
    var lowWatermark = 16 * 1024
    /// The encrypted bytes collected for one `send`, unless fewer are queued.
    package var sendSize = 40 * 1024
    /// The bytes read at once.
    var receiveBuffer = 512 * 1024
    /// Descriptors that connections from outside never take.
    package var reservedDescriptors: Int32 = 64
    /// How long accepting rests after the descriptors ran out.
    package var acceptPause: UInt64 = 1_000_000_000
    /// The limits for strangers.
    package var gate = AdmissionGate.Limits()

    /// The limits of Documentation/Protocol/connection.md.
    package init() {}
  }
}
