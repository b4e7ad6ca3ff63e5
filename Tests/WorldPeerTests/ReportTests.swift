import PeerCLI
import SharedWorld
import Testing

@testable import worldpeer

@Suite("Reports")
struct ReportTests {
  static let bob = Report.Person(id: String(repeating: "b0", count: 32), name: "bob")
  static let lamp = Report.Pin(id: "1-2", name: "lamp", position: [1, -0.25, 0], author: "b0")

  @Test(
    "the fields that scripts rely on",
    arguments: [
      (
        .ready(bob, port: 4711),
        #""event":"ready","t":1.5,"clock":7.25,"peerID":"\#(bob.id)","name":"bob","port":4711"#
      ),
      (
        .anchorUpdated(
          .init(id: "1", name: "table", position: .zero, author: nil, extent: [2, 0.5]), origin: .remote),
        #""event":"anchor-updated","t":1.5,"clock":7.25,"id":"1","name":"table","position":[0.0,0.0,0.0],"author":null,"extent":[2.0,0.5],"origin":"remote""#
      ),
      (
        .peerJoined(bob, hasInvited: true),
        #""event":"peer-joined","t":1.5,"clock":7.25,"peerID":"\#(bob.id)","name":"bob","reason":"joined""#
      ),
      (
        .peerLeft(bob, reason: "lost"),
        #""event":"peer-left","t":1.5,"clock":7.25,"peerID":"\#(bob.id)","name":"bob","reason":"lost""#
      ),
      (
        .codeEnded(bob, isConfirmed: true),
        #""event":"code-ended","t":1.5,"clock":7.25,"peerID":"\#(bob.id)","name":"bob","confirmed":true"#
      ),
      (
        .hostChanged(host: nil, epoch: 3, reason: "leave", cause: nil),
        #""event":"host-changed","t":1.5,"clock":7.25,"host":null,"name":null,"epoch":3,"reason":"leave""#
      ),
      (
        .mapProgress(from: bob, .init(verified: 1, total: 2, requested: 2, received: 3, perSecond: 4)),
        #""event":"map-progress","t":1.5,"clock":7.25,"from":"\#(bob.id)","name":"bob","verifiedBytes":1,"totalBytes":2,"requestedBytes":2,"receivedBytes":3,"bytesPerSecond":4"#
      ),
      (
        .mapReceived(from: bob, mapID: "aa", points: 5, anchors: 1, bytes: 9),
        #""event":"map-received","t":1.5,"clock":7.25,"from":"\#(bob.id)","name":"bob","mapID":"aa","points":5,"anchors":1,"bytes":9"#
      ),
      (
        .participantMoved(.init(id: "1-2", peer: bob, position: [0, 1, 2], sessionTime: 4, sequence: .max)),
        #""event":"participant-moved","t":1.5,"clock":7.25,"peerID":"\#(bob.id)","name":"bob","id":"1-2","position":[0.0,1.0,2.0],"sessionTime":4,"sequence":9223372036854775807"#
      ),
      (.synchronized(digest: "d1"), #""event":"synchronized","t":1.5,"clock":7.25,"digest":"d1""#),
      (
        .anchorAdded(lamp, origin: .remote),
        #""event":"anchor-added","t":1.5,"clock":7.25,"id":"1-2","name":"lamp","position":[1.0,-0.25,0.0],"author":"b0","origin":"remote""#
      ),
      (
        .answer(command: "peers", .peers([(bob, state: "connected", .neverSeen)])),
        #""event":"answer","t":1.5,"clock":7.25,"command":"peers","peers":[{"peerID":"\#(bob.id)","name":"bob","state":"connected","recognition":"never-seen"}]"#
      ),
      (
        .answer(command: "tap", .placed(id: "1-2", position: [0, 1, 2])),
        #""event":"answer","t":1.5,"clock":7.25,"command":"tap","id":"1-2","position":[0.0,1.0,2.0]"#
      ),
      (
        .answer(command: "burst", .burst([(id: "1-2", clock: 7)])),
        #""event":"answer","t":1.5,"clock":7.25,"command":"burst","placed":[{"id":"1-2","clock":7.0}]"#
      ),
      (
        .answer(
          command: "status",
          .status(
            .init(
              host: bob, epoch: 2, peers: 1, isLocked: true, roster: [bob],
              maps: [.init(peer: bob, stage: "received", percent: 100)], mapID: nil, points: 0, anchors: 3, digest: "d1"
            ))),
        #""event":"answer","t":1.5,"clock":7.25,"command":"status","host":"\#(bob.id)","epoch":2,"peers":1,"locked":true,"mapID":null,"points":0,"anchors":3,"digest":"d1","roster":[{"peerID":"\#(bob.id)","name":"bob"}],"maps":[{"peerID":"\#(bob.id)","name":"bob","stage":"received","percent":100}]"#
      ),
      (
        .answer(
          command: "links",
          .links(
            [.init(peer: bob, roundTrip: 1.5, bytesSent: 2, bytesReceived: 3, queuedBytes: 4)],
            connections: [(bob, bob)])),
        #""event":"answer","t":1.5,"clock":7.25,"command":"links","links":[{"peerID":"\#(bob.id)","name":"bob","roundTrip":1.5,"bytesSent":2,"bytesReceived":3,"queuedBytes":4}],"connections":[["\#(bob.id)","\#(bob.id)"]]"#
      ),
      (
        .message(from: bob, Array("a\u{1b}\"b".utf8)),
        #""event":"message","t":1.5,"clock":7.25,"peerID":"\#(bob.id)","name":"bob","text":"a\u001b\"b","data":null"#
      ),
      (
        .message(from: bob, [0xff, 0]),
        #""event":"message","t":1.5,"clock":7.25,"peerID":"\#(bob.id)","name":"bob","text":null,"data":"ff00""#
      ),
      (
        .message(from: bob, [0x61], key: "k"),
        #""event":"message","t":1.5,"clock":7.25,"peerID":"\#(bob.id)","name":"bob","text":"a","data":null,"key":"k""#
      ),
      (
        .groupsChanged(bob, ["a", "b"]),
        #""event":"groups-changed","t":1.5,"clock":7.25,"peerID":"\#(bob.id)","name":"bob","groups":["a","b"]"#
      ),
      (
        .answer(command: "group", .memberships([(bob, ["a"])])),
        #""event":"answer","t":1.5,"clock":7.25,"command":"group","memberships":[{"peerID":"\#(bob.id)","name":"bob","groups":["a"]}]"#
      ),
      (
        .messagesFailed(to: bob, [3, 4], reason: "lost"),
        #""event":"messages-failed","t":1.5,"clock":7.25,"peerID":"\#(bob.id)","name":"bob","numbers":[3,4],"reason":"lost""#
      ),
      (
        .fileOffered(from: bob, .init(id: "aa", name: "../x", size: 7)),
        #""event":"file-offered","t":1.5,"clock":7.25,"peerID":"\#(bob.id)","name":"bob","resourceID":"aa","file":"../x","bytes":7"#
      ),
      (
        .fileReceived(from: bob, .init(id: "aa", name: "x", size: 7), path: "/tmp/x"),
        #""event":"file-received","t":1.5,"clock":7.25,"peerID":"\#(bob.id)","name":"bob","resourceID":"aa","file":"x","bytes":7,"path":"/tmp/x""#
      ),
      (
        .fileFailed(from: bob, .init(id: "aa", name: "x", size: 7), reason: "withdrawn"),
        #""event":"file-failed","t":1.5,"clock":7.25,"peerID":"\#(bob.id)","name":"bob","resourceID":"aa","file":"x","bytes":7,"reason":"withdrawn""#
      ),
      (
        .attachmentChanged(
          of: bob, .init(id: "aa", name: "x", size: 7), state: "here", path: "/tmp/x", reason: nil),
        #""event":"attachment-changed","t":1.5,"clock":7.25,"peerID":"\#(bob.id)","name":"bob","resourceID":"aa","file":"x","bytes":7,"state":"here","path":"/tmp/x","reason":null"#
      ),
      (
        .answer(command: "attachments", .attachments([(bob, .init(id: "aa", name: "x", size: 7), "listed")])),
        #""event":"answer","t":1.5,"clock":7.25,"command":"attachments","attachments":[{"peerID":"\#(bob.id)","name":"bob","resourceID":"aa","file":"x","bytes":7,"state":"listed"}]"#
      ),
      (
        .fileSettled(at: bob, "aa", reason: nil),
        #""event":"file-settled","t":1.5,"clock":7.25,"peerID":"\#(bob.id)","name":"bob","resourceID":"aa","reason":null"#
      ),
      (
        .answer(command: "send", .sent(5)),
        #""event":"answer","t":1.5,"clock":7.25,"command":"send","number":5"#
      ),
      (
        .error(code: "no-hit", message: "x", command: "tap"),
        #""event":"error","t":1.5,"clock":7.25,"code":"no-hit","message":"x","command":"tap""#
      ),
    ] as [(Report, String)])
  func fields(report: Report, json: String) {
    #expect(report.json(at: 1.5, clock: 7.25).text == "{\(json)}")
  }

  @Test("a line has colour only when asked")
  func color() {
    let line = Report.peerJoined(Self.bob, hasInvited: false).lines[0]
    #expect(line.text(color: false) == "→ bob joined")
    #expect(line.text(color: true) == "\u{1b}[32m→\u{1b}[0m \u{1b}[1mbob\u{1b}[0m joined")
  }

  @Test("people read who came on their own, and that a name has a new device is said once")
  func joins() {
    let lines = [true, false].map { Report.peerJoined(Self.bob, hasInvited: $0).lines.map { $0.text(color: false) } }
    #expect(lines == [["→ bob joined, having invited you"], ["→ bob joined"]])
    let told = [true, false].map { Report.newDevice(Self.bob, known: "ab", isTold: $0) }
    #expect(told.map(\.lines.isEmpty) == [true, false])
    // Scripts hear of it nevertheless.
    #expect(told[0].json(at: 1, clock: 1).text == told[1].json(at: 1, clock: 1).text)
  }

  @Test("a message cannot steer the terminal that shows it")
  func messages() {
    #expect(
      Report.message(from: Self.bob, Array("a\u{1b}[2J".utf8)).lines[0].text(color: false) == "✉ bob: a\u{fffd}[2J")
    #expect(
      Report.message(from: Self.bob, [0xff]).lines[0].text(color: false) == "✉ bob: 1 bytes that are not text")
  }

  @Test("people see of a map what they asked for")
  func maps() {
    let stage = Report.MapStage(peer: Self.bob, stage: "received", percent: 100)
    #expect(Report.mapStatus(stage, mapID: "aa", isOurs: false).lines.isEmpty)
    let sent = Report.mapStatus(stage, mapID: "aa", isOurs: true)
    #expect(sent.lines.map { $0.text(color: false) } == ["▦ bob has the map"])
    let claim = Report.mapStatus(
      Report.MapStage(peer: Self.bob, stage: "claimed", percent: 100), mapID: "aa", isOurs: false)
    #expect(claim.lines.map { $0.text(color: false) } == ["▦ bob says that it knows its place in the map"])
    let transfer = Report.Transfer(verified: 50_000, total: 100_000, requested: 0, received: 0, perSecond: 0)
    let text = Report.mapProgress(from: Self.bob, transfer).lines[0].text(color: false)
    #expect(text.hasPrefix("map from bob  ━━━━━━━━━━━━━━─") && text.hasSuffix(" 50 %  50.0 kB of 100.0 kB"))
  }

  @Test("people are told why another peer hosts, and nothing of the host at a join")
  func hosts() {
    func text(_ host: Report.Person?, _ cause: String?) -> [String] {
      Report.hostChanged(host: host, epoch: 3, reason: "elected", cause: cause).lines.map { $0.text(color: false) }
    }
    #expect(text(Self.bob, "kitchen left") == ["★ bob hosts now: kitchen left"])
    #expect(text(Self.bob, nil) == [] && text(nil, "kitchen left") == [])
  }

  @Test("anchors of a map are not listed, and a thing that moves has its name, once a second")
  func crowds() {
    #expect(Report.anchorAdded(Self.lamp, origin: .map).lines.isEmpty)
    let (captured, bob) = (CapturedText(), Self.bob)
    let console = Console("worldpeer", .text, streams: captured.streams)
    for number in 0..<5 {
      let place = SIMD3<Float>(Float(number), 0, 0)
      console.say(
        .anchorDragged(.init(id: "1-2", name: "lamp", peer: bob, position: place, sessionTime: 4, sequence: 1)))
      console.say(.anchorDragged(.init(id: "2-2", peer: bob, position: place, sessionTime: 4, sequence: 1)))
    }
    console.say(.dragEnded(anchor: "1-2", named: "lamp", by: bob))
    let lines = captured.output.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("≈ bob drags lamp") } >= 1 && lines.count < 11)
    #expect(lines.contains("≈ bob drags 2-2 (0.000, 0.000, 0.000)") && lines.last == "≈ bob let go of lamp")
  }

  @Test("the anchors of others that come together are counted when they are many, and listed when they are few")
  func arrivals() {
    var news = AnchorNews()
    let ann = Report.Person(id: "a0", name: "ann")
    func add(_ names: [String], of author: Report.Person?) -> [Bool] {
      names.map { name in
        let pin = Report.Pin(id: "1-\(name)", name: name, position: [1, 0, 0], author: author?.id)
        return news.add(.init(pin: pin, author: author, origin: .remote))
      }
    }
    #expect(add(["a", "b", "c", "d"], of: Self.bob) == [true, false, false, false])
    #expect(add(["e"], of: ann) == [false] && add(["f"], of: Self.bob) == [false] && add(["g"], of: nil) == [false])
    let lines = news.take().flatMap(\.lines).map { $0.text(color: false) }
    #expect(
      lines == [
        "+ 5 anchors of bob: a, b, c …", "+ e (1.000, 0.000, 0.000)  1-e  remote",
        "+ g (1.000, 0.000, 0.000)  1-g  remote",
      ])
    #expect(news.take().isEmpty && add(["h", "i", "j", "k"], of: nil).first == true)
    #expect(news.take().flatMap(\.lines).map { $0.text(color: false) } == ["+ 4 anchors: h, i, j …"])
  }

  @Test("the digest of no anchors is not shown to people")
  func digests() {
    func text(_ digest: String) -> [String] {
      Report.synchronized(digest: digest).lines.map { $0.text(color: false) }
    }
    #expect(text(String(repeating: "0", count: 64)) == ["= in step with everybody"])
    #expect(text("985961f2aa") == ["= in step with everybody  985961f2"])
  }

  @Test("positions are in metres, to the millimetre")
  func positions() {
    let text = Report.anchorAdded(Self.lamp, origin: .local).lines[0].text(color: false)
    #expect(text == "+ lamp (1.000, -0.250, 0.000)  1-2  local")
  }
}

@Suite("What a user means")
struct LookupTests {
  static let names = [["lamp", "a1"], ["lamp 2", "a2"], ["door", "b1"], ["twin", "c1"], ["twin", "c2"]]

  @Test(
    "a whole name goes before a beginning, and a beginning must be the only one",
    arguments: [("lamp", 1), ("lamp ", 1), ("d", 1), ("b1", 1), ("c", 2), ("twin", 2), ("a", 2), ("x", 0), ("amp", 0)])
  func find(word: String, count: Int) {
    let found =
      switch Lookup.find(word, in: Self.names, by: { $0 }) {
      case .found: 1
      case .nothing: 0
      case .several(let number): number
      }
    #expect(found == count)
  }
}
