public import CSharedWorldHeaders
import Glibc
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

/// Starts a session in a room.
@c @implementation
public func sw_join(
  _ room: UnsafePointer<CChar>?, _ code: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?,
  _ place: UnsafePointer<CChar>?, _ session: UnsafeMutablePointer<OpaquePointer?>?
) -> sw_status {
  guard let room, code != nil || strstr(room, "://") != nil else {
    return attempt { throw Failure.argument("a room is joined by its name and its code") }
  }
  return enter(room, code, name, place, session)
}

/// Starts a session in a new room.
@c @implementation
public func sw_host(
  _ room: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?, _ session: UnsafeMutablePointer<OpaquePointer?>?
) -> sw_status {
  guard let room, strstr(room, "://") == nil else { return attempt { throw Failure.argument("a new room has a name") } }
  return enter(room, nil, name, nil, session)
}

private func enter(
  _ room: UnsafePointer<CChar>?, _ code: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?,
  _ place: UnsafePointer<CChar>?, _ session: UnsafeMutablePointer<OpaquePointer?>?
) -> sw_status {
  var identity: OpaquePointer?
  let status = sw_identity_load_or_create(name, nil, &identity)
  guard status == SW_OK else { return status }
  defer { sw_identity_destroy(identity) }
  var config = sw_session_config()
  _ = sw_session_config_init(&config, MemoryLayout<sw_session_config>.size)
  (config.room, config.code, config.place, config.ends_on_signals) = (room, code, place, 1)
  return sw_session_start(identity, &config, session)
}

/// The code of a room.
@c @implementation
public func sw_session_code(_ session: OpaquePointer?) -> UnsafePointer<CChar>? {
  (try? object(session, as: RunningSession.self).code).flatMap { UnsafePointer($0) }
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
