internal import Synchronization

/// TXT records that one thread hears for another: the latest of each service.
final class HeardTexts: Sendable {
  /// The most services at a time; what comes beyond them is dropped, and asked for later.
  static let maximum = 256

  private let texts = Mutex<[ServiceInstance: [UInt8]]>([:])

  /// Adds a record; returns whether it is the first since ``take()``, so that the other thread must be told.
  func add(_ data: [UInt8], of instance: ServiceInstance) -> Bool {
    texts.withLock { texts in
      guard texts.count < Self.maximum || texts[instance] != nil else { return false }
      let isFirst = texts.isEmpty
      texts[instance] = data
      return isFirst
    }
  }

  /// The records since the last call.
  func take() -> [ServiceInstance: [UInt8]] {
    texts.withLock { texts in
      defer { texts = [:] }
      return texts
    }
  }
}
