import Basics
import TestSupport
import Testing

@testable import ServiceDiscovery

@Suite(.endsHangs) struct BothLookUpsTests {
  private static let cached = SocketAddress(host: .ipv4(1), port: 1)
  private static let fresh = SocketAddress(host: .ipv4(1), port: 2)

  /// A look-up that ends with this, or not before it is cancelled.
  private static func lookUp(_ result: Result<[SocketAddress], DiscoveryError>?) -> BothLookUps.LookUp {
    { () async throws(DiscoveryError) in
      if let result { return try result.get() }
      try? await Task.sleep(for: .seconds(3600))
      throw .cancelled
    }
  }

  @Test func aBackEndThatIsHeldUpOrHasFailedIsNotWaitedFor() async throws {
    let direct = Self.lookUp(.success([Self.fresh]))
    #expect(try await BothLookUps.first(of: Self.lookUp(nil), beside: direct) == [Self.fresh])
    #expect(try await BothLookUps.first(of: Self.lookUp(.failure(.stopped)), beside: direct) == [Self.fresh])
  }

  @Test func aBackEndThatIsHeldUpForLongerThanTheLookUpMayTakeIsNotWaitedFor() async throws {
    let timeout = DiscoveryError.resolutionTimedOut(try instance("lamp"))
    await #expect(throws: timeout) {
      try await BothLookUps.first(of: Self.lookUp(nil), beside: Self.lookUp(.failure(timeout)))
    }
    let late = Self.lookUp(.success([Self.cached]))
    #expect(try await BothLookUps.first(of: late, beside: Self.lookUp(.failure(timeout))) == [Self.cached])
  }

  @Test func aServiceThatAnswersTheBackEndAloneIsFound() async throws {
    let backEnd = Self.lookUp(.success([Self.cached]))
    #expect(try await BothLookUps.first(of: backEnd, beside: Self.lookUp(nil)) == [Self.cached])
    let failure = Self.lookUp(.failure(.cancelled))
    #expect(try await BothLookUps.first(of: backEnd, beside: failure) == [Self.cached])
    await #expect(throws: DiscoveryError.stopped) {
      try await BothLookUps.first(of: Self.lookUp(.failure(.stopped)), beside: failure)
    }
  }

  @Test func theNetworksAnswerComesBeforeThatOfACache() async throws {
    let addresses = try await BothLookUps.first(
      of: Self.lookUp(.success([Self.cached, Self.fresh])), beside: Self.lookUp(.success([Self.fresh])))
    #expect(addresses.first == Self.fresh)
  }
}
