// An object that lives as long as a window: it starts a session, draws it without waiting and stops it.

import Foundation
import SharedWorld

func paint(_ label: String, at transform: Transform) { print(label, transform.translation) }

// snippet.window
@MainActor
final class WorldWindow {
  private var handle: SessionHandle?
  private var drawn: UInt64 = 0

  func open(_ configuration: Session.Configuration) async throws {
    handle = try await Session.start(named: "kitchen", configuration: configuration)
  }

  /// Called for every frame.
  func draw() {
    guard let snapshot = handle?.session.snapshot, snapshot.revision != drawn else { return }
    drawn = snapshot.revision
    for anchor in snapshot.anchors { paint(anchor.name, at: anchor.transform) }
    for pose in snapshot.drags { paint("in a hand", at: pose.transform) }
    for device in snapshot.participants { paint(device.peer.name, at: device.transform) }
  }

  func close() async {
    await handle?.stop()
    handle = nil
  }
}
// snippet.end

// snippet.log
var configuration = Session.Configuration(service: "my-app")
configuration.log = { message in
  guard message.level >= .info else { return }
  FileHandle.standardError.write(Data("\(message)\n".utf8))
}
// snippet.end

// snippet.bell
/// Makes a descriptor readable whenever something has happened, for the `poll` of a loop.
func ring(_ bell: FileHandle, for session: Session) async throws {
  var events = session.events.makeAsyncIterator()
  while let batch = await events.nextBatch() {
    try bell.write(contentsOf: [UInt8(clamping: batch.count)])
  }
}
// snippet.end

let window = WorldWindow()
try await window.open(configuration)
window.draw()
await window.close()
