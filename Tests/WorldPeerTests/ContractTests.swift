import Foundation
import SharedWorld
import TestSupport
import Testing
import WorldFormats

/// What scripts rely on, tried with real processes, real TCP and real TLS.
@Suite("The contract of worldpeer", .endsHangs)
struct ContractTests {
  @Test("a lone peer edits its world and quits with 0")
  func alone() async throws {
    try await withFolder { folder in
      let peer = try PeerProcess("ann", in: folder)
      #expect(try await peer.event("ready").name == "ann")
      let placed = try await peer.ask("place lamp 1 2 3")
      let added = try await peer.event("anchor-added")
      #expect(placed.id != nil && added.id == placed.id)
      #expect(try await peer.ask("remove lamp").event == "answer")
      #expect(try await peer.ask("remove lamp").code == "unknown-anchor")
      #expect(try await peer.ask("tap 0.5 0.5").code == "no-hit")
      #expect(try await peer.ask("dance").code == "bad-command")
      #expect(try await peer.ask("wait anchors =0").event == "answer")
      try peer.send("quit")
      #expect(try await peer.status() == 0)
    }
  }

  @Test("a link brings a peer in, with the room's passcode if it carries it, also one that is typed")
  func link() async throws {
    try await withFolder { folder in
      let file = folder.appending(path: "passcode").path
      try Data("open sesame".utf8).write(to: URL(filePath: file))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
      let ann = try PeerProcess("ann", in: folder, ["--passcode-file", file, "--accept", "all"])
      let link = try #require(try await ann.ask("link").link)
      #expect(try await ann.ask("qr").link == link)
      let bob = try PeerProcess("bob", in: folder, ["--connect", link + ".open%20sesame"])
      try await ann.line { $0.event == "peer-joined" && $0.name == "bob" }
      #expect(try await bob.ask("wait peers 1").event == "answer")
      let cat = try PeerProcess("cat", in: folder, ["--passcode-file", file])
      try await cat.ask("invite sharedworld://nonsense")
      try await cat.line { $0.event == "error" && $0.code == "invalid-argument" }
      #expect(try await cat.ask("invite \(link)").event == "answer")
      try await ann.line { $0.event == "peer-joined" && $0.name == "cat" }
    }
  }

  @Test("messages go to all or to one, and those that did not arrive are named")
  func messages() async throws {
    try await withFolder { folder in
      let ann = try PeerProcess("ann", in: folder, ["--accept", "all"])
      let port = try #require(try await ann.event("ready").port)
      let bob = try PeerProcess("bob", in: folder, ["--connect", "127.0.0.1:\(port)"])
      for peer in [ann, bob] { try await peer.ask("wait peers 1") }
      #expect(try await ann.ask("send 'hello all'").number == 1)
      #expect(try await ann.ask("send bob hello").number == 2)
      #expect(try await bob.event("message").text == "hello all")
      #expect(try await bob.line { $0.event == "message" && $0.text == "hello" }.name == "ann")
      #expect(try await ann.ask("send carol hello").code == "unknown-peer")
      // Stopped, it acknowledges nothing.
      try await bob.stop()
      let last = try #require(try await ann.ask("send bob lost").number)
      bob.signal(SIGKILL)
      let failed = try await ann.event("messages-failed")
      #expect(failed.name == "bob" && failed.numbers?.last == last && failed.reason == "lost")
    }
  }

  @Test("a peer joins and leaves groups, and messages go to them in every mode")
  func groups() async throws {
    try await withFolder { folder in
      let ann = try PeerProcess("ann", in: folder, ["--accept", "all"])
      let port = try #require(try await ann.event("ready").port)
      let bob = try PeerProcess("bob", in: folder, ["--connect", "127.0.0.1:\(port)"])
      for peer in [ann, bob] { try await peer.ask("wait peers 1") }
      let red = [Line.Membership(name: "bob", groups: ["red"])]
      #expect(try await bob.ask("group join red").memberships == red)
      let changed = try await ann.event("groups-changed")
      #expect(changed.name == "bob" && changed.groups == ["red"])
      #expect(try await ann.ask("group").memberships == red)
      #expect(try await ann.ask("send --critical --group red urgent").event == "answer")
      #expect(try await bob.line { $0.event == "message" && $0.text == "urgent" }.key == nil)
      #expect(try await ann.ask("send --unreliable bob state").event == "answer")
      #expect(try await bob.line { $0.event == "message" && $0.text == "state" }.key == "")
      #expect(try await bob.ask("group leave red").memberships == [])
      try await ann.line { $0.event == "groups-changed" && $0.groups == [] }
      #expect(try await ann.ask("group join '\(String(repeating: "a", count: 64))'").code == "invalid-argument")
    }
  }

