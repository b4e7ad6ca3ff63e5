package import SharedWorld

/// One session of the program takes the place of another: a session has its passcode from its beginning.
extension Viewer {
  /// A failure that the user is told of.
  struct Trouble {
    let text: String
    /// The room that asks for a passcode, or refused this peer's.
    var room: InvitationTarget?
    /// Whether strangers have to wait until somebody lets them try the passcode again.
    var isPasscodeClosed = false
  }

  /// What passes from one session to the next, so that a passcode costs neither a map nor an anchor.
  package struct Kept: Sendable {
    fileprivate let scene: Scene
    /// Whether this peer has shared the map in view.
    fileprivate let isMapOwn: Bool
    fileprivate let anchors: [Anchor]
    fileprivate let edits: Edits
  }

  /// How a session began that took the place of another one.
  package struct Entry: Sendable {
    let hasPasscode: Bool
    /// Where the room is whose passcode the user typed.
    let room: [InvitationTarget]
    let kept: Kept?

    /// A session with the passcode of a room; the first session of a program has none.
    package init(hasPasscode: Bool = false, room: [InvitationTarget] = [], kept: Kept? = nil) {
      (self.hasPasscode, self.room, self.kept) = (hasPasscode, room, kept)
    }
  }

  /// Why a page ended its session.
  package enum Ending: Sendable {
    /// The user has left.
    case left
    /// The user typed a passcode for the room at these places.
    case again(Passcode, inviting: [InvitationTarget], keeping: Kept)
  }

  /// What the next session is to have.
  func kept() async -> Kept {
    let isMapOwn = isShared && scene.map.provider == nil
    return Kept(scene: scene, isMapOwn: isMapOwn, anchors: await session.anchors(), edits: edits)
  }

  /// Takes over what the session before had; a map of somebody else comes into view without being shared here.
  func takeOver(_ kept: Kept) async {
    (scene, edits) = (kept.scene, kept.edits)
    do throws(SessionError) {
      if kept.isMapOwn {
        var map = kept.scene.map
        // Those that were removed must not come back.
        map.anchors = []
        let id = try await session.share(map)
        (scene, sharedID) = (await Self.prepare(map, id), id)
      }
      try await session.place(kept.anchors)
    } catch {
      trouble = Trouble(text: error.message)
    }
  }
}
