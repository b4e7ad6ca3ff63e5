import Synchronization

/// An object that C holds by a handle.
protocol HandleObject: AnyObject, Sendable {
  /// The words for it in errors, such as "a map".
  static var word: String { get }
}

/// The objects that C holds.
///
/// A handle is a number that is used once and never the address of anything, so that one that was closed, is of another type
/// or was made up is found out, not followed.
final class Handles: Sendable {
  private struct State {
    var objects: [UInt: any HandleObject] = [:]
    /// The number of the latest handle; all are far below the first page that a process has.
    var last: UInt = 0
  }

  private static let state = Mutex(State())

  /// A handle for an object, which it keeps until ``close(_:as:)``.
  static func open(_ object: any HandleObject) -> OpaquePointer? {
    state.withLock { state in
      state.last += 1
      state.objects[state.last] = object
      return OpaquePointer(bitPattern: state.last)
    }
  }

  /// The object of a handle; nil for a handle that is not open or of another type.
  static func object<T: HandleObject>(_ handle: OpaquePointer, as type: T.Type) -> T? {
    state.withLock { $0.objects[UInt(bitPattern: handle)] } as? T
  }

  /// Takes the object of a handle, which is closed from now on.
  static func close<T: HandleObject>(_ handle: OpaquePointer, as type: T.Type) -> T? {
    state.withLock { state in
      let number = UInt(bitPattern: handle)
      guard let object = state.objects[number] as? T else { return nil }
      state.objects[number] = nil
      return object
    }
  }
}

/// An object as a C handle, which owns it until ``drop(_:as:)``.
func handle(_ object: some HandleObject) -> OpaquePointer? { Handles.open(object) }

/// The object behind a handle.
func object<T: HandleObject>(_ handle: OpaquePointer?, as type: T.Type = T.self) throws -> T {
  guard let handle else { throw Failure.argument("the handle is NULL") }
  guard let object = Handles.object(handle, as: type) else {
    throw Failure.argument("the handle is not that of \(T.word), or it was given back before")
  }
  return object
}

/// Gives a handle's object up; NULL is nothing, nor is a handle that is not open.
func drop<T: HandleObject>(_ handle: OpaquePointer?, as type: T.Type) {
  // Released outside of the lock: what goes with it may take a while.
  if let handle { _ = Handles.close(handle, as: type) }
}
