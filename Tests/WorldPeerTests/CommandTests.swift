import PeerCLI
import SharedWorld
import Testing

@testable import worldpeer

@Suite("Commands")
struct CommandTests {
  @Test(
    "every command of the contract is read",
    arguments: [
      ("peers", .peers), ("host", .host), ("invite bob", .invite("bob")), ("nearby", .nearby), ("link", .link),
      ("qr", .qr),
      ("invite sharedworld://192.0.2.7:4711/sharedworld#00", .invite("sharedworld://192.0.2.7:4711/sharedworld#00")),
      ("accept bob", .accept("bob")), ("decline bob", .decline("bob")), ("confirm bob", .confirm("bob")),
      ("reject bob", .reject("bob")),
      ("kick bob", .kick("bob")), ("send hello", .send("hello")), ("send bob 'a b'", .send("a b", to: .peer("bob"))),
      ("send --critical hello", .send("hello", mode: .critical)),
      ("send --unreliable bob hello", .send("hello", to: .peer("bob"), mode: .unreliable(key: ""))),
      ("send --group red --critical hello", .send("hello", to: .group("red"), mode: .critical)),
      ("send bob well  'a  b' then", .send("well a  b then", to: .peer("bob"))),
      ("send --group red come here", .send("come here", to: .group("red"))),
      ("send --other", .send("--other")), ("group", .group(.list)), ("group join red", .group(.join("red"))),
      ("group leave 'a b'", .group(.leave("a b"))),
      ("lock-session", .lockSession),
      ("unlock-session", .unlockSession), ("links", .links), ("send-map", .sendMap(to: nil, isForced: false)),
      ("send-map bob", .sendMap(to: "bob", isForced: false)), ("send-map --force", .sendMap(to: nil, isForced: true)),
      ("send-map bob --force", .sendMap(to: "bob", isForced: true)), ("cancel-map", .cancelMap),
      ("dial 192.0.2.1:4000", .invite("192.0.2.1:4000")),
      ("send-file a.bin", .file(.send("a.bin", to: nil))), ("send-file 'a b' bob", .file(.send("a b", to: "bob"))),
      ("accept-file 00ff b.bin", .file(.accept("00ff", to: "b.bin"))), ("decline-file 00ff", .file(.decline("00ff"))),
      ("cancel-file 00ff", .file(.cancel("00ff"))), ("relocalized", .relocalized(true)),
      ("relocalized no", .relocalized(false)), ("relocalize a.ply", .relocalize("a.ply")), ("alignment", .alignment),
      ("keep-aligned a.ply", .relocalize("a.ply", onlyIfMoved: true)),
      ("send-stream log a.txt bob", .file(.sendStream("log", from: "a.txt", to: "bob"))),
      ("accept-stream log b.txt", .file(.acceptStream("log", into: "b.txt"))),
      ("touch 'a corner' 1 2 -3", .touch(name: "a corner", at: [1, 2, -3])),
      ("load a.worldmap", .load("a.worldmap")), ("save a.worldmap", .save("a.worldmap")),
      ("tap 0.5 1", .tap(x: 0.5, y: 1, name: nil)), ("tap 0 .25 'big lamp'", .tap(x: 0, y: 0.25, name: "big lamp")),
      ("camera 1 2 3 4 5 6", .camera(eye: [1, 2, 3], target: [4, 5, 6])),
      ("place lamp 1 -2 3e-1", .place(name: "lamp", at: [1, -2, 0.3], .local)),
      ("burst 10 2.5", .burst(count: 10, rate: 2.5, name: "burst")),
      ("burst 1 50 'a b'", .burst(count: 1, rate: 50, name: "a b")),
      ("move lamp 1 2 3", .move(anchor: "lamp", to: [1, 2, 3], .local)),
      ("rename lamp \"the \\\"lamp\\\"\"", .rename(anchor: "lamp", to: "the \"lamp\"")),
      ("plane table 2 0.5", .plane(anchor: "table", extent: [2, 0.5])),
      ("remove lamp", .remove(anchor: "lamp", .local)), ("remove lamp all", .remove(anchor: "lamp", .all)),
      ("place lamp 1 2 3 host", .place(name: "lamp", at: [1, 2, 3], .host)),
      ("drag lamp 1 2 3 0.5", .drag(anchor: "lamp", to: [1, 2, 3], seconds: 0.5)),
      ("pose 1 2 3", .pose([1, 2, 3], heading: 0)), ("pose none", .pose(nil, heading: 0)),
      ("pose 1 2 3 -90", .pose([1, 2, 3], heading: -90)), ("align bob", .align("bob")),
      ("meet bob", .meet("bob", isTouching: false)), ("meet bob touching", .meet("bob", isTouching: true)),
      ("lock lamp 60", .lock(anchor: "lamp", seconds: 60)), ("lock lamp", .lock(anchor: "lamp", seconds: nil)),
      ("undo", .undo), ("redo", .redo),
      ("unlock lamp", .unlock(anchor: "lamp")), ("give lamp bob", .give(anchor: "lamp", to: "bob")),
      ("anchors", .anchors), ("digest", .digest), ("status", .status),
      ("wait peers 2", .wait(.peers(.atLeast(2)), seconds: 30)), ("wait map 5", .wait(.map, seconds: 5)),
      ("wait host", .wait(.host, seconds: 30)),
      ("wait anchor 'big lamp' 2", .wait(.anchor(named: "big lamp"), seconds: 2)),
      ("wait anchors =3 0.5", .wait(.anchors(.exactly(3)), seconds: 0.5)),
      ("wait anchors <=3", .wait(.anchors(.atMost(3)), seconds: 30)),
      ("wait digest ABcd09", .wait(.digest("abcd09"), seconds: 30)), ("sleep 1.5", .sleep(seconds: 1.5)),
      ("leave", .leave), ("quit", .quit), ("help", .help(nil)), ("help drag", .help("drag")),
      ("show", .show(columns: nil)), ("show 60", .show(columns: 60)), ("  peers\t# who", .peers),
    ] as [(String, Command)])
  func read(line: String, command: Command) throws {
    #expect(try Command(line: line) == command)
  }

