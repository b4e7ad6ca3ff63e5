public import CSharedWorldHeaders
import SharedWorld

/// A descriptor that is readable while events wait.
@c @implementation
public func sw_session_events_fd(_ session: OpaquePointer?) -> Int32 {
  (try? object(session, as: RunningSession.self).events.descriptor) ?? -1
}

/// Takes the next event.
@c @implementation
public func sw_session_next_event(
  _ session: OpaquePointer?, _ event: UnsafeMutablePointer<UnsafeMutablePointer<sw_event>?>?
) -> sw_status {
  attempt {
    let place = try output(event, "event")
    place.pointee = try nextEvent(of: object(session, as: RunningSession.self))
  }
}

/// Waits for the next event, and takes it.
@c @implementation
public func sw_session_await_event(
  _ session: OpaquePointer?, _ event: UnsafeMutablePointer<UnsafeMutablePointer<sw_event>?>?
) -> sw_status {
  attempt {
    let place = try output(event, "event")
    let running = try object(session, as: RunningSession.self)
    while true {
      if let next = try nextEvent(of: running) {
        place.pointee = next
        return
      }
      running.events.wait()
    }
  }
}

private func nextEvent(of running: RunningSession) throws -> UnsafeMutablePointer<sw_event>? {
  switch running.events.next() {
  case .nothing: nil
  case .ended: throw SessionError(.ended, "the session has ended and all of its events were taken")
  case .event(let next): allocate(sw_event(next))
  case .own(let next): allocate(record(of: next, in: running))
  }
}

/// Waits for the end of an operation.
@c @implementation
public func sw_session_wait(
  _ session: OpaquePointer?, _ operation: UInt64, _ done: UnsafeMutablePointer<UnsafeMutablePointer<sw_event>?>?
) -> sw_status {
  // Written on a failure too, unlike other outputs: C gives the event back without a look at the status.
  done?.pointee = nil
  return attempt {
    let running = try object(session, as: RunningSession.self)
    let event = allocate(record(of: try running.operations.wait(for: operation, in: running.events), in: running))
    defer { if done == nil { sw_event_destroy(event) } }
    done?.pointee = event
    guard event.pointee.status == SW_OK else {
      throw Failure(Int(event.pointee.status), event.pointee.text.map { String(cString: $0) } ?? "")
    }
  }
}

/// An event of the library as C sees it, with a handle for its stream, which belongs to the event until C takes it.
private func record(of event: OwnEvent, in running: RunningSession) -> sw_event {
  guard let stream = event.stream else { return sw_event(event) }
  do {
    let box = try StreamBox(stream, of: running)
    var record = sw_event(event)
    record.stream = handle(box)
    return record
  } catch {
    var failed = event
    failed.fail(error)
    return sw_event(failed)
  }
}

private func allocate(_ event: sw_event) -> UnsafeMutablePointer<sw_event> {
  let record = UnsafeMutablePointer<sw_event>.allocate(capacity: 1)
  record.initialize(to: event)
  return record
}

/// Gives an event back.
@c @implementation
public func sw_event_destroy(_ event: UnsafeMutablePointer<sw_event>?) {
  guard let event else { return }
  event.pointee.release()
  event.deallocate()
}

/// Begins an operation of a session and hands out its number.
///
/// - Parameter body: Reads the arguments, and returns the operation.
func begin(
  _ session: OpaquePointer?, _ operation: UnsafeMutablePointer<UInt64>?,
  _ body: () throws -> @Sendable (Session, inout OwnEvent) async throws -> Void
) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    let number = try running.begin(try body())
    operation?.pointee = number
  }
}
