import Basics
import WorldModel

/// How many new maps one member may announce, and the one that waits because it announced too many.
struct AnnouncementBudget: Sendable {
  private var rate: RateLimit
  /// The latest map of the session that came too early; it is looked at with the next exchange of vectors.
  var late: MapAnnouncement?

  init(at now: Instant) {
    rate = RateLimit(ProtocolLimits.announcements, at: now)
  }

  /// Counts an announcement of an unknown map; whether it is looked at now.
  ///
  /// Of maps of the session that come too early the latest alone waits, since it replaces the others.
  mutating func admits(_ announcement: MapAnnouncement, at now: Instant) -> Bool {
    if rate.admits(at: now) { return true }
    guard !announcement.isPrivate, late.map({ announcement.supersedes($0) }) ?? true else { return false }
    late = announcement
    return false
  }
}

/// Why an announced map is not fetched.
package enum MapRefusal: Sendable, Equatable {
  /// The session's rule does not let its provider share one.
  case notPermitted
  /// It has more bytes than ``NodeConfiguration/mapMemoryLimit``.
  case tooLarge(bytes: Int)
}
