import AnchorReplication
import Basics
import Testing
import WorldModel

@testable import SharedWorld

/// The list of the anchors that stand for touched points.
@Suite struct TouchBookTests {
  private var set: AnchorSet
  private var book = TouchBook()
  /// How often all anchors were looked through.
  private var looks = 0

  init() {
    let peer = PeerID(SHA256Digest(words: .zero))
    set = AnchorSet(actor: ActorID(peer: peer, incarnation: 1), peer: peer)
  }

  /// Follows the changes since the last call; whether another peer has touched a point.
  private mutating func follow(as origin: AnchorOrigin = .remote) -> Bool {
    let changes = set.takeChanges().map { change in
      var change = change
      change.origin = origin
      return change
    }
    return book.follow(changes, in: set)
  }

  private mutating func list() -> [AnchorID] {
    var (all, count) = (set, 0)
    defer { looks += count }
    return book.list {
      count += 1
      return all.anchors
    }
  }

  @Test mutating func `all anchors are looked through once, however often points are touched afterwards`() throws {
    let (point, lamp) = (Anchor(name: "touch/corner"), Anchor(name: "lamp"))
    for anchor in [point, lamp] { _ = try set.place(anchor, at: 1) }
    // Nothing is followed before somebody asks.
    let isFollowed = follow()
    #expect(!isFollowed && !book.isKept)
    var lists = [list()]
    for time in 2..<100 {
      _ = try set.move(point.id, to: Transform(translation: [Float(time), 0, 0]), at: UInt64(time))
      let isTouched = follow()
      #expect(isTouched)
      lists.append(list())
    }
    #expect(lists.allSatisfy { $0 == [point.id] } && looks == 1)
    _ = try set.move(lamp.id, to: .identity, at: 100)
    let isTouched = follow()
    #expect(!isTouched)
  }

  @Test mutating func `points that are placed, named, renamed and removed come and go`() throws {
    _ = list()
    let (placed, named) = (Anchor(name: "touch/one"), Anchor(name: "lamp"))
    for anchor in [placed, named] { _ = try set.place(anchor, at: 1) }
    var (told, lists) = ([follow()], [list()])
    _ = try set.rename(named.id, to: "touch/two", at: 2)
    told.append(follow())
    lists.append(list())
    _ = try set.rename(placed.id, to: "one", at: 3)
    _ = try set.remove(named.id, at: 4)
    told.append(follow())
    lists.append(list())
    #expect(told == [true, true, false])
    #expect(lists == [[placed.id], [placed.id, named.id].sorted(), []])
    #expect(looks == 1)
  }

  @Test mutating func `this peer's own touches are listed, and are none of another's`() throws {
    _ = list()
    let point = Anchor(name: "touch/one")
    _ = try set.place(point, at: 1)
    let isTouched = follow(as: .local)
    let points = list()
    #expect(!isTouched && points == [point.id])
  }
}
