public import CSharedWorldHeaders
import SharedWorld
import Synchronization

/// The edits of a C program that it may take back, and the session in which it makes them.
final class HistoryBox: HandleObject {
  static let word = "a history"

  private let running: RunningSession
  private let history: Mutex<UndoHistory>

  init(limit: Int, of running: RunningSession) {
    self.running = running
    history = Mutex(UndoHistory(limit: limit))
  }

  var canUndo: Bool { history.withLock { $0.canUndo } }
  var canRedo: Bool { history.withLock { $0.canRedo } }

  /// The id under which an anchor lives now.
  func current(_ id: AnchorID) -> AnchorID { history.withLock { $0.current(id) } }

  func record(_ edit: UndoHistory.Edit) { history.withLock { $0.record(edit) } }

  func place(_ anchor: Anchor) throws -> AnchorID {
    try running.wait { session in
      let id = try await session.place(anchor)
      self.record(.place(anchor))
      return id
    }
  }

  func move(_ id: AnchorID, to target: Transform) throws {
    try edit(id) { session, anchor in
      try await session.move(anchor.id, to: target)
      return .move(anchor.id, from: anchor.transform, to: target)
    }
  }

  func remove(_ id: AnchorID) throws {
    try edit(id) { session, anchor in
      try await session.remove(anchor.id)
      return .remove(anchor)
    }
  }

  /// Edits an anchor as it is now, and remembers that.
  private func edit(
    _ id: AnchorID, _ body: @escaping @Sendable (Session, Anchor) async throws -> UndoHistory.Edit
  ) throws {
    let id = current(id)
    try running.wait { session in
      guard let anchor = await session.world.anchors.first(where: { $0.id == id }) else {
        throw SessionError(.unknownAnchor, "there is no anchor \(id) in this session")
      }
      self.record(try await body(session, anchor))
    }
  }

  /// Carries out a step; false when there is none.
  func perform(_ take: (inout UndoHistory) -> UndoHistory.Step?) throws -> Bool {
    guard let step = history.withLock({ take(&$0) }) else { return false }
    try running.wait { try await $0.world.perform(step) }
    return true
  }
}

/// Begins a history.
@c @implementation
public func sw_session_begin_undo_history(
  _ session: OpaquePointer?, _ limit: UInt32, _ history: UnsafeMutablePointer<OpaquePointer?>?
) -> sw_status {
  attempt {
    let place = try output(history, "history")
    let running = try object(session, as: RunningSession.self)
    place.pointee = handle(HistoryBox(limit: limit == 0 ? 100 : Int(limit), of: running))
  }
}

/// Places an anchor and remembers that.
@c @implementation
public func sw_undo_history_place(
  _ history: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ transform: UnsafePointer<Float>?,
  _ content: UnsafePointer<sw_anchor_content>?, _ anchor: UnsafeMutablePointer<sw_anchor_id>?
) -> sw_status {
  attempt {
    let box = try object(history, as: HistoryBox.self)
    let id = try box.place(placedAnchor(name, transform, content))
    anchor?.pointee = sw_anchor_id(copying: id.bytes)
  }
}

/// Moves an anchor and remembers that.
@c @implementation
public func sw_undo_history_move(
  _ history: OpaquePointer?, _ anchor: UnsafePointer<sw_anchor_id>?, _ transform: UnsafePointer<Float>?
) -> sw_status {
  attempt {
    try object(history, as: HistoryBox.self).move(try anchorID(anchor), to: try CSharedWorld.transform(transform))
  }
}

/// Removes an anchor and remembers that.
@c @implementation
public func sw_undo_history_remove(_ history: OpaquePointer?, _ anchor: UnsafePointer<sw_anchor_id>?) -> sw_status {
  attempt { try object(history, as: HistoryBox.self).remove(try anchorID(anchor)) }
}

/// Remembers a move.
@c @implementation
public func sw_undo_history_record_move(
  _ history: OpaquePointer?, _ anchor: UnsafePointer<sw_anchor_id>?, _ from: UnsafePointer<Float>?,
  _ to: UnsafePointer<Float>?
) -> sw_status {
  attempt {
    let box = try object(history, as: HistoryBox.self)
    let (start, end) = (try transform(from), try transform(to))
    guard start.isRigid, end.isRigid else { throw Failure.argument("from or to is not rigid") }
    box.record(.move(box.current(try anchorID(anchor)), from: start, to: end))
  }
}

/// Takes the last edit back.
@c @implementation
public func sw_undo_history_undo(_ history: OpaquePointer?, _ done: UnsafeMutablePointer<Int32>?) -> sw_status {
  attempt {
    let isDone = try object(history, as: HistoryBox.self).perform { $0.undo() }
    done?.pointee = isDone ? 1 : 0
  }
}

/// Makes the edit again that was taken back last.
@c @implementation
public func sw_undo_history_redo(_ history: OpaquePointer?, _ done: UnsafeMutablePointer<Int32>?) -> sw_status {
  attempt {
    let isDone = try object(history, as: HistoryBox.self).perform { $0.redo() }
    done?.pointee = isDone ? 1 : 0
  }
}

/// Whether there is an edit to take back.
@c @implementation
public func sw_undo_history_can_undo(_ history: OpaquePointer?) -> Int32 {
  ((try? object(history, as: HistoryBox.self).canUndo) ?? false) ? 1 : 0
}

/// Whether there is an edit to make again.
@c @implementation
public func sw_undo_history_can_redo(_ history: OpaquePointer?) -> Int32 {
  ((try? object(history, as: HistoryBox.self).canRedo) ?? false) ? 1 : 0
}

/// The id of an anchor now.
@c @implementation
public func sw_undo_history_current(
  _ history: OpaquePointer?, _ anchor: UnsafePointer<sw_anchor_id>?, _ current: UnsafeMutablePointer<sw_anchor_id>?
) -> sw_status {
  attempt {
    let place = try output(current, "current")
    let id = try object(history, as: HistoryBox.self).current(try anchorID(anchor))
    place.pointee = sw_anchor_id(copying: id.bytes)
  }
}

/// Gives a history back.
@c @implementation
public func sw_undo_history_destroy(_ history: OpaquePointer?) { drop(history, as: HistoryBox.self) }