  @Test("a burst places its anchors and tells when, by a clock that other processes share")
  func burst() async throws {
    try await withFolder { folder in
      let ann = try PeerProcess("ann", in: folder)
      let bob = try PeerProcess("bob", in: folder)
      let before = try await bob.event("ready").clock
      let placed = try #require(try await ann.ask("burst 5 100 lamp").placed)
      let after = try await bob.ask("digest").clock
      #expect(placed.count == 5)
      #expect(placed.map(\.clock) == placed.map(\.clock).sorted())
      #expect(placed.allSatisfy { before < $0.clock && $0.clock < after })
      #expect(try await ann.ask("wait anchor 'lamp 5'").event == "answer")
      #expect(try await ann.event("anchor-added").id == placed[0].id)
    }
  }

  @Test("a peer killed while it keeps a journal has the first anchors back, without a gap", arguments: [1, 20, 60])
  func journal(heard: Int) async throws {
    try await withFolder { folder in
      let options = ["--journal", folder.appending(path: "world.journal").path]
      let ann = try PeerProcess("ann", in: folder, options)
      try ann.send("burst 2000 2000 lamp")
      try await ann.line { $0.event == "anchor-added" && $0.name == "lamp \(heard)" }
      ann.signal(SIGKILL)
      #expect(try await ann.status() == SIGKILL)
      let again = try PeerProcess("ann", in: folder, options)
      let names = Set(try await again.ask("anchors").anchors?.names ?? [])
      #expect(names == Set((0..<names.count).map { "lamp \($0 + 1)" }))
      #expect(try await again.ask("place desk 0 0 0").id != nil)
      try again.send("quit")
      #expect(try await again.status() == 0)
      let third = try PeerProcess("ann", in: folder, options)
      #expect(try await third.ask("anchors").anchors?.names?.count == names.count + 1)
    }
  }

  @Test("a peer killed with kill -9 comes back into its session by itself, with its anchors, as host or not")
  func state() async throws {
    try await withFolder { folder in
      func options(_ name: String) -> [String] {
        let path = folder.appending(path: name).path
        return ["--state", path + ".state", "--journal", path + ".journal"]
      }
      let ann = try PeerProcess("ann", in: folder, ["--accept", "all"] + options("ann"))
      let port = try #require(try await ann.event("ready").port)
      let bob = try PeerProcess("bob", in: folder, ["--connect", "127.0.0.1:\(port)"] + options("bob"))
      for peer in [ann, bob] {
        try await peer.ask("wait peers 1")
        try await peer.ask("wait host")
      }
      try await ann.ask("place lamp 0 0 0")
      try await bob.ask("wait anchor lamp")
      var last = [ann, bob]
      for index in [0, 1, 0] {
        let other = try #require(try await last[1 - index].event("ready").peerID.flatMap { [UInt8](hexadecimal: $0) })
        try await kept(other, in: folder.appending(path: last[index].name + ".state"))
        let name = last[index].name
        last[index].signal(SIGKILL)
        #expect(try await last[index].status() == SIGKILL)
        // Nobody accepts an invitation any more, and nobody makes one.
        last[index] = try PeerProcess(name, in: folder, ["--accept", "none", "--invite", "none"] + options(name))
        try await last[index].ask("wait peers 1")
        try await last[index].ask("wait anchor lamp")
        let anchor = UUID().uuidString
        try await last[index].ask("place '\(anchor)' 0 0 0")
        try await last[1 - index].ask("wait anchor '\(anchor)'")
      }
      let (one, two) = (try await last[0].ask("digest"), try await last[1].ask("digest"))
      #expect(one.digest == two.digest)
    }
  }

  /// Waits until a peer's id is in another's state on the disk.
  private func kept(_ id: [UInt8], in file: URL) async throws {
    try await until { (try? Data(contentsOf: file))?.range(of: Data(id)) != nil }
  }

