import Glibc

/// A day (UTC), such as 2026-11-22.
public struct CalendarDay: Hashable, Comparable, Sendable, LosslessStringConvertible {
  /// The year, with four digits.
  public let year: Int
  /// The month, from 1.
  public let month: Int
  /// The day of the month, from 1.
  public let day: Int

  /// The day that is written as year, month and day, such as `2026-11-22`; nil if the text is none.
  public init?(_ description: String) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2], parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } })
    else { return nil }
    let numbers = parts.compactMap { Int($0) }
    (year, month, day) = (numbers[0], numbers[1], numbers[2])
  }

  /// The present day, by the machine's clock.
  init() {
    var now = time(nil)
    var date = tm()
    gmtime_r(&now, &date)
    (year, month, day) = (Int(date.tm_year) + 1900, Int(date.tm_mon) + 1, Int(date.tm_mday))
  }

  /// The year, month and day, such as `2026-11-22`.
  public var description: String {
    [(year, 4), (month, 2), (day, 2)].map { number, width in
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }.joined(separator: "-")
  }

  /// Whether one day is before the other.
  public static func < (one: Self, other: Self) -> Bool {
    (one.year, one.month, one.day) < (other.year, other.month, other.day)
  }
}
