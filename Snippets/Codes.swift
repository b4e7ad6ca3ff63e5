// The three ways in by something that people know: the code of a room, a passcode of the app, and two people who compare.

import SharedWorld

func ask(_ question: String) async -> Bool { question.isEmpty }

// snippet.room
let code = Passcode.generatedCode()
var kitchen = try Session.Configuration(room: "kitchen", code: code)
print("type this on the other devices: \(kitchen.code ?? "")")
// snippet.end

// snippet.passcode
var workshop = Session.Configuration(service: "workshop")
workshop.authentication.passcode = try Passcode(contentsOfFile: "/etc/workshop/passcode")
workshop.invitations.outgoing = .all
workshop.invitations.incoming = .all
// snippet.end

// snippet.entered
do {
  kitchen = try Session.Configuration(room: "kitchen", code: readLine())
} catch {
  print(error.message)
}
// snippet.end

// snippet.refused
/// What to tell a person who stands before a room that did not open.
func explain(_ error: SessionError) -> String? {
  switch error.code {
  case .passcodeRefused: "That is another code. Type it again."
  case .passcodeRequired: "This room asks for a code."
  case .passcodeWait: "Too many tries. Wait a little."
  case .passcodeLocked: "This room is closed to newcomers. Ask somebody in it to open it."
  default: nil
  }
}
// snippet.end

// snippet.compare
let store = PinStore(path: "peers")
var studio = Session.Configuration(service: "studio")
studio.authentication.trust = .code(store)
studio.authentication.codeHandler = { comparison in
  await ask("Does the screen of \(comparison.peer.name) show \(comparison)?")
}
// snippet.end