  @Test("two peers join, share a map and end with the same roster, host, map and digest")
  func pair() async throws {
    try await withFolder { folder in
      let path = folder.appending(path: "room.worldmap")
      try Data(try SyntheticRoom(seed: 3, pointCount: 5_000).map().encoded()).write(to: path)
      let ann = try PeerProcess("ann", in: folder, ["--accept", "all", "--map", path.path])
      let port = try #require(try await ann.event("ready").port)
      let bob = try PeerProcess("bob", in: folder, ["--connect", "127.0.0.1:\(port)"])
      for peer in [ann, bob] {
        try await peer.ask("wait peers 1")
        try await peer.ask("wait host")
      }
      let shared = try await ann.ask("send-map")
      #expect(try await bob.ask("wait map").event == "answer")
      #expect(try await bob.event("map-received").mapID == shared.mapID)
      #expect(try await bob.ask("tap 0.5 0.6 lamp").id != nil)
      #expect(try await ann.ask("wait anchor lamp").event == "answer")
      #expect(try await ann.ask("move lamp 0 1 0").event == "answer")
      let digest = try #require(try await ann.ask("digest").digest)
      #expect(try await bob.ask("wait digest \(digest)").event == "answer")
      let (one, two) = (try await ann.ask("status"), try await bob.ask("status"))
      #expect(one.roster?.map(\.name).sorted() == ["ann", "bob"])
      #expect(one.roster == two.roster)
      #expect(one.host != nil && one.host == two.host && one.mapID == two.mapID && one.digest == two.digest)
    }
  }

  @Test("anchors are dragged, owned, taken back and made again; an edit waits until all have it")
  func live() async throws {
    try await withFolder { folder in
      let ann = try PeerProcess("ann", in: folder, ["--accept", "all"])
      let port = try #require(try await ann.event("ready").port)
      let bob = try PeerProcess("bob", in: folder, ["--connect", "127.0.0.1:\(port)"])
      for peer in [ann, bob] {
        try await peer.ask("wait peers 1")
        try await peer.ask("wait host")
      }
      let lamp = try #require(try await ann.ask("place lamp 0 0 0 all").id)
      #expect(try await bob.event("anchor-added").id == lamp)
      #expect(try await ann.ask("drag lamp 1 0 0 0.2").event == "answer")
      let dragged = try await bob.event("anchor-dragged")
      #expect(dragged.id == lamp && dragged.name == "ann")
      #expect(try await bob.event("drag-ended").id == lamp)
      #expect(try await ann.ask("pose 0 1.6 0").event == "answer")
      #expect(try await bob.event("participant-moved").name == "ann")
      #expect(try await bob.ask("lock lamp 60").event == "answer")
      #expect(try await ann.event("ownership-changed").id == lamp)
      #expect(try await ann.ask("unlock lamp").code == "not-owner")
      #expect(try await ann.ask("remove lamp host").event == "answer")
      #expect(try await ann.ask("undo").event == "answer")
      #expect(try await bob.ask("wait anchor lamp").event == "answer")
      #expect(try await ann.event("anchor-restored").name == "lamp")
      #expect(try await ann.ask("redo").event == "answer")
      #expect(try await bob.ask("wait anchors =0").event == "answer")
      #expect(try await bob.ask("undo").code == "nothing-to-undo")
    }
  }

  @Test("with --accept ask an invitation waits for the user, who can decline and accept")
  func asked() async throws {
    try await withFolder { folder in
      let ann = try PeerProcess("ann", in: folder, ["--accept", "ask"])
      let port = try #require(try await ann.event("ready").port)
      let eve = try PeerProcess("eve", in: folder, ["--connect", "127.0.0.1:\(port)"])
      try await ann.line { $0.event == "invitation" && $0.name == "eve" }
      #expect(try await ann.ask("accept bob").code == "no-invitation")
      #expect(try await ann.ask("decline eve").event == "answer")
      #expect(try await eve.event("error").code == "declined")
      let bob = try PeerProcess("bob", in: folder, ["--connect", "127.0.0.1:\(port)"])
      try await ann.line { $0.event == "invitation" && $0.name == "bob" }
      try await ann.ask("accept bob")
      #expect(try await bob.event("peer-joined").name == "ann")
    }
  }

  @Test("--log shows the library's log from a level on")
  func log() async throws {
    try await withFolder { folder in
      let ann = try PeerProcess("ann", in: folder, ["--accept", "none", "--log", "debug"])
      let port = try #require(try await ann.event("ready").port)
      let eve = try PeerProcess("eve", in: folder, ["--connect", "127.0.0.1:\(port)", "--log", "warning"])
      #expect(try await eve.event("error").code == "declined")
      try await ann.line { $0.event == "log" && $0.text?.contains("eve was declined") == true }
      try ann.send("quit")
      try eve.send("quit")
      // That it is gone is no warning.
      #expect(try await eve.lines { $0.event == "log" }.isEmpty)
    }
  }

