import Foundation
package import Testing

/// How much a run of the tests tries.
///
/// `make test` runs the tier `test`: values, one seed of each scenario, one program of each kind, and nothing at random.
/// `make check` runs the tier `check`: the same, all seeds, also random ones, all programs, and what takes minutes.
package enum Tier: String, Sendable {
  case test
  case check

  /// The tier of this run, which the environment variable `TIER` names; without one it is `test`.
  package static let current: Tier = {
    let name = ProcessInfo.processInfo.environment["TIER"] ?? Tier.test.rawValue
    guard let tier = Tier(rawValue: name) else {
      preconditionFailure("TIER=\(name): there are the tiers test and check")
    }
    return tier
  }()

  /// Whether this run tries everything.
  package static var isCheck: Bool { current == .check }

  /// The one seed that `SEED` asks for, to repeat a failure.
  private static let wanted = ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) }

  /// The seeds of a scenario that this run tries: all, or the first alone.
  package static func seeds<Seed: FixedWidthInteger & Sendable>(_ all: ClosedRange<Seed>) -> [Seed]
  where Seed.Stride: SignedInteger {
    if let seed = wanted.flatMap({ Seed(exactly: $0) }) { return [seed] }
    return isCheck ? Array(all) : [all.lowerBound]
  }

  /// The seeds in which a broken rule is looked for: all, or the first alone, which shows it.
  package static func span(_ all: ClosedRange<UInt64>) -> ClosedRange<UInt64> {
    isCheck ? all : all.lowerBound...all.lowerBound
  }

  /// What this run tries of a list, the most important first: all, or the first alone.
  package static func some<Case>(_ all: [Case]) -> [Case] { isCheck ? all : Array(all.prefix(1)) }

  /// A seed that no run before had; a test that draws one is ``Testing/Trait/thorough``, and names the seed as `SEED=` when it fails.
  package static func freshSeed() -> UInt64 { wanted ?? UInt64.random(in: 0..<1 << 48) }
}

extension Trait where Self == ConditionTrait {
  /// A test that takes long, or that draws at random: `make check` alone runs it.
  package static var thorough: Self { .enabled(if: Tier.isCheck, "make check runs it") }
}

extension Trait where Self == TimeLimitTrait {
  /// Ends what hangs, and decides nothing: it is ten times what the slowest test takes on a busy machine.
  package static var endsHangs: Self { .timeLimit(.minutes(20)) }
}
