import Dispatch
import Synchronization

/// One wait for a descriptor to become readable or writable.
final class Watch: Sendable {
  /// The readiness to wait for.
  enum Direction {
    case reading, writing
  }

  private static let queue = DispatchQueue(label: "worldview.http")

  nonisolated(unsafe) private let source: any DispatchSourceProtocol
  private let state = Mutex<(isReady: Bool, waiter: CheckedContinuation<Void, Never>?)>((false, nil))

  private init(_ descriptor: Int32, _ direction: Direction) {
    source =
      switch direction {
      case .reading: DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: Self.queue)
      case .writing: DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: Self.queue)
      }
  }

  /// Waits until the descriptor is ready.
  ///
  /// - Returns: whether it is; false after the timeout or when the task was cancelled.
  static func wait(_ descriptor: Int32, for direction: Direction, timeout: Duration? = nil) async -> Bool {
    let watch = Watch(descriptor, direction)
    let alarm = timeout.map { timeout in
      let alarm = DispatchWorkItem { watch.source.cancel() }
      queue.asyncAfter(deadline: .now() + timeout / .seconds(1), execute: alarm)
      return alarm
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { watch.start($0) }
    } onCancel: {
      watch.source.cancel()
    }
    alarm?.cancel()
    return watch.state.withLock { $0.isReady }
  }

  private func start(_ continuation: CheckedContinuation<Void, Never>) {
    state.withLock { $0.waiter = continuation }
    source.setEventHandler { [self] in
      state.withLock { $0.isReady = true }
      source.cancel()
    }
    // Dispatch may look at the descriptor until now, so the waiter must not close it before.
    source.setCancelHandler { [self] in
      let waiter = state.withLock { state in
        defer { state.waiter = nil }
        return state.waiter
      }
      waiter?.resume()
    }
    source.activate()
  }
}
