/// A failure: a code to decide on, a sentence that says what to do, and the underlying error if there is one.
public struct SessionError: Error, Sendable {
  /// The kind of failure.
  public let code: Code
  /// The failure and what helps, for people.
  public let message: String
  /// The error that led to this one.
  public let cause: (any Error)?

  /// A failure.
  public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }
}

extension SessionError: CustomStringConvertible {
  /// The code, the message and the cause in a line.
  public var description: String {
    "\(code): \(message)" + (cause.map { " (\($0))" } ?? "")
  }
}

extension SessionError {
  /// The kind of a failure; later versions may add more, so a `switch` over it needs a default.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// A kebab-case word, the same in every version.
    public let description: String

    private init(_ word: String) {
      description = word
    }

    /// The other side declined the invitation.
    public static let declined = Code("declined")
    /// Nobody answered the invitation in time.
    public static let invitationTimedOut = Code("invitation-timed-out")
    /// The caller gave up.
    public static let cancelled = Code("cancelled")
    /// No peer or candidate has this id.
    public static let unknownPeer = Code("unknown-peer")
    /// No anchor has this id, or it was removed.
    public static let unknownAnchor = Code("unknown-anchor")
    /// An argument is outside its documented range.
    public static let invalidArgument = Code("invalid-argument")
    /// The peer speaks no version of the protocol that we speak.
    public static let versionMismatch = Code("version-mismatch")
    /// A peer is not who it claims to be, or a file is another peer's.
    public static let identityMismatch = Code("identity-mismatch")
    /// The identity file cannot be read as one.
    public static let corruptIdentity = Code("corrupt-identity")
    /// Others on this machine may read the identity file or change it.
    public static let insecureIdentity = Code("insecure-identity")
    /// Others on this machine may read a file of the session or change it, or it is a symbolic link.
    public static let insecureFile = Code("insecure-file")
    /// Two processes run with one identity: this one's, or that of another peer.
    public static let identityInUse = Code("identity-in-use")
    /// Data of a peer or a file is damaged.
    public static let corruptData = Code("corrupt-data")
    /// There is no connection to this peer.
    public static let notConnected = Code("not-connected")
    /// Nobody answers at the address.
    public static let unreachable = Code("unreachable")
    /// A named limit would be exceeded.
    public static let limitExceeded = Code("limit-exceeded")
    /// The session takes no newcomers now.
    public static let locked = Code("locked")
    /// Only the host may do this.
    public static let notHost = Code("not-host")
    /// Peers cannot be discovered on this network now.
    public static let discoveryUnavailable = Code("discovery-unavailable")
    /// Another program listens on this port.
    public static let addressInUse = Code("address-in-use")
    /// The operating system refused a file or a socket.
    public static let io = Code("io")
    /// A disk is full.
    public static let diskFull = Code("disk-full")
    /// No such resource is offered, or it is not any more.
    public static let unknownResource = Code("unknown-resource")
    /// The session's rules do not allow it.
    public static let notPermitted = Code("not-permitted")
    /// The session has ended.
    public static let ended = Code("ended")
    /// The other side, or a file, is of another service type.
    public static let otherService = Code("other-service")
    /// Events were not read fast enough, and changes of anchors were dropped.
    public static let consumerTooSlow = Code("consumer-too-slow")
    /// Too many messages are on their way to a receiver, or in all.
    public static let wouldBlock = Code("would-block")
    /// Middleware stopped a message.
    public static let messageStopped = Code("message-stopped")
    /// A request was not answered in time, or a stream not accepted.
    public static let requestTimedOut = Code("request-timed-out")
    /// Nothing at the peer answers such requests, or accepts such streams.
    public static let unhandled = Code("unhandled")
    /// A request or its answer is not an object of the expected type.
    public static let undecodable = Code("undecodable")
    /// The handler of a request failed at the peer; the cause is its ``RemoteError``.
    public static let requestFailed = Code("request-failed")
    /// A stream was reset or not accepted, by the peer or by this side; the cause is the ``RemoteError`` of the peer.
    public static let streamReset = Code("stream-reset")
    /// A request is not known to have reached the peer.
    public static let notDelivered = Code("not-delivered")
    /// The drag has ended, or a later one of the same anchor took its place.
    public static let dragEnded = Code("drag-ended")
    /// Only the owner of an anchor may do this.
    public static let notOwner = Code("not-owner")
    /// Not everybody who was waited for has acknowledged an edit in time; the edit stands.
    public static let notAcknowledged = Code("not-acknowledged")
    /// One of two peers has a passcode, and the other has none.
    public static let passcodeRequired = Code("passcode-required")
    /// The passcodes of two peers differ.
    public static let passcodeRefused = Code("passcode-refused")
    /// Too many passcodes were wrong.
    public static let passcodeLocked = Code("passcode-locked")
    /// A passcode was wrong before, from this device or its address, and no other one is taken for the time that the message names.
    public static let passcodeWait = Code("passcode-wait")
    /// One of two peers asks for a comparison of codes, and one of them cannot show a code.
    public static let codeRequired = Code("code-required")
    /// The user of one of two peers did not confirm that both screens show the same code.
    public static let codeRefused = Code("code-refused")
    /// Too many codes are being compared, or a comparison with this peer or its address failed a short time ago.
    public static let codeBusy = Code("code-busy")
    /// One of two peers has an ``Authenticator``, and the other has none.
    public static let driverRequired = Code("driver-required")
    /// The drivers of two peers did not authenticate each other.
    public static let authenticationFailed = Code("authentication-failed")
    /// The place is not mapped well enough to be captured or shared.
    public static let mapNotReady = Code("map-not-ready")
    /// A scan was not found in the session's map, or not surely: look around and try again.
    public static let notRelocalized = Code("not-relocalized")
    /// A turn between two frames is still open after all that was observed: observe more, at other places.
    public static let notDetermined = Code("not-determined")
    /// A device tells no pose by which it could be found.
    public static let noPose = Code("no-pose")
    /// Two peers held different anchors under the same history; they are merging everything.
    public static let divergence = Code("divergence")
    /// The library was built without what this needs; the message names the trait of the package that is switched off.
    public static let missingTrait = Code("missing-trait")
  }
}

extension SessionError {
  /// The refusal of something that a trait of the package leaves out.
  static func missingTrait(_ trait: String, for feature: String) -> SessionError {
    SessionError(
      .missingTrait,
      "\(feature) needs the trait \(trait), without which this library was built; add it to the traits of the dependency on "
        + "SharedWorld")
  }
}
