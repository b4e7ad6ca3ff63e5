import PeerProtocol
import WorldModel

/// The memory of a session for measuring frames: where this device was of late, and when it met others.
struct FrameDesk {
  /// Where this device was.
  var track = PoseTrack()
  /// Whether points that users touch have y straight up; as the app said last.
  var touchesHaveGravity = true
  /// The points that users have touched.
  var touches = TouchBook()
  /// How often frames are measured again without the user.
  var pace: SearchPace
  /// The map that was searched last.
  var finder: PlaceFinder?
  private var met: Table<PeerID, Met> = [:]

  /// Nothing yet.
  ///
  /// - Parameter interval: The least time between two searches of one frame.
  init(interval: Duration) { pace = SearchPace(interval: interval) }

  /// The meetings with a peer while both used the same frames.
  private struct Met {
    let mine, theirs: WorldFrame
    var meetings: [FrameFit.Meeting] = []
  }

  /// The latest meetings with one peer that count: earlier ones have drifted away.
  private static let most = 16

  /// Adds a meeting, and returns all of these two frames; those of earlier frames are forgotten.
  mutating func add(
    _ meeting: FrameFit.Meeting, with peer: PeerID, from theirs: WorldFrame, to mine: WorldFrame
  ) -> [FrameFit.Meeting] {
    met = met.filter { $1.mine == mine }
    var list = met[peer].flatMap { $0.theirs == theirs ? $0.meetings : nil } ?? []
    if list.count == Self.most { list.removeFirst() }
    list.append(meeting)
    met[peer] = Met(mine: mine, theirs: theirs, meetings: list)
    return list
  }
}
