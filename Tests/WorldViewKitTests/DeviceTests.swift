import Basics
import Foundation
import PeerCLI
import SharedWorld
import TestSupport
import Testing
import WorldViewKit

/// Browsers that are members of their own.
@Suite("Devices of the page", .endsHangs)
struct DeviceTests {
  private static let tap = #""x":0.5,"y":0.5,"eye":[0,0,5],"target":[0,0,0],"focalLength":1,"aspectRatio":1.5"#

  /// A peer on the network with which the program's session is joined.
  private static func withPeer(
    of session: Session, _ body: @Sendable (Session) async throws -> Void
  ) async throws {
    try await withStranger { other, join in
      try await join(session)
      try await body(other)
    }
  }

  /// A peer on the network that joins when told to.
  private static func withStranger(
    _ body: @Sendable (Session, @Sendable (Session) async throws -> Void) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "worldview-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = Session.Configuration()
    configuration.discovery.mode = .none
    configuration.invitations.incoming = .all
    let identity = try PeerIdentity.loadOrCreate(named: "lana", in: folder.path())
    try await Session.withSession(as: identity, configuration: configuration) { other in
      try await body(other) { session in
        _ = try await session.peers.invite(.address(PeerAddress(host: "127.0.0.1", port: other.port)))
      }
    }
  }

  private static func isOK(_ answer: String) -> Bool { answer.hasPrefix("HTTP/1.1 200") }

  @Test("each browser edits, and takes back, in its own name")
  func edits() async throws {
    try await ViewerTests.run { session, browser in
      try await session.share(SceneTests.walls)
      let (anna, bert) = (
        try await browser.joining(as: "anna", secret: "a"), try await browser.joining(as: "bert", secret: "b")
      )
      #expect(Self.isOK(try await anna.post("/tap", "{\(Self.tap)}")))
      try await until { await session.world.anchors.map(\.name) == ["anna 1"] }
      let anchor = try #require(await session.world.anchors.first)
      let state = try await anna.get("/state")
      #expect(state.contains(#""me":{"id":"\#(try #require(anchor.creator))","name":"anna"}"#))
      #expect(state.contains(#""canUndo":true"#) && state.contains(#""isDevice":true"#))
      #expect(!state.contains(String(repeating: "a", count: 64)))
      for other in [bert, browser] {
        #expect(try await other.get("/state").contains(#""canUndo":false"#))
        #expect(try await other.post("/undo", "{}").hasPrefix("HTTP/1.1 409"))
      }
      #expect(Self.isOK(try await anna.post("/undo", "{}")))
      try await until { await session.world.anchors.isEmpty }
    }
  }

  @Test("tabs of one browser are one member, and its key is the same when it comes back")
  func tabs() async throws {
    try await ViewerTests.run { session, browser in
      let first = try await browser.joining(as: "anna", secret: "a")
      let second = try await browser.joining(as: "anna", secret: "a")
      #expect(first.device == second.device)
      let peers = await session.state.peers.map(\.peer)
      #expect(peers.map(\.name) == ["anna"])
      #expect(try await browser.post("/device", #"{"secret":"short","name":"x"}"#).hasPrefix("HTTP/1.1 400"))
      #expect(Self.isOK(try await first.post("/leave", "{}")))
      try await until { await session.state.peers.isEmpty }
      #expect(try await second.get("/state").hasPrefix("HTTP/1.1 410"))
      #expect(Self.isOK(try await browser.get("/state")))
      let again = try await browser.joining(as: "anna", secret: "a")
      #expect(again.device != first.device)
      #expect(await session.state.peers.map(\.peer) == peers)
    }
  }

