public import CSharedWorldHeaders
import SharedWorld

/// Opens a stream to a member.
@c @implementation
public func sw_session_open_stream(
  _ session: OpaquePointer?, _ peer: UnsafePointer<sw_peer_id>?, _ name: UnsafePointer<CChar>?, _ timeout: UInt32,
  _ operation: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  begin(session, operation) {
    let (id, name) = (try peerID(peer), try text(name, "name"))
    let patience = try duration(timeout, default: 10_000)
    return { session, done in
      done.peer = id
      done.stream = try await session.streams.open(named: name, to: id, timeout: patience)
      done.name = name
    }
  }
}

/// Accepts the streams of other peers.
@c @implementation
public func sw_session_accept_streams(
  _ session: OpaquePointer?, _ names: UnsafePointer<CChar>?, _ subscription: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  attempt {
    let subscription = try output(subscription, "subscription")
    let running = try object(session, as: RunningSession.self)
    let pattern = try optionalText(names, "names") ?? "**"
    // It begins before this function returns.
    let streams = try running.wait { $0.streams.incoming(named: pattern) }
    subscription.pointee = try running.subscribe { [events = running.events] _, number in
      for await stream in streams {
        var event = OwnEvent(SW_EVENT_STREAM, number)
        (event.peer, event.peerName) = (stream.peer.id, stream.peer.name)
        (event.name, event.stream) = (stream.name, stream)
        guard await events.put(event) else { return }
      }
    }
  }
}

/// Takes the stream of an event.
@c @implementation
public func sw_event_take_stream(
  _ event: UnsafeMutablePointer<sw_event>?, _ stream: UnsafeMutablePointer<OpaquePointer?>?
) -> sw_status {
  attempt {
    let (event, place) = (try output(event, "event"), try output(stream, "stream"))
    guard let stream = event.pointee.stream else {
      throw Failure.argument("the event has no stream, or it was taken before")
    }
    (event.pointee.stream, place.pointee) = (nil, stream)
  }
}

/// A descriptor that is readable while there is something to do.
@c @implementation
public func sw_stream_fd(_ stream: OpaquePointer?) -> Int32 {
  (try? object(stream, as: StreamBox.self).descriptor) ?? -1
}

/// Reads what is here.
@c @implementation
public func sw_stream_read(
  _ stream: OpaquePointer?, _ buffer: UnsafeMutablePointer<UInt8>?, _ size: Int, _ count: UnsafeMutablePointer<Int>?
) -> sw_status {
  attempt {
    let box = try object(stream, as: StreamBox.self)
    let (place, count) = (try output(buffer, "buffer"), try output(count, "count"))
    guard size > 0 else { throw Failure.argument("a buffer has room for at least one byte") }
    count.pointee = try box.read(into: UnsafeMutableBufferPointer(start: place, count: size))
  }
}

/// Takes over what there is room for.
@c @implementation
public func sw_stream_write(
  _ stream: OpaquePointer?, _ data: UnsafePointer<UInt8>?, _ size: Int, _ written: UnsafeMutablePointer<Int>?
) -> sw_status {
  attempt {
    let box = try object(stream, as: StreamBox.self)
    let written = try output(written, "written")
    guard size >= 0, size == 0 || data != nil else { throw Failure.argument("bytes is NULL, or size too large") }
    written.pointee = try box.write(UnsafeBufferPointer(start: data, count: size))
  }
}

/// Ends this side's direction.
@c @implementation
public func sw_stream_finish(_ stream: OpaquePointer?) -> sw_status {
  attempt { try object(stream, as: StreamBox.self).finish() }
}

/// Ends both directions.
@c @implementation
public func sw_stream_reset(
  _ stream: OpaquePointer?, _ code: UnsafePointer<CChar>?, _ message: UnsafePointer<CChar>?
) -> sw_status {
  attempt { try object(stream, as: StreamBox.self).reset(try remoteError(code, message)) }
}

/// The word of a reset.
@c @implementation
public func sw_stream_reset_code(
  _ stream: OpaquePointer?, _ code: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> sw_status {
  attempt {
    let place = try output(code, "code")
    guard let code = try object(stream, as: StreamBox.self).resetCode else {
      throw Failure.argument("no reset has ended the stream")
    }
    place.pointee = copyText(code)
  }
}

/// Gives a stream back.
@c @implementation
public func sw_stream_destroy(_ stream: OpaquePointer?) { StreamBox.close(stream) }
