// A session is a hub: each part of it has a handle, so that an app finds a call by what it is about, and a newcomer reads one
// part. A handle is the face of a part; the work is done on the session's loop, by extensions of the session beside the
// handle, which the protocol's events reach too.

extension Session {
  /// The anchors: place and edit them, follow their changes, own them, and see what moves at the moment.
  public nonisolated var world: World { World(session: self) }
  /// The other peers: invite them, remove them, give them roles, and let one of them host.
  public nonisolated var peers: Peers { Peers(session: self) }
  /// Messages to other peers: send bytes and objects, read objects, ask and answer, and form groups.
  public nonisolated var messages: Messages { Messages(session: self) }
  /// Files for other peers: send one, accept one, or attach one to the session.
  public nonisolated var files: Files { Files(session: self) }
  /// Streams of bytes between two peers: open one, and accept those of others.
  public nonisolated var streams: Streams { Streams(session: self) }
  /// The map of the place: share it and read it.
  public nonisolated var maps: Maps { Maps(session: self) }
  /// Where this device's frame lies among those of the others: begin one, and line it up.
  public nonisolated var frames: Frames { Frames(session: self) }

  /// The anchors of a session, who owns them, and the live poses of devices and drags.
  ///
  /// It is a handle, ``Session/world``: it costs nothing, and may be kept.
  public struct World: Sendable {
    let session: Session
  }

  /// The part of a session that is about the other peers: invitations, roles, the host, the lock and connections.
  ///
  /// It is a handle, ``Session/peers``: it costs nothing, and may be kept.
  public struct Peers: Sendable {
    let session: Session
  }

  /// The messages, requests and groups of a session; messages of bytes arrive as ``Session/Event/message(_:from:)``.
  ///
  /// It is a handle, ``Session/messages``: it costs nothing, and may be kept.
  public struct Messages: Sendable {
    let session: Session
  }

  /// The files that peers of a session give each other.
  ///
  /// It is a handle, ``Session/files``: it costs nothing, and may be kept.
  public struct Files: Sendable {
    let session: Session
  }

  /// The streams of bytes of a session.
  ///
  /// It is a handle, ``Session/streams``: it costs nothing, and may be kept.
  public struct Streams: Sendable {
    let session: Session
  }

  /// The maps of a session.
  ///
  /// It is a handle, ``Session/maps``: it costs nothing, and may be kept.
  public struct Maps: Sendable {
    let session: Session
  }

  /// The frames of a session, in each of which a device sees the world.
  ///
  /// It is a handle, ``Session/frames``: it costs nothing, and may be kept.
  public struct Frames: Sendable {
    let session: Session
  }
}
