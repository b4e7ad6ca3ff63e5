import Foundation
import Glibc
import Testing

@testable import PeerProtocol
@testable import SharedWorld

@Suite("The file of known peers")
struct PinStoreTests {
  private static func id(_ number: UInt8) -> PeerID { PeerID(SHA256Digest(hashing: [number])) }

  private static func withStore(_ body: (PinStore) throws -> Void) async throws {
    try await TestSessions.withFolder { folder in try body(PinStore(path: folder.path() + "/known-peers")) }
  }

  @Test("keeps what was added, in order and readable by its owner alone, until it is removed")
  func keeps() async throws {
    try await Self.withStore { store in
      #expect(try store.pins().isEmpty)
      #expect(try store.add(Self.id(1), name: "kitchen table"))
      #expect(try store.add(Self.id(2), name: ""))
      // A recorded peer keeps the name it had.
      #expect(try !store.add(Self.id(1), name: "other"))
      #expect(try store.pins().map(\.id) == [Self.id(1), Self.id(2)])
      #expect(try store.pins().map(\.name) == ["kitchen table", ""])
      #expect(try store.pins()[0].day.description.wholeMatch(of: /20[0-9]{2}-[01][0-9]-[0-3][0-9]/) != nil)
      let attributes = try FileManager.default.attributesOfItem(atPath: store.path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      #expect(try store.remove(Self.id(1)) && !store.remove(Self.id(1)))
      #expect(try store.pins().map(\.id) == [Self.id(2)])
    }
  }

  @Test("that others may write is refused, with the command that mends it", arguments: [0o620, 0o602])
  func writable(mode: Int) async throws {
    try await Self.withStore { store in
      #expect(try store.add(Self.id(1), name: "bob"))
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: store.path)
      let error = #expect(throws: SessionError.self) { try store.pins() }
      #expect(error?.code == .insecureFile && error?.message.contains("chmod 600 '\(store.path)'") == true)
      // Its owner may let others read it.
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: store.path)
      #expect(try store.pins().count == 1)
    }
  }

  @Test("of another user is refused", .enabled(if: geteuid() == 0, "only root can give a file away"))
  func owner() async throws {
    try await Self.withStore { store in
      try store.add(Self.id(1), name: "bob")
      #expect(chown(store.path, 65_534, 65_534) == 0)
      let error = #expect(throws: SessionError.self) { try store.pins() }
      #expect(error?.code == .insecureFile)
    }
  }

  @Test("a peer that is added behind a carriage return is there", arguments: ["\r\n", "\r"])
  func carriageReturns(ending: String) async throws {
    try await Self.withStore { store in
      try Data("# edited elsewhere\(ending)".utf8).write(to: URL(filePath: store.path))
      #expect(try store.add(Self.id(1), name: "bob"))
      #expect(try store.pins().map(\.id) == [Self.id(1)])
    }
  }

  @Test("leaves the comments and empty lines of its user where they are")
  func comments() async throws {
    try await Self.withStore { store in
      let old = "# the family\n\n\(Self.id(1)) 2026-01-01 mum\n# friends\n\(Self.id(2)) 2026-01-02 bob"
      try Data(old.utf8).write(to: URL(filePath: store.path))
      try store.add(Self.id(3), name: "eve")
      let added = try String(contentsOfFile: store.path, encoding: .utf8)
      #expect(added.hasPrefix(old + "\n\(Self.id(3)) ") && added.hasSuffix(" eve\n"))
      try store.remove(Self.id(3))
      try store.remove(Self.id(1))
      let left = try String(contentsOfFile: store.path, encoding: .utf8)
      #expect(left == "# the family\n\n# friends\n\(Self.id(2)) 2026-01-02 bob\n")
    }
  }

  @Test("keeps the key by which a device is recognised behind its day, added at once or later")
  func recognitionKeys() async throws {
    let (one, other) = (RecognitionKey(Array(0..<16)), RecognitionKey(Array(16..<32)))
    try await Self.withStore { store in
      try store.add(Self.id(1), name: "mum")
      let results = try [
        store.add(Self.id(2), name: "bob", recognitionKey: one),
        store.add(Self.id(1), name: "x", recognitionKey: other),
        store.add(Self.id(1), name: "y", recognitionKey: other), store.add(Self.id(2), name: "z"),
      ]
      #expect(results == [true, true, false, false])
      #expect(try store.pins().map(\.recognitionKey) == [other, one])
      #expect(try store.pins().map(\.name) == ["mum", "bob"])
      let text = try String(contentsOfFile: store.path, encoding: .utf8)
      #expect(text.contains("+000102030405060708090a0b0c0d0e0f bob\n"))
    }
  }

  @Test("a name cannot add a line or steer a terminal")
  func names() async throws {
    try await Self.withStore { store in
      try store.add(Self.id(1), name: "a\n\(Self.id(2)) 2026-01-01 b\u{1b}[31m\u{202e}")
      #expect(try store.pins().count == 1)
      #expect(try store.pins()[0].name == "a\u{fffd}\(Self.id(2)) 2026-01-01 b\u{fffd}[31m\u{fffd}")
    }
  }

  @Test(
    "names the line that is wrong, and leaves the file as it is",
    arguments: [
      ("# fine\nnonsense\n", 2), ("\n\n12ab 2026-01-01 x\n", 3),
      ("# a\nID 2026-1-1 x\n", 2), ("ID\n", 1), ("ID 2026-01-01+ x\n", 1), ("# a\nID 2026-01-01+0011 x\n", 2),
      ("ID 2026-01-01+00112233445566778899aabbccddeefg x\n", 1), ("ID 2026-01-01 x\nID 2026-01-02 y\n", 2),
      ("\u{0}", 1),
    ])
  func damaged(text: String, line: Int) async throws {
    try await Self.withStore { store in
      let text = text.replacing("ID", with: Self.id(1).description)
      try Data(text.utf8).write(to: URL(filePath: store.path))
      for use in [{ _ = try store.pins() }, { try store.add(Self.id(9), name: "x") }, { try store.remove(Self.id(1)) }]
      {
        let error = #expect(throws: SessionError.self) { try use() }
        #expect(error?.code == .corruptData && error?.message.contains("\(store.path), line \(line): ") == true)
      }
      #expect(try Data(contentsOf: URL(filePath: store.path)) == Data(text.utf8))
    }
  }

  @Test("many that add at once lose nothing")
  func concurrent() async throws {
    try await TestSessions.withFolder { folder in
      let store = PinStore(path: folder.path() + "/known-peers")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<UInt8(40) { group.addTask { try store.add(Self.id(number), name: "peer \(number)") } }
        try await group.waitForAll()
      }
      #expect(try Set(store.pins().map(\.id)) == Set((0..<UInt8(40)).map(Self.id)))
    }
  }

  @Test("a day is a year, a month and a day, in order")
  func days() throws {
    let day = try #require(CalendarDay("2026-11-22"))
    #expect((day.year, day.month, day.day) == (2026, 11, 22) && day.description == "2026-11-22")
    #expect(CalendarDay("2027-01-02")?.description == "2027-01-02")
    #expect(try day < #require(CalendarDay("2027-01-02")) && CalendarDay("2026-1-22") == nil)
    #expect(CalendarDay("2026-11") == nil && CalendarDay("2026-11-2x") == nil)
  }
}
