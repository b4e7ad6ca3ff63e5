// The first program: one person begins a room, and another one enters it by its code. `first-program NAME [CODE]`

import SharedWorld

let name = CommandLine.arguments[1]
let code = CommandLine.arguments.dropFirst(2).first ?? Passcode.generatedCode()
try await Session.join("kitchen", code: code, as: name) { session in
  print("the code of the kitchen is \(code)")
  try await session.place(Anchor(name: "lamp of \(name)", transform: Transform(translation: [0, 1, -2])))
  for await event in session.events { print(event) }
}