  @Test("peers on the network see the member and where it looks from, by the program's link")
  func presence() async throws {
    try await ViewerTests.run { session, browser in
      try await Self.withPeer(of: session) { other in
        let anna = try await browser.joining(as: "anna", secret: "a")
        try await until {
          await other.state.peers.filter { $0.state == .connected }.map(\.peer.name).sorted() == ["anna", "vera"]
        }
        let status = try #require(await other.state.peers.first { $0.peer.name == "anna" })
        #expect(status.state == .connected && !status.isDirect)
        #expect(Self.isOK(try await anna.post("/pose", #"{"pose":[1,0,0,0,0,1,0,0,0,0,1,0,3,2,1,1]}"#)))
        try await until { await other.world.participants.first?.transform.translation == [3, 2, 1] }
        #expect(await other.world.participants.first?.name == "anna")
        // The other pages of the program see it too, and its own pages do not.
        try await until { try await browser.get("/state").contains(#""name":"anna","transform":[1.0,0.0"#) }
        #expect(try await anna.get("/state").contains(#""devices":[]"#))
        #expect(try await anna.post("/pose", #"{"pose":[1,2]}"#).hasPrefix("HTTP/1.1 400"))
        #expect(try await browser.post("/pose", #"{"pose":null}"#).hasPrefix("HTTP/1.1 409"))
        #expect(Self.isOK(try await anna.post("/pose", #"{"pose":null}"#)))
        try await until { await other.world.participants.isEmpty }
        // What it places reaches everybody.
        try await other.place(Anchor(name: "far"))
        try await until { try await anna.get("/state").contains(#""name":"far""#) }
      }
    }
  }

  @Test("where a page points is seen by all others, and no more once its pointer or the page is gone")
  func pointers() async throws {
    try await ViewerTests.run { session, browser in
      let (anna, bert) = (
        try await browser.joining(as: "anna", secret: "a"), try await browser.joining(as: "bert", secret: "b")
      )
      let shown = { (browser: Browser, name: String) in
        try await browser.get("/state").contains(#","name":"\#(name)","transform":[1.0,0.0"#)
      }
      #expect(Self.isOK(try await anna.post("/point", #"{"place":[3,2,1]}"#)))
      for other in [bert, browser] { try await until { try await shown(other, "anna") } }
      #expect(try await !shown(anna, "anna"))
      #expect(Self.isOK(try await browser.post("/point", #"{"place":[1,1,1]}"#)))
      for other in [anna, bert] { try await until { try await shown(other, "vera") } }
      #expect(try await !shown(browser, "vera"))
      #expect(Self.isOK(try await anna.post("/point", #"{"place":null}"#)))
      try await until { try await !shown(bert, "anna") }
      // A page that is closed says nothing.
      let stream = try bert.connect(bert.request("/events"))
      _ = try await stream.text(until: "vera")
      #expect(Self.isOK(try await bert.post("/point", #"{"place":[3,2,1]}"#)))
      try await until { try await shown(browser, "bert") }
      stream.end()
      try await until { try await !shown(browser, "bert") }
      #expect(try await anna.post("/point", #"{"place":[3,2]}"#).hasPrefix("HTTP/1.1 400"))
    }
  }

  @Test("a peer that joins later is shown where those point who hold still")
  func latecomers() async throws {
    try await ViewerTests.run { session, browser in
      let anna = try await browser.joining(as: "anna", secret: "a")
      #expect(Self.isOK(try await anna.post("/point", #"{"place":[3,2,1]}"#)))
      #expect(Self.isOK(try await browser.post("/point", #"{"place":[1,1,1]}"#)))
      try await Self.withStranger { other, join in
        let pointings = other.messages.of(Pointing.self, at: "worldview/pointer")
        try await join(session)
        var places: Set<SIMD3<Float>> = []
        for await pointing in pointings {
          places.insert(try #require(pointing.transform).translation)
          if places.count == 2 { break }
        }
        #expect(places == [[3, 2, 1], [1, 1, 1]])
      }
    }
  }

  /// What pages send, of which the placement alone matters.
  private struct Pointing: Codable, Sendable {}

  @Test("the first page on this machine is the program's window, and no other one")
  func window() async throws {
    try await ViewerTests.runUnopened { _, viewer in
      let browser = Browser(port: viewer.port, key: nil)
      for isWindow in [true, false] {
        let answer = try await browser.open(String(viewer.address.suffix(32)))
        #expect(answer.contains(#""isWindow":\#(isWindow)"#))
      }
    }
  }

  @Test("the key of the page alone makes nobody another browser")
  func tokens() async throws {
    try await ViewerTests.run { session, browser in
      _ = try await browser.joining(as: "anna", secret: "a")
      let id = try #require(await session.state.peers.first?.id)
      for token in ["\(id)", String(repeating: "0", count: 32), ""] {
        var impostor = browser
        impostor.device = token
        // Which a page answers by becoming a member again, with the secret that it has and others have not.
        #expect(try await impostor.post("/undo", "{}").hasPrefix("HTTP/1.1 401"))
      }
    }
  }

  @Test("an address for looking opens a page that changes nothing, of a guest where the session has an owner")
  func looking() async throws {
    try await ViewerTests.runUnopened(options: ["--http", "0.0.0.0:0"], configure: { $0.hosting.authority = .creator })
    {
      session, viewer in
      try await session.share(SceneTests.walls)
      let browser = try await Browser(opening: viewer.address.replacing(/\/\/[^:]+/, with: "//127.0.0.1"))
      let address = try #require(try await browser.get("/address-for-looking").firstMatch(of: /"link":"([^"]+)"/))
        .output.1
      let looker = try await Browser(opening: String(address).replacing("\\/", with: "/"))
      let guest = try await looker.joining(as: "gus", secret: "g")
      #expect(try await guest.get("/state").contains(#""isLooking":true"#))
      let id = try #require(await session.state.peers.first?.id)
      try await until { await session.peers.role(of: id) == .guest }
      for path in ["/tap", "/undo", "/kick", "/load", "/send-map", "/leave"] {
        #expect(try await looker.post(path, "{\(Self.tap)}").hasPrefix("HTTP/1.1 403"), "\(path)")
      }
      #expect(try await guest.post("/tap", "{\(Self.tap)}").hasPrefix("HTTP/1.1 403"))
      #expect(try await looker.get("/link").hasPrefix("HTTP/1.1 403"))
      #expect(Self.isOK(try await guest.post("/leave", "{}")))
    }
  }

  @Test("a browser that is removed is out, and stays out")
  func removed() async throws {
    try await ViewerTests.run { session, browser in
      let anna = try await browser.joining(as: "anna", secret: "a")
      let id = try #require(await session.state.peers.first?.id)
      try await until { await session.state.host?.id == session.localPeer.id }
      #expect(Self.isOK(try await browser.post("/kick", #"{"peer":"\#(id)"}"#)))
      try await until { try await anna.get("/state").hasPrefix("HTTP/1.1 410") }
      let body = #"{"secret":"\#(String(repeating: "a", count: 64))","name":"anna"}"#
      #expect(try await browser.post("/device", body).hasPrefix("HTTP/1.1 403"))
    }
  }

  // MARK: The room in its place

  /// Sixteen numbers as the page sends them.
  private static func text(_ transform: Transform) -> String {
    let columns = transform.columns
    return "\([columns.0, columns.1, columns.2, columns.3].flatMap { column in (0..<4).map { column[$0] } })"
  }

  private static func placing(_ anchor: AnchorID, _ transform: Transform) -> String {
    #"{"anchor":"\#(anchor)","name":"","transform":\#(text(transform))}"#
  }

  /// The frame of the page's state.
  private static func frame(of browser: Browser) async throws -> Frame {
    let body = try await browser.get("/state").components(separatedBy: "\r\n\r\n").last ?? ""
    return try JSONDecoder().decode(Shown.self, from: Data(body.utf8)).frame
  }

  private struct Shown: Decodable { let frame: Frame }

  private struct Frame: Decodable {
    let state: String
    let unaligned: Int
    let map: [Float]?
  }

  /// A device's world: turned about y, and elsewhere.
  private static func world(_ dice: inout SeededRandom) -> Transform {
    let yaw = Float.random(in: -3...3, using: &dice)
    var world = Transform(
      columns: ([cos(yaw), 0, -sin(yaw), 0], [0, 1, 0, 0], [sin(yaw), 0, cos(yaw), 0], [0, 0, 0, 1]))
    world.translation = SIMD3((0..<3).map { _ in Float.random(in: -5...5, using: &dice) })
    return world
  }

  /// A point as it is touched, with the noise of a device (metres).
  private static func touched(_ point: SIMD3<Float>, _ dice: inout SeededRandom) -> SIMD3<Float> {
    point + SIMD3((0..<3).map { _ in Float.random(in: -0.005...0.005, using: &dice) })
  }

  @Test("two corners line worlds of other origins up with the map, to 2 cm and 1 degree")
  func corners() async throws {
    try await ViewerTests.run { session, browser in
      let phone = try await browser.joining(as: "phone", secret: "p")
      let corners: [SIMD3<Float>] = [[0, 0, 0], [2.5, 0.7, 1]]
      var dice = SeededRandom(seed: 40)
      var (places, turns): ([Float], [Float]) = ([], [])
      for _ in 0..<(Tier.isCheck ? 200 : 40) {
        let world = Self.world(&dice)
        #expect(Self.isOK(try await phone.post("/frame", #"{"isOwn":true}"#)))
        for (index, corner) in corners.enumerated() {
          _ = try await session.frames.touch("corner \(index)", at: Self.touched(corner, &dice))
          let seen = Self.touched(world.act(on: corner), &dice)
          let body = #"{"name":"corner \#(index)","position":[\#(seen.x),\#(seen.y),\#(seen.z)]}"#
          #expect(Self.isOK(try await phone.post("/touch", body)))
        }
        var found: [Float]?
        // The last touch of either may still be on its way.
        try await until {
          found = try await Self.frame(of: phone).map
          guard let found else { return false }
          return abs(found[12] - world.translation.x) < 0.2
        }
        let map = try #require(found)
        let middle: SIMD3<Float> = [1.25, 0.35, 0.5]
        let moved = SIMD3(map[0..<3]) * middle.x + SIMD3(map[4..<7]) * middle.y + SIMD3(map[8..<11]) * middle.z
        let off = moved + SIMD3(map[12..<15]) - world.act(on: middle)
        places.append((off * off).sum().squareRoot())
        let turned = map[0] * world.columns.0.x + map[2] * world.columns.0.z
        turns.append(acos(min(1, turned)) * 180 / .pi)
      }
      #expect(places.sorted()[places.count * 95 / 100] <= 0.02)
      #expect(turns.sorted()[turns.count * 95 / 100] <= 1)
    }
  }

  @Test("what a device places in its own world is at the right place for all, once, and follows its corrections")
  func placing() async throws {
    try await ViewerTests.run { session, browser in
      let phone = try await browser.joining(as: "phone", secret: "p")
      let far = try await session.place(Anchor(name: "far", transform: Transform(translation: [1, 0, 1])))
      #expect(Self.isOK(try await phone.post("/frame", #"{"isOwn":true}"#)))
      try await until { try await Self.frame(of: phone).unaligned == 1 }
      #expect(try await Self.frame(of: phone).state != "aligned")
      // The device began two metres to the left.
      for (name, corner) in [("a", SIMD3<Float>(0, 0, 0)), ("b", SIMD3<Float>(2, 0, 1))] {
        _ = try await session.frames.touch(name, at: corner)
        let body = #"{"name":"\#(name)","position":[\#(corner.x + 2),\#(corner.y),\#(corner.z)]}"#
        #expect(Self.isOK(try await phone.post("/touch", body)))
      }
      try await until { try await Self.frame(of: phone).state == "aligned" }
      #expect(try await Self.frame(of: phone).unaligned == 0)
      #expect(try await phone.get("/state").contains(#""id":"\#(far)","name":"far","transform":["#))
      let id = AnchorID()
      let place = Transform(translation: [5, 1, 0])
      for _ in 0..<2 {
        #expect(Self.isOK(try await phone.post("/place", Self.placing(id, place))))
      }
      let placed = { await session.world.anchors.filter { $0.name == "phone 1" } }
      try await until { await placed().count == 1 }
      var translation = try #require(await placed().first).transform.translation
      #expect(abs(translation.x - 3) < 0.01 && abs(translation.y - 1) < 0.01 && abs(translation.z) < 0.01)
      let other = Self.text(Transform(translation: [5.05, 1, 0]))
      #expect(Self.isOK(try await phone.post("/follow", #"{"anchor":"\#(id)","name":"","transform":\#(other)}"#)))
      try await until {
        translation = await placed().first?.transform.translation ?? .zero
        return abs(translation.x - 3.05) < 0.01
      }
      for body in [#""transform":[1]"#, #""transform":\#(Self.text(place))"#] {
        #expect(!Self.isOK(try await phone.post("/place", #"{"anchor":"no","name":"",\#(body)}"#)))
      }
      #expect(Self.isOK(try await phone.post("/frame", #"{"isOwn":false}"#)))
      try await until { try await phone.get("/state").contains(#""name":"far","transform":[1.0,0.0"#) }
    }
  }

  @Test("what could not be placed is placed when it is asked for again")
  func placedLater() async throws {
    try await ViewerTests.run { session, browser in
      let phone = try await browser.joining(as: "phone", secret: "p")
      let id = AnchorID()
      // A scale makes it no place.
      let bad = Transform(columns: ([2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1]))
      #expect(!Self.isOK(try await phone.post("/place", Self.placing(id, bad))))
      #expect(Self.isOK(try await phone.post("/place", Self.placing(id, .identity))))
      try await until { await session.world.anchors.map(\.id) == [id] }
    }
  }

  @Test("a corner that the desk marks is where the map is hit")
  func markedCorner() async throws {
    try await ViewerTests.run { session, browser in
      try await session.share(SceneTests.walls)
      #expect(Self.isOK(try await browser.post("/tap", #"{\#(Self.tap),"corner":"corner 1"}"#)))
      let corner = try #require(await session.world.anchors.first)
      #expect(corner.name == "touch/corner 1" && abs(corner.transform.translation.z - 1) < 0.01)
    }
  }
}
