internal import CSharedWorldHeaders
import SharedWorld

/// The statuses of the C interface and the codes of the Swift one.
enum Status {
  /// Every code, its status, in the order of the header.
  static let table: [(code: SessionError.Code, status: Int)] = [
    (.declined, SW_DECLINED),
    (.invitationTimedOut, SW_INVITATION_TIMED_OUT),
    (.cancelled, SW_CANCELLED),
    (.unknownPeer, SW_UNKNOWN_PEER),
    (.unknownAnchor, SW_UNKNOWN_ANCHOR),
    (.invalidArgument, SW_INVALID_ARGUMENT),
    (.versionMismatch, SW_VERSION_MISMATCH),
    (.identityMismatch, SW_IDENTITY_MISMATCH),
    (.corruptIdentity, SW_CORRUPT_IDENTITY),
    (.insecureIdentity, SW_INSECURE_IDENTITY),
    (.corruptData, SW_CORRUPT_DATA),
    (.notConnected, SW_NOT_CONNECTED),
    (.limitExceeded, SW_LIMIT_EXCEEDED),
    (.discoveryUnavailable, SW_DISCOVERY_UNAVAILABLE),
    (.addressInUse, SW_ADDRESS_IN_USE),
    (.io, SW_IO),
    (.ended, SW_ENDED),
    (.otherService, SW_OTHER_SERVICE),
    (.consumerTooSlow, SW_CONSUMER_TOO_SLOW),
    (.divergence, SW_DIVERGENCE),
    (.notPermitted, SW_NOT_PERMITTED),
    (.locked, SW_LOCKED),
    (.notHost, SW_NOT_HOST),
    (.dragEnded, SW_DRAG_ENDED),
    (.notOwner, SW_NOT_OWNER),
    (.notAcknowledged, SW_NOT_ACKNOWLEDGED),
    (.unreachable, SW_UNREACHABLE),
    (.insecureFile, SW_INSECURE_FILE),
    (.identityInUse, SW_IDENTITY_IN_USE),
    (.passcodeRequired, SW_PASSCODE_REQUIRED),
    (.passcodeRefused, SW_PASSCODE_REFUSED),
    (.passcodeLocked, SW_PASSCODE_LOCKED),
    (.codeRequired, SW_CODE_REQUIRED),
    (.codeRefused, SW_CODE_REFUSED),
    (.codeBusy, SW_CODE_BUSY),
    (.wouldBlock, SW_WOULD_BLOCK),
    (.diskFull, SW_DISK_FULL),
    (.unknownResource, SW_UNKNOWN_RESOURCE),
    (.messageStopped, SW_MESSAGE_STOPPED),
    (.requestTimedOut, SW_REQUEST_TIMED_OUT),
    (.unhandled, SW_UNHANDLED),
    (.undecodable, SW_UNDECODABLE),
    (.requestFailed, SW_REQUEST_FAILED),
    (.notDelivered, SW_NOT_DELIVERED),
    (.mapNotReady, SW_MAP_NOT_READY),
    (.notRelocalized, SW_NOT_RELOCALIZED),
    (.notDetermined, SW_NOT_DETERMINED),
    (.noPose, SW_NO_POSE),
    (.driverRequired, SW_DRIVER_REQUIRED),
    (.authenticationFailed, SW_AUTHENTICATION_FAILED),
    (.streamReset, SW_STREAM_RESET),
    (.missingTrait, SW_MISSING_TRAIT),
    (.passcodeWait, SW_PASSCODE_WAIT),
  ]

  /// The status of a code; `SW_OTHER_ERROR` for one that this interface has no name for.
  static func of(_ code: SessionError.Code) -> sw_status {
    sw_status(table.first { $0.code == code }?.status ?? SW_OTHER_ERROR)
  }

  /// The name of a status, as a C string that is never freed.
  static func name(of status: sw_status) -> UnsafePointer<CChar> {
    names[status] ?? other
  }

  /// A constant C string: the library never frees it.
  private static func constant(_ text: String) -> UnsafePointer<CChar> { UnsafePointer(copyText(text)) }

  nonisolated(unsafe) private static let other = constant("other")

  nonisolated(unsafe) private static let names: [sw_status: UnsafePointer<CChar>] = {
    var names = Dictionary(uniqueKeysWithValues: table.map { (sw_status($0.status), constant("\($0.code)")) })
    names[sw_status(SW_OK)] = constant("ok")
    names[sw_status(SW_NO_MAP)] = constant("no-map")
    return names
  }()
}

/// A failure as C sees it.
struct Failure: Error {
  let status: Int
  let message: String

  init(_ status: Int, _ message: String) {
    self.status = status
    self.message = message
  }

  /// The status and message of any error.
  init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as SessionError: self.init(Int(Status.of(error.code)), Self.text(of: error))
    case let error as any CustomStringConvertible: self.init(SW_OTHER_ERROR, Self.plain("\(error)"))
    default: self.init(SW_OTHER_ERROR, "an error of the library that has no words")
    }
  }

  /// The sentence of an error, and that of its cause where it has one of its own; what the compiler would print is none.
  private static func text(of error: SessionError) -> String {
    let cause = (error.cause as? any CustomStringConvertible).map { "\($0)" } ?? ""
    return plain(cause.isEmpty || error.message.contains(cause) ? error.message : "\(error.message) (\(cause))")
  }

  /// The words of the Swift API in errors, and those of C instead.
  private static let words = [
    ("authentication.codeHandler", "shows_codes"), ("TrustPolicy.code", "SW_TRUST_CODE"),
    ("session.world.anchors", "sw_session_anchors"), ("session.state", "the lists of the session"),
    ("limits.mapMemory", "map_memory_limit"), ("hosting.mapProviders", "map_providers"),
    ("unlockPasscode()", "sw_session_unlock_passcode"),
    ("updatePose", "sw_session_update_pose"), ("or use send", "or try again later"),
  ]

  /// An error in the words of C.
  static func plain(_ text: String) -> String {
    words.reduce(text) { text, word in
      text.contains(word.0)
        ? text.split(separator: word.0, omittingEmptySubsequences: false).joined(separator: word.1) : text
    }
  }

  /// An argument that C got wrong.
  static func argument(_ message: String) -> Failure { Failure(SW_INVALID_ARGUMENT, message) }
}

/// Runs the body of a C function: an error becomes its status, and its message the thread's last one.
func attempt(_ body: () throws -> Void) -> sw_status {
  do {
    try body()
    return sw_status(SW_OK)
  } catch {
    let failure = Failure(error)
    LastMessage.set(failure.message)
    return sw_status(failure.status)
  }
}
