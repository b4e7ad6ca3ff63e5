import AnchorReplication
import Basics
import Testing
import WorldModel

@Suite("Edits and their exchange")
struct EditTests {
  @Test("an edit of each register reaches another peer")
  func everyRegister() throws {
    var (left, right) = (makeSet(1), makeSet(2))
    _ = try left.place(anchor(7), at: 1_000)
    _ = try left.move(id(7), to: Transform(translation: [1, 2, 3]), at: 1_001)
    _ = try left.rename(id(7), to: "desk lamp", at: 1_002)
    let payload = Anchor.Payload(contentType: "text/plain", bytes: [1, 2, 3])
    _ = try left.setPayload(payload, of: id(7), at: 1_003)
    _ = try left.setFlags(5, of: id(7), at: 1_004)
    let lock = AnchorLock(owner: peer(2), leaseUntil: 9_000, epoch: 3, number: 4)
    _ = try left.setLock(lock, of: id(7), at: 1_005)
    try right.pull(from: left)
    #expect(right.anchors == left.anchors)
    #expect(right[id(7)]?.name == "desk lamp")
    #expect(right[id(7)]?.transform.translation == [1, 2, 3])
    #expect(right[id(7)]?.payload == payload)
    #expect(right[id(7)]?.creator == peer(1))
    #expect(right[id(7)]?.createdAt == SessionTime(milliseconds: 1_000))
    #expect(right.value(of: .flags, of: id(7)) == .flags(5))
    #expect(right.value(of: .lock, of: id(7)) == .lock(lock))
    #expect(right.vector == left.vector)
    #expect(right.digest == left.digest)
    #expect(right.encodeSnapshot() == left.encodeSnapshot())
    _ = try right.remove(id(7), at: 2_000)
    try left.pull(from: right)
    #expect(left.count == 0 && left[id(7)] == nil)
    #expect(left.digest == SHA256Digest(words: .zero))
  }

  @Test("an anchor is found from wherever the search begins, also when its place was given away")
  func places() throws {
    var set = makeSet(1)
    for number in 0..<20 { _ = try set.place(anchor(number), at: 10) }
    for number in stride(from: 0, to: 20, by: 3) { _ = try set.remove(id(number), at: 20) }
    for first in 0..<25 {
      var next = first
      for number in (0..<20).reversed() {
        let slot = set.slot(showing: id(number), next: &next)
        #expect(slot == set.slot(showing: id(number)))
        if let slot { #expect(set.anchor(at: slot).id == id(number) && next == (slot + 1) % set.count) }
      }
    }
  }

  @Test("a snapshot carries the whole state")
  func snapshot() throws {
    var (left, right) = (makeSet(1), makeSet(2))
    for number in 0..<50 { _ = try left.place(anchor(number, x: Float(number)), at: 10) }
    for number in 0..<10 { _ = try left.remove(id(number * 2), at: 20) }
    _ = try right.place(anchor(99, "mine"), at: 5)
    try right.merge(snapshot: left.encodeSnapshot().span.bytes)
    try left.pull(from: right)
    #expect(left.count == 41 && left.anchors == right.anchors)
    #expect(left.vector == right.vector && left.digest == right.digest)
    #expect(left.encodeSnapshot() == right.encodeSnapshot())
  }

  @Test("of two writes with the same clock the one of the greater actor stays, by log and by snapshot")
  func ties() throws {
    var (left, right) = (makeSet(1), makeSet(2))
    _ = try left.place(anchor(1), at: 10)
    try right.pull(from: left)
    _ = try left.rename(id(1), to: "left", at: 20)
    _ = try left.move(id(1), to: Transform(translation: [1, 0, 0]), at: 21)
    _ = try right.rename(id(1), to: "right", at: 20)
    _ = try right.move(id(1), to: Transform(translation: [2, 0, 0]), at: 21)
    #expect(left.stamp(of: .pose, of: id(1))?.clock == right.stamp(of: .pose, of: id(1))?.clock)
    var (merged, other) = (left, right)
    try left.pull(from: right)
    try right.pull(from: left)
    try other.merge(snapshot: merged.encodeSnapshot().span.bytes)
    try merged.merge(snapshot: other.encodeSnapshot().span.bytes)
    for set in [left, right, merged, other] {
      #expect(set[id(1)]?.name == "right" && set[id(1)]?.transform.translation == [2, 0, 0])
    }
    #expect(left.digest == right.digest && merged.digest == left.digest && other.digest == left.digest)
  }
}
