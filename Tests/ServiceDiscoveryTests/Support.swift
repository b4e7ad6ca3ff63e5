import Synchronization

@testable import ServiceDiscovery

extension ServiceType {
  /// The type that the tests use.
  static let test: ServiceType = {
    guard let type = try? ServiceType("test") else { preconditionFailure("the name is valid") }
    return type
  }()
}

/// An instance of the test type.
func instance(_ name: String, _ type: ServiceType = .test) throws -> ServiceInstance {
  try ServiceInstance(name: name, type: type)
}

/// An advertisement of the test type.
func advertisement(_ name: String, port: UInt16 = 4000, version: String = "1") throws -> Advertisement {
  Advertisement(instance: try instance(name), port: port, info: try info(version))
}

/// A TXT record with one key.
func info(_ version: String) throws -> DiscoveryInfo {
  try DiscoveryInfo([("v", Array(version.utf8))])
}

/// Keeps the events of a back-end and lets a test wait for one.
final class EventLog: Sendable {
  private struct Waiter {
    let condition: @Sendable ([DiscoveryEvent]) -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  private let state = Mutex<(events: [DiscoveryEvent], waiters: [Waiter])>(([], []))

  /// Everything so far, in order.
  var events: [DiscoveryEvent] { state.withLock { $0.events } }

  /// Everything since the last call.
  func take() -> [DiscoveryEvent] {
    state.withLock { state in
      defer { state.events = [] }
      return state.events
    }
  }

  /// The handler to start a back-end with.
  @Sendable func record(_ event: DiscoveryEvent) {
    let ready = state.withLock { state in
      state.events.append(event)
      let events = state.events
      let ready = state.waiters.filter { $0.condition(events) }
      state.waiters.removeAll { $0.condition(events) }
      return ready
    }
    for waiter in ready { waiter.continuation.resume() }
  }

  /// Waits until the events fulfil the condition; the time limit of the test bounds the wait.
  func wait(until condition: @escaping @Sendable ([DiscoveryEvent]) -> Bool) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          guard !Task.isCancelled, !condition(state.events) else { return true }
          state.waiters.append(Waiter(condition: condition, continuation: continuation))
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let waiters = state.withLock { state in
        defer { state.waiters = [] }
        return state.waiters
      }
      for waiter in waiters { waiter.continuation.resume() }
    }
  }
}
