internal import CSharedWorldHeaders
import BasicsLinux
import SharedWorld
import Synchronization

/// An object on its way to C, and a descriptor that is readable once it is here or has failed.
final class PendingHandle<Object: HandleObject>: HandleObject {
  static var word: String { "the start of \(Object.word)" }

  private struct State {
    /// Nil once C has the object or has given up, so that nobody holds the descriptor any more.
    var wakeUp: WakeUp?
    /// Nil while the object is on its way.
    var result: Result<Object, any Error>?
  }

  private let state: Mutex<State>

  init() throws {
    do throws(SystemCallFailure) { state = Mutex(State(wakeUp: try WakeUp())) } catch {
      throw SessionError(.io, "no descriptor for a start can be opened: \(error)", cause: error)
    }
  }

  /// Readable once ``take()`` gives something; −1 once C has that.
  var descriptor: Int32 { state.withLock { $0.wakeUp?.descriptor ?? -1 } }

  /// The object is here, or never will be.
  ///
  /// - Returns: false when C has given up.
  func give(_ result: Result<Object, any Error>) -> Bool {
    state.withLock { state in
      guard let wakeUp = state.wakeUp else { return false }
      state.result = result
      wakeUp.signal()
      return true
    }
  }

  /// Takes the object, once; nil while it is on its way.
  func take() -> Result<Object, any Error>? {
    state.withLock { state in
      guard let result = state.result.take() else { return nil }
      state.wakeUp = nil
      return result
    }
  }

  /// C wants no object any more.
  ///
  /// - Returns: The object, if it is here already.
  func giveUp() -> Object? {
    state.withLock { state in
      state.wakeUp = nil
      return try? state.result.take()?.get()
    }
  }

  /// Takes the object of a start's handle as one of its own, and gives that of the start back.
  static func finish(
    _ start: OpaquePointer?, _ place: UnsafeMutablePointer<OpaquePointer?>?, _ name: String
  ) -> sw_status {
    attempt {
      let place = try output(place, name)
      guard let result = try object(start, as: Self.self).take() else {
        throw SessionError(.wouldBlock, "\(Object.word) is not there yet; wait for the descriptor")
      }
      drop(start, as: Self.self)
      place.pointee = handle(try result.get())
    }
  }

  /// Gives the handle of a start back.
  ///
  /// - Returns: Its object, if that is here already.
  static func cancel(_ start: OpaquePointer?) -> Object? {
    start.flatMap { Handles.close($0, as: Self.self)?.giveUp() }
  }
}
