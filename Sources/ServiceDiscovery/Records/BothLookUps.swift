import Basics

/// A look-up by the back-end, and one beside it.
enum BothLookUps {
  typealias LookUp = @Sendable () async throws(DiscoveryError) -> [SocketAddress]

  private enum Answer: Sendable {
    case backEnd(Result<[SocketAddress], DiscoveryError>)
    case direct(Result<[SocketAddress], DiscoveryError>)
    /// The other one has had its time after one has ended.
    case settled
  }

  /// The addresses that one of them finds first, those of the direct one before what the cache of the back-end may hold.
  ///
  /// A back-end that is held up or knows nothing is not waited for.
  static func first(
    of backEnd: @escaping LookUp, beside direct: @escaping LookUp
  ) async throws(DiscoveryError) -> [SocketAddress] {
    let answer = await withTaskGroup(of: Answer.self) { group in
      group.addTask { .backEnd(await result(of: backEnd)) }
      group.addTask { .direct(await result(of: direct)) }
      defer { group.cancelAll() }
      return await first(of: &group)
    }
    return try answer.get()
  }

  private static func first(of group: inout TaskGroup<Answer>) async -> Result<[SocketAddress], DiscoveryError> {
    var fromBackEnd: Result<[SocketAddress], DiscoveryError>?
    var hasDirectFailed = false
    var timeout = DiscoveryError.cancelled
    for await answer in group {
      switch answer {
      case .direct(.success(let addresses)):
        let others = (try? fromBackEnd?.get()) ?? []
        return .success(addresses + others.filter { !addresses.contains($0) })
      case .direct(.failure(let error)):
        hasDirectFailed = true
        // The time of both is over; the thread of the back-end may be held for longer.
        if case .resolutionTimedOut = error, fromBackEnd == nil { settle(&group) }
        timeout = error
      case .backEnd(let result):
        fromBackEnd = result
        if case .success = result { settle(&group) }
      case .settled:
        guard let fromBackEnd else { return .failure(timeout) }
        return fromBackEnd
      }
      if hasDirectFailed, let fromBackEnd { return fromBackEnd }
    }
    return .failure(.cancelled)
  }

  /// Gives the one that has not ended a moment.
  private static func settle(_ group: inout TaskGroup<Answer>) {
    group.addTask {
      try? await Task.sleep(for: Resolution.grace)
      return .settled
    }
  }

  private static func result(of lookUp: LookUp) async -> Result<[SocketAddress], DiscoveryError> {
    do throws(DiscoveryError) { return .success(try await lookUp()) } catch { return .failure(error) }
  }
}
