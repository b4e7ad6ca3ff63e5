// The tutorial for an app: two people in one room put notes on the walls. `notes NAME [CODE]`

import Foundation
import SharedWorld

// snippet.model
/// What an app keeps of a note: the text is the name of an anchor, so that it needs nothing else.
struct Note: Identifiable {
  let id: AnchorID
  let text: String
  let place: Transform
}

extension Note {
  init(_ anchor: Anchor) { self.init(id: anchor.id, text: anchor.name, place: anchor.transform) }
}
// snippet.end

// snippet.notes
/// The notes of the room, and the calls behind the buttons of a window.
actor Notes {
  let session: Session
  private var history = UndoHistory()

  init(_ session: Session) { self.session = session }

  /// A tap on the picture of the room, whose middle is (0.5, 0.5).
  func add(_ text: String, at point: SIMD2<Float> = [0.5, 0.5]) async throws {
    guard let map = await session.maps.latest(),
      let hit = HitTest(map).results(at: point, through: .framing(map)).first
    else { return print("there is nothing to put a note on yet") }
    let anchor = Anchor(name: text, transform: hit.transform)
    try await session.place(anchor)
    history.record(.place(anchor))
  }

  /// The button "Undo".
  func undo() async throws {
    if let step = history.undo() { try await session.world.perform(step) }
  }
}
// snippet.end

// snippet.list
/// Draws the list anew whenever it has changed, as a window does.
func show(_ session: Session) async {
  for await _ in session.world.changes() {
    let notes = await session.world.anchors.map(Note.init).sorted { $0.text < $1.text }
    print(notes.map { "\($0.text) at \($0.place.translation)" }.joined(separator: "\n"))
  }
}
// snippet.end

/// The lines that are written in the terminal, which stand for a window's taps.
func lines() -> AsyncStream<String> {
  AsyncStream { lines in
    Thread {
      while let line = readLine() { lines.yield(line) }
      lines.finish()
    }.start()
  }
}

// snippet.main
let name = CommandLine.arguments[1]
let code = CommandLine.arguments.dropFirst(2).first ?? Passcode.generatedCode()
print("the code of the room is \(code)")
try await Session.join("notes", code: code, as: name) { session in
  if FileManager.default.fileExists(atPath: "room.worldmap") {
    try await session.share(try WorldMap(contentsOfFile: "room.worldmap"))
  }
  let notes = Notes(session)
  await withTaskGroup { tasks in
    tasks.addTask { await show(session) }
    for await text in lines() {
      do { try await notes.add(text) } catch { print(error) }
    }
    tasks.cancelAll()
  }
}
// snippet.end