  @Test("a peer that connects before the other listens tries again")
  func early() async throws {
    try await withFolder { folder in
      let probe = try PeerProcess("probe", in: folder)
      let port = try #require(try await probe.event("ready").port)
      try probe.send("quit")
      #expect(try await probe.status() == 0)
      let bob = try PeerProcess("bob", in: folder, ["--connect", "127.0.0.1:\(port)"])
      try await bob.event("ready")
      let ann = try PeerProcess("ann", in: folder, ["--accept", "all"], port: port)
      #expect(try await ann.event("peer-joined").name == "bob")
    }
  }

  @Test("a signal ends a peer politely: the others hear that it left", arguments: [SIGINT, SIGTERM])
  func signals(number: Int32) async throws {
    try await withFolder { folder in
      let ann = try PeerProcess("ann", in: folder, ["--accept", "all"])
      let port = try #require(try await ann.event("ready").port)
      let bob = try PeerProcess("bob", in: folder, ["--connect", "127.0.0.1:\(port)"])
      try await bob.event("peer-joined")
      try await ann.event("peer-joined")
      bob.signal(number)
      #expect(try await bob.status() == 128 + number)
      #expect(try await ann.event("peer-left").reason == "left")
    }
  }

  @Test("a script stops at the first failure with 1")
  func script() async throws {
    try await withFolder { folder in
      for (script, status) in [
        ("place a 0 0 0\nwait anchors 1\nquit", 0), ("place a 0 0 0", 0), ("remove a\nplace b 0 0 0", 1),
        ("wait peers 1 0.1\nplace b 0 0 0", 1), ("dance\nplace b 0 0 0", 1),
      ] {
        let path = folder.appending(path: "script")
        try Data(script.utf8).write(to: path)
        let peer = try PeerProcess("ann", in: folder, ["--script", path.path])
        #expect(try await peer.status() == Int32(status), "\(script)")
        await #expect(throws: PeerProcess.Ended.self) { try await peer.line { $0.name == "b" } }
      }
    }
  }

  @Test("the end of the commands is the end of the peer; a wait that failed on the way is remembered")
  func piped() async throws {
    try await withFolder { folder in
      for (commands, status) in [("status", 0), ("wait map 0.1\nstatus", 1), ("remove nothing", 0)] {
        let peer = try PeerProcess("ann", in: folder)
        try peer.send(commands)
        try peer.closeInput()
        #expect(try await peer.status() == Int32(status), "\(commands)")
      }
    }
  }

  @Test("a peer that nobody steers, as one with /dev/null for an input, runs until a signal")
  func unsteered() async throws {
    try await withFolder { folder in
      let peer = try PeerProcess("ann", in: folder, input: .nullDevice)
      try await peer.event("ready")
      peer.signal(SIGTERM)
      #expect(try await peer.status() == 128 + SIGTERM)
    }
  }

  @Test("a wrong command line is 2, a damaged file 3, a missing one 4, a session that cannot start 5")
  func refused() async throws {
    try await withFolder { folder in
      let junk = folder.appending(path: "junk").path
      try Data("no map".utf8).write(to: URL(filePath: junk))
      let cases = [
        (["--frobnicate"], 2, "bad-command"), (["--map", junk], 3, "corrupt-data"), (["--map", "/nowhere"], 4, "io"),
        (["--script", "/nowhere"], 4, "io"), (["--service", "no_service"], 5, "invalid-argument"),
      ]
      for (options, status, code) in cases {
        let peer = try PeerProcess("ann", in: folder, options)
        #expect(try await peer.status() == Int32(status), "\(options)")
        #expect(try await peer.event("error").code == code, "\(options)")
      }
    }
  }

  @Test("an address where a peer of another service listens is told once and left alone")
  func otherService() async throws {
    try await withFolder { folder in
      let ann = try PeerProcess("ann", in: folder, ["--accept", "all", "--service", "chess"])
      let cat = try PeerProcess("cat", in: folder, ["--accept", "all"])
      let (port, other) = (
        try #require(try await ann.event("ready").port), try #require(try await cat.event("ready").port)
      )
      let bob = try PeerProcess(
        "bob", in: folder, ["--connect", "127.0.0.1:\(port)", "--connect", "127.0.0.1:\(other)"])
      #expect(try await bob.event("error").code == "other-service")
      try await bob.event("peer-joined")
      try bob.send("quit")
      #expect(try await bob.status() == 0)
      #expect(try await bob.lines { $0.event == "error" }.count == 1)
    }
  }
}
