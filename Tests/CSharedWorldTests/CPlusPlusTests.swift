import Foundation
import TestSupport
import Testing

/// The example in C++, which shares a session with `worldpeer`.
@Suite("C++ program", .endsHangs)
struct CPlusPlusTests {
  @Test(
    "objects that give themselves back, and a loop by poll, share anchors with worldpeer",
    .enabled(if: CProgramTests.compiler("g++") != nil, "g++ is missing: apt-get install g++"))
  func raii() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sharedworld-cpp-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = folder.appending(path: "raii").path()
    let compiled = try await ProgramRun(
      of: try #require(CProgramTests.compiler("g++")),
      [
        "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I\(CProgramTests.headers)",
        CProgramTests.package.appending(path: "Tests/CSharedWorldTests/C/raii.cpp").path(),
        ProgramRun.products.appending(path: "libCSharedWorld.so").path(),
        "-Wl,-rpath,\(ProgramRun.products.path())", "-o", program,
      ])
    #expect(compiled == ProgramRun(status: 0, text: ""))

    // Each waits for the anchor of the other one.
    let commands = folder.appending(path: "commands").path()
    try "wait peers 1 60\nwait anchor lamp 60\nplace cup 1 0 -2 all\n".write(
      toFile: commands, atomically: true, encoding: .utf8)
    let peer = ProgramRun.products.appending(path: "worldpeer").path()
    let both = try await ProgramRun(
      of:
        "/bin/bash",
      [
        "-c",
        """
        exec 3< <("$1" "$2/raii-identity"); read -r port <&3
        "$3" --name swift --identity "$2/swift" --discovery none --connect "127.0.0.1:$port" --script "$4" >"$2/log" \
          || { cat "$2/log"; exit 1; }
        cat <&3
        """, "bash", program, folder.path(), peer, commands,
      ])
    #expect(both == ProgramRun(status: 0, text: "swift is here\nreceived the cup\n"))
  }
}
