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
    switch try object(session, as: RunningSession.self).events.next() {
    case .nothing: place.pointee = nil
    case .ended: throw SessionError(.ended, "the session has ended and all of its events were taken")
    case .event(let next):
      let record = UnsafeMutablePointer<sw_event>.allocate(capacity: 1)
      record.initialize(to: sw_event(next))
      place.pointee = record
    }
  }
}

/// Gives an event back.
@c @implementation
public func sw_event_destroy(_ event: UnsafeMutablePointer<sw_event>?) {
  guard let event else { return }
  freeConstant(event.pointee.name)
  freeConstant(event.pointee.text)
  freeConstant(event.pointee.data)
  freeConstant(event.pointee.anchor.name)
  event.deallocate()
}