  @Test("an empty line and a comment are nothing", arguments: ["", "   ", "# peers"])
  func nothing(line: String) throws {
    #expect(try Command(line: line) == nil)
  }

  private static let sendUsage = "send [--critical|--unreliable] [--group NAME] [PEER] TEXT"
  private static let waitUsage = "wait peers N|host|map|anchors N|anchor NAME|digest HEX [SECONDS]"

  @Test(
    "a mistake is named, with the form of the command",
    arguments: [
      ("invite", "missing PEER (usage: invite PEER)"), ("peers all", "unexpected argument 'all' (usage: peers)"),
      ("piers", "unknown command 'piers'; did you mean 'peers'?"),
      ("xyzzy!", "unknown command 'xyzzy!'; type 'help' for a list"),
      ("tap 0.5 1.5", "Y: 1.5 is not from 0 to 1 (usage: tap X Y [NAME])"),
      ("tap nan 0", "X: 'nan' is not a number (usage: tap X Y [NAME])"),
      ("place lamp 1 2", "missing Z (usage: place NAME X Y Z [local|host|all])"),
      ("move lamp 1 inf 3", "Y: 'inf' is not a number (usage: move ANCHOR X Y Z [local|host|all])"),
      ("sleep -1", "'-1' is not a number of seconds from 0 to 86400 (usage: sleep SECONDS)"),
      ("burst 0 1", "'0' is not a number of anchors from 1 to 65536 (usage: burst N RATE [NAME])"),
      ("burst 1 0", "'0' is not a rate from 0.1 to 10000 a second (usage: burst N RATE [NAME])"),
      ("send", "missing TEXT (usage: \(sendUsage))"), ("send --critical", "missing TEXT (usage: \(sendUsage))"),
      ("kick bob ann", "unexpected argument 'ann' (usage: kick PEER)"),
      ("group jion red", "cannot 'jion' a group; did you mean 'join'? (usage: group [join NAME|leave NAME])"),
      ("rename a 'b", "a quote is not closed: add '"),
      ("relocalized yes", "unexpected argument 'yes' (usage: relocalized [no])"),
      ("wait digest xyz", "'xyz' is not a digest (usage: \(waitUsage))"),
      ("wait peer", "cannot wait for 'peer'; did you mean 'peers'? (usage: \(waitUsage))"),
    ])
  func mistakes(line: String, message: String) {
    #expect(throws: UsageError(message)) { try Command(line: line) }
  }

  @Test("what cannot be waited for is refused", arguments: ["godot", "peers x", "peers >2", "digest xyz", "map soon"])
  func conditions(condition: String) {
    #expect(throws: UsageError.self) { try Command(line: "wait " + condition) }
  }

  @Test("a count is at least, exactly or at most")
  func counts() {
    #expect([1, 2, 3].map(Command.Count.atLeast(2).holds) == [false, true, true])
    #expect([1, 2, 3].map(Command.Count.exactly(2).holds) == [false, true, false])
    #expect([1, 2, 3].map(Command.Count.atMost(2).holds) == [true, true, false])
  }

  @Test(
    "words keep what is quoted",
    arguments: [
      ("a\\ b c", ["a b", "c"]), ("'' \"\"", ["", ""]), ("a#b #c", ["a#b"]), ("'a\\'", ["a\\"]),
      ("\"a' b\"c", ["a' bc"]),
    ])
  func words(line: String, words: [String]) throws {
    #expect(try Words.split(line) == words)
  }
}
