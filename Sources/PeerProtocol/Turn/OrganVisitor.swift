import Basics

/// A pass over all organs, in the order of ``Node/visit(_:)``.
protocol OrganVisitor {
  /// Visits an organ; whether it has done something, after whose consequences to visit it again.
  mutating func visits<O: Organ>(_ watched: inout Watched<O>, in turn: inout Turn) -> Bool
}

/// Looks for the next deadline.
struct Deadlines: OrganVisitor {
  var next: Instant

  mutating func visits<O: Organ>(_ watched: inout Watched<O>, in turn: inout Turn) -> Bool {
    next = min(next, watched.deadline(in: &turn) ?? next)
    return false
  }
}

/// Computes the deadlines that may have changed.
struct Refreshes: OrganVisitor {
  mutating func visits<O: Organ>(_ watched: inout Watched<O>, in turn: inout Turn) -> Bool {
    watched.refresh(in: &turn)
    return false
  }
}

/// Gives others the time in which this process stood still.
struct Excuses: OrganVisitor {
  let gap: Duration

  mutating func visits<O: Organ>(_ watched: inout Watched<O>, in turn: inout Turn) -> Bool {
    watched.organ.excuse(gap, in: &turn)
    return false
  }
}

/// Runs the timers that are due.
struct Timers: OrganVisitor {
  /// Whether the organ at hand has more to do; nil before it has begun.
  private var hasMore: Bool?

  mutating func visits<O: Organ>(_ watched: inout Watched<O>, in turn: inout Turn) -> Bool {
    guard hasMore ?? watched.isDue(in: &turn) else {
      hasMore = nil
      return false
    }
    hasMore = watched.organ.step(in: &turn)
    return true
  }
}
