import Testing
import WorldModel

@testable import SharedWorld

/// A note that absorbs those of the same colour.
private struct Note: UpdateNote, Equatable {
  let anchor: AnchorID
  var color = "red"
  var count = 1

  mutating func absorb(_ later: Note) -> Bool {
    guard color == later.color else { return false }
    count += later.count
    return true
  }
}

private let lamp = AnchorID(high: 1, low: 1)
private let table = AnchorID(high: 1, low: 2)

private func write(_ note: Note, to texts: inout [String]) {
  texts.append("\(note.anchor == lamp ? "lamp" : "table") \(note.color) \(note.count)")
}

@Suite("What a reader has not read yet")
struct UnreadTests {
  @Test("updates of one anchor are one note, at the place of the first")
  func one() {
    var unread = Unread<String, Note>()
    unread.note(Note(anchor: lamp))
    unread.append("word")
    unread.note(Note(anchor: table))
    for _ in 0..<999 { unread.note(Note(anchor: lamp)) }
    #expect(unread.count == 3 && unread.hasNotes)
    #expect(unread.take(write) == ["lamp red 1000", "word", "table red 1"])
    #expect(unread.isEmpty && !unread.hasNotes)
    // What was read is not added to.
    unread.note(Note(anchor: lamp))
    #expect(unread.take(write) == ["lamp red 1"])
  }

  @Test("elements from before the first note keep their places, also where another has taken the place of one")
  func late() {
    var unread = Unread<String, Note>()
    let first = unread.append("one")
    unread.append("two")
    #expect(unread.count == 2 && !unread.hasNotes && !unread.isEmpty)
    unread.replace(first, with: "uno")
    unread.note(Note(anchor: lamp))
    unread.append("three")
    #expect(unread.count == 4)
    #expect(unread.take(write) == ["uno", "two", "lamp red 1", "three"])
    #expect(unread.isEmpty)
  }

  @Test("elements are dropped where there are no notes")
  func dropWithoutNotes() {
    var unread = Unread<String, Note>()
    for word in ["one", "two", "three"] { unread.append(word) }
    unread.drop(notes: true) { $0 == "two" }
    #expect(unread.count == 2)
    unread.note(Note(anchor: lamp))
    #expect(unread.take(write) == ["one", "three", "lamp red 1"])
  }

  @Test("a note that does not absorb another, or is sealed, is followed by one of its own")
  func own() {
    var unread = Unread<String, Note>()
    unread.note(Note(anchor: lamp))
    unread.note(Note(anchor: lamp, color: "blue"))
    unread.note(Note(anchor: lamp, color: "blue"))
    unread.seal(lamp)
    unread.note(Note(anchor: lamp, color: "blue"))
    #expect(unread.take(write) == ["lamp red 1", "lamp blue 2", "lamp blue 1"])
  }

  @Test("all that is noted of an anchor that goes stands whole from then on, where it was")
  func settled() {
    var unread = Unread<String, Note>()
    unread.note(Note(anchor: lamp))
    unread.note(Note(anchor: table))
    unread.note(Note(anchor: lamp, color: "blue"))
    unread.settle(lamp) { "last \($0.color)" }
    unread.append("gone")
    unread.note(Note(anchor: table))
    let taken = unread.take { if $0.anchor != lamp { write($0, to: &$1) } }
    #expect(taken == ["last red", "table red 2", "last blue", "gone"])
  }

  @Test("what is no longer there when it is read is left out")
  func missing() {
    var unread = Unread<String, Note>()
    unread.note(Note(anchor: lamp))
    unread.append("word")
    #expect(unread.take { _, _ in } == ["word"])
  }

  @Test("elements and notes are dropped without each other, and the rest keeps its order")
  func dropped() {
    var unread = Unread<String, Note>()
    for round in 0..<3 {
      unread.append("a \(round)")
      unread.note(Note(anchor: round == 1 ? table : lamp))
    }
    unread.drop(notes: false) { $0 == "a 1" }
    #expect(unread.take(write) == ["a 0", "lamp red 2", "table red 1", "a 2"])
    unread.note(Note(anchor: lamp))
    unread.append("kept")
    unread.drop(notes: true) { _ in false }
    #expect(unread.take(write) == ["kept"])
  }

  @Test("hundreds of anchors find their notes again and again")
  func many() {
    var unread = Unread<String, Note>()
    let anchors = (0..<500).map { AnchorID(high: UInt64($0), low: 7) }
    for _ in 0..<3 {
      for _ in 0..<4 { for anchor in anchors { unread.note(Note(anchor: anchor)) } }
      #expect(unread.count == 500)
      #expect(unread.take { $1.append("\($0.anchor.high) \($0.count)") } == (0..<500).map { "\($0) 4" })
    }
  }
}
