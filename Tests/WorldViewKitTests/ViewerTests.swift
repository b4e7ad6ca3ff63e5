import Foundation
import PeerCLI
import SharedWorld
import TestSupport
import Testing
import WorldViewKit

/// A viewer with a real session and a real server on loopback, asked as a browser would.
@Suite("Viewer", .endsHangs)
struct ViewerTests {
  static func run(_ body: @Sendable (Session, Browser) async throws -> Void) async throws {
    try await runUnopened { session, viewer in try await body(session, Browser(opening: viewer.address)) }
  }

  /// The same, and nobody has opened the printed address yet.
  static func runUnopened(
    _ entry: Viewer.Entry = Viewer.Entry(), options words: [String] = [],
    configure: (inout Session.Configuration) -> Void = { _ in },
    _ body: @Sendable (Session, Viewer) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "worldview-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let line = ["--name", "vera", "--discovery", "none", "--listen", "127.0.0.1:0", "--identity", folder.path()]
    let options = try #require(try ViewOptions.parser.parse(line + words, over: ViewOptions()))
    let identity = try PeerIdentity.loadOrCreate(named: options.peer.name, in: folder.path())
    let changes = Changes()
    let desk = InvitationDesk { _ in changes.announce() }
    let codes = CodeDesk { _ in changes.announce() }
    var configuration = try options.peer.configuration(asking: desk, comparing: codes)
    configuration.authentication.trust = .firstUse(PinStore(path: folder.path() + "/known-peers"))
    configure(&configuration)
    let console = Console("worldview", .text, streams: Streams(output: { _ in true }, error: { _ in }))
    try await Session.withSession(as: identity, configuration: configuration) { session in
      let page = Viewer.PageFile(contentType: "text/html", bytes: Array("<p>".utf8))
      let viewer = Viewer(
        session, options: options, desk: desk, codes: codes, changes: changes, console: console,
        door: try await PageDoor(at: options.http, securelyAt: options.https, keysIn: folder.path()), entry: entry,
        files: ["/": page])
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await viewer.run() }
        try await body(session, viewer)
        group.cancelAll()
      }
    }
  }

  @Test("the page is served with its protection, anything else is not there")
  func files() async throws {
    try await Self.run { _, browser in
      let page = try await browser.get("/")
      #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(page.contains("Content-Security-Policy: default-src 'none'"))
      #expect(page.hasSuffix("\r\n\r\n<p>"))
      #expect(try await browser.get("/../etc/passwd").hasPrefix("HTTP/1.1 404"))
      #expect(try await browser.send("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").hasPrefix("HTTP/1.1 403"))
      #expect(try await browser.send("G(T / HTTP/1.1\r\n\r\n").hasPrefix("HTTP/1.1 400"))
    }
  }

  @Test("the page gets the invitation link, as text and as a square code")
  func link() async throws {
    try await Self.run { session, browser in
      let answer = try await browser.get("/link")
      let body = try #require(answer.split(separator: "\r\n\r\n").last)
      struct Answer: Decodable {
        let link: String
        let rows: [String]
      }
      let decoded = try JSONDecoder().decode(Answer.self, from: Data(body.utf8))
      let link = try await session.peers.invitationLink()
      #expect(decoded.link == link.description)
      #expect(decoded.rows.count >= 21 && decoded.rows.allSatisfy { $0.count == decoded.rows.count })
      #expect(decoded.rows == QRCode(link.description)?.rows.map { row in row.map { $0 ? "1" : "0" }.joined() })
    }
  }

  /// Waits until the page shows what `body` looks for.
  private static func wait(_ browser: Browser, for phrase: String) async throws {
    try await until { try await browser.get("/state").contains(phrase) }
  }

  @Test(
    "an invitation of a key that was never seen waits on the page until the user accepts it", arguments: [true, false])
  func invitation(accepts: Bool) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "worldview-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let guest = try PeerIdentity.loadOrCreate(named: "gus", in: folder.path())
    var configuration = Session.Configuration()
    configuration.discovery.mode = .none
    let settings = configuration
    try await Self.run { session, browser in
      try await Session.withSession(as: guest, configuration: settings) { other in
        // A character that turns the direction of the text is not shown.
        async let invited = other.peers.invite(
          .address(PeerAddress(host: "127.0.0.1", port: session.port)), context: Array("let \u{202E}me\u{7} in".utf8))
        try await Self.wait(browser, for: "\"context\":\"let \u{fffd}me\u{fffd} in\",\"recognition\":\"never-seen\"")
        let stranger = PeerID(SHA256Digest(hashing: [1]))
        #expect(
          try await browser.post("/answer", #"{"peer":"\#(stranger)","accept":true}"#).hasPrefix("HTTP/1.1 409"))
        let answer = #"{"peer":"\#(guest.peerID)","accept":\#(accepts)}"#
        #expect(try await browser.post("/answer", answer).hasPrefix("HTTP/1.1 200"))
        let joined = try? await invited
        #expect(joined == (accepts ? session.localPeer : nil))
        try await Self.wait(browser, for: #""invitations":[]"#)
      }
    }
  }

  @Test("a code waits on the page until the user compares it", arguments: [true, false])
  func code(isSame: Bool) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "worldview-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let guest = try PeerIdentity.loadOrCreate(named: "gus", in: folder.path())
    var configuration = Session.Configuration()
    configuration.discovery.mode = .none
    configuration.authentication.trust = .code(PinStore(path: folder.path() + "/known-peers"))
    configuration.authentication.codeHandler = { _ in true }
    let settings = configuration
    try await Self.run { session, browser in
      try await Session.withSession(as: guest, configuration: settings) { other in
        async let invited = other.peers.invite(.address(PeerAddress(host: "127.0.0.1", port: session.port)))
        let shown = await other.events.first { if case .codeShown = $0 { true } else { false } }
        guard case .codeShown(let comparison)? = shown else { return }
        try await Self.wait(
          browser, for: #""name":"gus","code":"\#(comparison)","recognition":"never-seen""#)
        let stranger = PeerID(SHA256Digest(hashing: [1]))
        #expect(
          try await browser.post("/code", #"{"peer":"\#(stranger)","isSame":true}"#).hasPrefix("HTTP/1.1 409"))
        let answer = #"{"peer":"\#(guest.peerID)","isSame":\#(isSame)}"#
        #expect(try await browser.post("/code", answer).hasPrefix("HTTP/1.1 200"))
        try await Self.wait(browser, for: #""codes":[]"#)
        // Then the page asks about the invitation.
        if isSame {
          try await Self.wait(browser, for: #""name":"gus","context":"""#)
          let accepted = #"{"peer":"\#(guest.peerID)","accept":true}"#
          #expect(try await browser.post("/answer", accepted).hasPrefix("HTTP/1.1 200"))
        }
        let joined = try? await invited
        #expect(joined == (isSame ? session.localPeer : nil))
      }
    }
  }

  @Test("a tap places an anchor that can be moved, renamed and removed")
  func anchors() async throws {
    try await Self.run { session, browser in
      try await session.share(SceneTests.walls)
      let tap = #""x":0.5,"y":0.5,"eye":[0,0,5],"target":[0,0,0],"focalLength":1,"aspectRatio":1.5"#
      #expect(try await browser.post("/tap", "{\(tap),\"name\":\"lamp\"}").hasPrefix("HTTP/1.1 200"))
      let lamp = try #require(await session.world.anchors.first)
      #expect(lamp.name == "lamp")
      #expect(abs(lamp.transform.translation.z - 1) < 0.01)
      let deeper = tap + #","clip":[[-9,-9,-9],[9,9,0]]"#
      #expect(try await browser.post("/tap", "{\(deeper),\"anchor\":\"\(lamp.id)\"}").hasPrefix("HTTP/1.1 200"))
      #expect(try await browser.post("/rename", #"{"anchor":"\#(lamp.id)","name":"sun"}"#).hasPrefix("HTTP/1.1 200"))
      let state = try await browser.get("/state")
      #expect(state.contains(#""name":"sun""#))
      #expect(state.contains(#""points":9800"#))
      let moved = try #require(await session.world.anchors.first)
      #expect(abs(moved.transform.translation.z + 1) < 0.01)
      #expect(try await browser.post("/remove", #"{"anchor":"\#(lamp.id)"}"#).hasPrefix("HTTP/1.1 200"))
      #expect(await session.world.anchors.isEmpty)
      #expect(try await browser.post("/remove", #"{"anchor":"\#(lamp.id)"}"#).hasPrefix("HTTP/1.1 409"))
    }
  }

  @Test("an anchor in the hand is at its last place when it is let go, and goes back by undo")
  func drag() async throws {
    try await Self.run { session, browser in
      let lamp = try await session.place(Anchor(name: "lamp", transform: Transform(translation: [1, 2, 3])))
      for (place, isEnd) in [("[1,2,4]", false), ("[1,2,5]", true)] {
        let answer = try await browser.post("/drag", #"{"anchor":"\#(lamp)","place":\#(place),"isEnd":\#(isEnd)}"#)
        #expect(answer.hasPrefix("HTTP/1.1 200"))
      }
      #expect(await session.world.anchors.first?.transform.translation == [1, 2, 5])
      #expect(try await browser.post("/undo", "{}").hasPrefix("HTTP/1.1 200"))
      #expect(await session.world.anchors.first?.transform.translation == [1, 2, 3])
      for body in [#""place":[1,2],"isEnd":true"#, #""place":[1,2,"a"],"isEnd":true"#] {
        #expect(try await browser.post("/drag", #"{"anchor":"\#(lamp)",\#(body)}"#).hasPrefix("HTTP/1.1 400"))
      }
      let unknown = #"{"anchor":"\#(AnchorID())","place":[1,2,3],"isEnd":true}"#
      #expect(try await browser.post("/drag", unknown).hasPrefix("HTTP/1.1 409"))
    }
  }

  @Test("a room whose passcode was typed is invited at each of its addresses until somebody answers")
  func everyAddress() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "worldview-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = Session.Configuration()
    configuration.discovery.mode = .none
    configuration.invitations.incoming = .all
    let host = try PeerIdentity.loadOrCreate(named: "hana", in: folder.path())
    try await Session.withSession(as: host, configuration: configuration) { other in
      // Nobody listens on the first: the port was free a moment ago.
      let silent = try await HTTPServer(host: "127.0.0.1", port: 0).port
      let places = [silent, other.port].map { InvitationTarget.address(PeerAddress(host: "127.0.0.1", port: $0)) }
      try await Self.runUnopened(Viewer.Entry(room: places)) { session, viewer in
        let browser = try await Browser(opening: viewer.address)
        try await Self.wait(browser, for: #""name":"hana","state":"connected""#)
        try await Self.wait(browser, for: #""problem":null"#)
      }
    }
  }

  @Test("an address that is no address is refused, with the form of one")
  func badAddress() async throws {
    try await Self.run { _, browser in
      let answer = try await browser.post("/invite", #"{"text":"nowhere"}"#)
      #expect(answer.hasPrefix("HTTP/1.1 400") && answer.contains("HOST:PORT"))
    }
  }

  @Test("edits of the page are taken back and made again")
  func undo() async throws {
    try await Self.run { session, browser in
      try await session.share(SceneTests.walls)
      #expect(try await browser.post("/undo", "{}").hasPrefix("HTTP/1.1 409"))
      let tap = #""x":0.5,"y":0.5,"eye":[0,0,5],"target":[0,0,0],"focalLength":1,"aspectRatio":1.5"#
      #expect(try await browser.post("/tap", "{\(tap),\"name\":\"lamp\"}").hasPrefix("HTTP/1.1 200"))
      #expect(try await browser.get("/state").contains(#""canUndo":true,"canRedo":false"#))
      #expect(try await browser.post("/undo", "{}").hasPrefix("HTTP/1.1 200"))
      #expect(await session.world.anchors.isEmpty)
      #expect(try await browser.post("/redo", "{}").hasPrefix("HTTP/1.1 200"))
      let lamp = try #require(await session.world.anchors.first)
      #expect(lamp.name == "lamp")
      #expect(try await browser.post("/remove", #"{"anchor":"\#(lamp.id)"}"#).hasPrefix("HTTP/1.1 200"))
      #expect(try await browser.post("/undo", "{}").hasPrefix("HTTP/1.1 200"))
      #expect(await session.world.anchors.map(\.name) == ["lamp"])
    }
  }

  @Test("a file is read from a browser with the key alone, shown and not sent while nobody is there")
  func load() async throws {
    try await Self.runUnopened { session, viewer in
      let stranger = Browser(port: viewer.port, key: nil)
      let text = (0..<9000).map { "\($0 % 90) \($0 / 90) 1\n" }.joined()
      #expect(try await stranger.upload("/load", text, type: "xyz").hasPrefix("HTTP/1.1 413"))
      let browser = try await Browser(opening: viewer.address)
      #expect(try await browser.upload("/load", text, type: "xyz").hasPrefix("HTTP/1.1 200"))
      let state = try await browser.get("/state")
      #expect(state.contains(#""points":9000,"isShared":false"#))
      #expect(await session.state.mapID == nil)
      #expect(try await browser.post("/send-map", "{}").hasPrefix("HTTP/1.1 409"))
      #expect(try await browser.upload("/load", "words", type: "").hasPrefix("HTTP/1.1 409"))
      #expect(try await browser.get("/map").contains("HTTP/1.1 200"))
    }
  }

  @Test("leaving by the page ends the session")
  func leave() async throws {
    try await Self.run { session, browser in
      let answer = try await browser.post("/leave", "{}")
      #expect(answer.hasPrefix("HTTP/1.1 200"))
      // The session's end.
      await #expect(throws: SessionError.self) { try await session.place(Anchor(name: "too late")) }
    }
  }

  @Test("pages are told of what other peers do, and of each anchor once")
  func events() async throws {
    try await Self.run { session, browser in
      let connection = try browser.connect(browser.request("/events"))
      #expect(try await connection.text(until: #""changed":[]"#).contains("data: {"))
      try await session.place(Anchor(name: "from elsewhere"))
      let news = try await connection.text(until: "from elsewhere")
      #expect(news.contains(#""isWhole":false"#) && !news.contains(#""anchors":["#))
    }
  }

  @Test("pages are told of each line, and of each anchor of an unsent map, once")
  func longLists() async throws {
    try await Self.run { _, browser in
      var map = SceneTests.walls
      map.anchors = [Anchor(name: "of the file")]
      #expect(try await browser.upload("/load", map.encoded(.kept), type: "worldmap").hasPrefix("HTTP/1.1 200"))
      #expect(try await browser.post("/say", #"{"text":"one"}"#).hasPrefix("HTTP/1.1 200"))
      let connection = try browser.connect(browser.request("/events"))
      #expect(try await connection.text(until: #""text":"one""#).contains("of the file"))
      #expect(try await browser.post("/say", #"{"text":"two"}"#).hasPrefix("HTTP/1.1 200"))
      let news = try await connection.text(until: #""text":"two""#)
      #expect(!news.contains(#""text":"one""#) && !news.contains("of the file"))
      // Another page knows nothing yet.
      let state = try await browser.get("/state")
      #expect(state.contains(#""text":"one""#) && state.contains("of the file"))
    }
  }

  @Test("how a map is shown is told by the peer that has shared it, and kept by nobody else")
  func toldViews() async throws {
    let survey = (0..<9000).map { "\(692_000 + $0 % 90) \(5_335_000 + $0 / 90) 1\n" }.joined()
    try await Self.runUnopened { session, viewer in
      try await viewer.share(MapInput(Array(survey.utf8), fileExtension: "xyz", of: "the survey"))
      let here = try await Browser(opening: viewer.address)
      try await Self.wait(here, for: #""origin":[692000.0,5335000.0,0.0]"#)
      try await Self.runUnopened(options: ["--accept", "all"]) { other, second in
        let there = try await Browser(opening: second.address)
        _ = try await session.peers.invite(.address(PeerAddress(host: "127.0.0.1", port: other.port)))
        try await Self.wait(there, for: #""origin":[692000.0,5335000.0,0.0]"#)
        #expect(try await here.post("/up", #"{"axis":"-x"}"#).hasPrefix("HTTP/1.1 200"))
        try await Self.wait(there, for: #""up":"-x""#)
        // The choice of its own user comes first.
        #expect(try await there.post("/up", #"{"axis":"z"}"#).hasPrefix("HTTP/1.1 200"))
        try await Self.wait(there, for: #""up":"z""#)
        #expect(try await here.get("/state").contains(#""up":"-x""#))
      }
    }
  }

  @Test("a stream of events begins with what the server alone says, and has a beat while nothing happens")
  func proof() async throws {
    try await Self.runUnopened { _, viewer in
      let stranger = Browser(port: viewer.port, key: nil)
      let token = String(viewer.address.suffix(32))
      let opened = try await stranger.open(token)
      let proof = try #require(opened.firstMatch(of: /"proof":"([0-9a-f]{32})"/)).output.1
      let browser = Browser(port: viewer.port, key: Browser.key(in: opened))
      #expect(browser.key.map { $0 != proof } == true)
      let connection = try browser.connect(browser.request("/events"))
      let stream = try await connection.text(until: "\n:\n\n")
      let events = stream.components(separatedBy: "data: ").dropFirst()
      #expect(events.first?.hasPrefix(#"{"proof":"\#(proof)"}"#) == true)
      // The beat is one of a second; a busy machine comes to it late.
      for _ in 0..<2 { _ = try await connection.text(until: ":\n\n") }
    }
  }

  @Test(
    "who did not open the printed address gets nothing but the page's own files", arguments: [nil, "", "0", "token"])
  func strangers(key: String?) async throws {
    try await Self.runUnopened { session, viewer in
      // The token is no key.
      let stranger = Browser(port: viewer.port, key: key == "token" ? String(viewer.address.suffix(32)) : key)
      let lamp = try await session.place(Anchor(name: "lamp"))
      for path in ["/state", "/points", "/events", "/nothing"] {
        let answer = try await stranger.get(path)
        #expect(answer.hasPrefix("HTTP/1.1 403") && !answer.contains("lamp"))
      }
      let answer = try await stranger.post("/remove", #"{"anchor":"\#(lamp)"}"#)
      #expect(answer.hasPrefix("HTTP/1.1 403"))
      #expect(await session.world.anchors.count == 1)
      let page = try await stranger.get("/")
      #expect(page.hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test("an address opens the page once, and the next one is another")
  func once() async throws {
    try await Self.runUnopened { _, viewer in
      let first = viewer.address
      let browser = try await Browser(opening: first)
      #expect(try await browser.get("/state").hasPrefix("HTTP/1.1 200"))
      #expect(viewer.address != first)
      let late = try await Browser(opening: first)
      #expect(late.key == nil)
      #expect(try await late.open("").hasPrefix("HTTP/1.1 403"))
      let second = try await Browser(opening: viewer.address)
      #expect(try await second.get("/state").hasPrefix("HTTP/1.1 200"))
      #expect(try await browser.get("/state").hasPrefix("HTTP/1.1 200"))
    }
  }
}
