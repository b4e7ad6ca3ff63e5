public import CSharedWorldHeaders
import SharedWorld

/// Reads the arguments of a start, and begins it.
///
/// - Parameter told: As of ``RunningSession/start(_:_:desk:told:)``.
private func startSession(
  _ identity: OpaquePointer?, _ config: UnsafePointer<sw_session_config>?,
  told: @escaping @Sendable (Result<RunningSession, any Error>) -> Bool
) throws {
  let identity = try object(identity, as: IdentityBox.self).identity
  let (configuration, desk) = try configuration(config)
  try RunningSession.start(identity, configuration, desk: desk, told: told)
}

/// Starts a session.
@c @implementation
public func sw_session_start(
  _ identity: OpaquePointer?, _ config: UnsafePointer<sw_session_config>?,
  _ session: UnsafeMutablePointer<OpaquePointer?>?
) -> sw_status {
  attempt {
    let session = try output(session, "session")
    let started = Handoff<RunningSession>()
    try startSession(identity, config) { result in
      started.give(result)
      return true
    }
    session.pointee = handle(try started.wait())
  }
}

/// Begins to start a session.
@c @implementation
public func sw_session_start_async(
  _ identity: OpaquePointer?, _ config: UnsafePointer<sw_session_config>?,
  _ start: UnsafeMutablePointer<OpaquePointer?>?
) -> sw_status {
  attempt {
    let place = try output(start, "start")
    let pending = try PendingHandle<RunningSession>()
    try startSession(identity, config) { pending.give($0) }
    place.pointee = handle(pending)
  }
}

/// A descriptor that is readable once a start is over.
@c @implementation
public func sw_start_fd(_ start: OpaquePointer?) -> Int32 {
  (try? object(start, as: PendingHandle<RunningSession>.self).descriptor) ?? -1
}

/// Takes the session of a start.
@c @implementation
public func sw_start_finish(
  _ start: OpaquePointer?, _ session: UnsafeMutablePointer<OpaquePointer?>?
) -> sw_status {
  PendingHandle<RunningSession>.finish(start, session, "session")
}

/// Gives a start up.
@c @implementation
public func sw_start_cancel(_ start: OpaquePointer?) { PendingHandle<RunningSession>.cancel(start)?.end() }

/// Ends a session and gives it back.
@c @implementation
public func sw_session_stop(_ session: OpaquePointer?) {
  guard let session, let running = Handles.close(session, as: RunningSession.self) else { return }
  running.stop()
}
