import Glibc

/// A progress bar on standard error, for work that takes more than a moment; nothing unless that is a terminal.
struct Progress {
  private let isShown: Bool
  private let start = ContinuousClock.now
  private var lastDrawn: ContinuousClock.Instant?

  /// A bar that stays hidden when `isQuiet`.
  init(isQuiet: Bool) {
    isShown = !isQuiet && isatty(2) == 1
  }

  /// Says what is being done, and how much of it is done (0…1).
  mutating func show(_ work: String, _ fraction: Double) {
    let now = ContinuousClock.now
    // Short work shows no bar, long work ten frames a second.
    guard isShown, now - start > .milliseconds(400) else { return }
    if let lastDrawn, now - lastDrawn < .milliseconds(100) { return }
    lastDrawn = now
    let filled = Int((min(max(fraction, 0), 1) * 30).rounded())
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 30 - filled)
    Console.error("\r\u{1b}[2K\(work) \(bar) \(Int((fraction * 100).rounded())) %")
  }

  /// Takes the bar away.
  mutating func finish() {
    if lastDrawn != nil { Console.error("\r\u{1b}[2K") }
    lastDrawn = nil
  }
}
