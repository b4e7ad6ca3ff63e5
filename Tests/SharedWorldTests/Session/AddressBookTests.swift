import Foundation
import TestSupport
import Testing

@testable import SharedWorld

@Suite("The book of addresses", .endsHangs)
struct AddressBookTests {
  private static func id(_ number: UInt8) -> PeerID { PeerID(SHA256Digest(hashing: [number])) }

  private static func addresses(_ texts: String...) throws -> [SocketAddress] {
    try texts.map { try #require(SocketAddress($0)) }
  }

  @Test("keeps the last addresses of each peer, few of them, readable by its owner alone, and skips damaged lines")
  func keeps() async throws {
    try await TestSessions.withFolder { folder in
      let book = AddressBook(beside: PinStore(path: folder.path() + "/known-peers"))
      #expect(try await book.addresses(of: Self.id(1)).isEmpty)
      let many = try (1...9).map { try #require(SocketAddress("192.0.2.\($0):4711")) }
      try book.record(many, of: Self.id(1))
      try book.record(try Self.addresses("[2001:db8::7]:4711"), of: Self.id(2))
      try book.record([], of: Self.id(2))
      #expect(try await book.addresses(of: Self.id(1)) == Array(many.prefix(AddressBook.addressLimit)))
      try book.record(try Self.addresses("192.0.2.99:1"), of: Self.id(1))
      #expect(try await book.addresses(of: Self.id(1)).map(\.description) == ["192.0.2.99:1"])
      let attributes = try FileManager.default.attributesOfItem(atPath: book.path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      let text = try String(contentsOfFile: book.path, encoding: .utf8)
      try Data((text + "nonsense\n\u{0}\n\(Self.id(3)) 1.2.3 192.0.2.3:3\n").utf8).write(to: URL(filePath: book.path))
      #expect(try await book.addresses(of: Self.id(2)).map(\.description) == ["[2001:db8::7]:4711"])
      #expect(try await book.addresses(of: Self.id(3)).map(\.description) == ["192.0.2.3:3"])
    }
  }

  @Test("a carriage return ends a line, alone and before a line feed", arguments: ["\r\n", "\r"])
  func carriageReturns(ending: String) async throws {
    try await TestSessions.withFolder { folder in
      let book = AddressBook(beside: PinStore(path: folder.path() + "/known-peers"))
      let lines = (1...2 as ClosedRange<UInt8>).map { "\(Self.id($0)) 192.0.2.\($0):4711" + ending }
      try Data(lines.joined().utf8).write(to: URL(filePath: book.path))
      #expect(try await book.addresses(of: Self.id(1)).map(\.description) == ["192.0.2.1:4711"])
      #expect(try await book.addresses(of: Self.id(2)).map(\.description) == ["192.0.2.2:4711"])
    }
  }

  @Test("a known peer is invited without discovery where it was last, and nobody is where none is recorded")
  func invited() async throws {
    try await TestSessions.withFolder { folder in
      let store = PinStore(path: folder.path() + "/known-peers")
      var configuration = TestSessions.configuration()
      configuration.authentication.trust = .firstUse(store)
      let recording = configuration
      let (alice, bob) = (try TestSessions.identity("alice"), try TestSessions.identity("bob"))
      let book = AddressBook(beside: store)
      let port = try await Session.withSession(as: alice, configuration: recording) { alice in
        try await Session.withSession(as: bob, configuration: TestSessions.configuration()) { bob in
          let error = await #expect(throws: SessionError.self) {
            try await alice.peers.invite(.known(bob.localPeer.id))
          }
          #expect(error?.code == .unknownPeer)
          _ = try await bob.peers.invite(alice.address)
          try await until { try await !book.addresses(of: bob.localPeer.id).isEmpty }
          return bob.port
        }
      }
      var listening = TestSessions.configuration()
      listening.listen = PeerAddress(host: "127.0.0.1", port: port)
      let again = listening
      try await Session.withSession(as: alice, configuration: recording) { alice in
        try await Session.withSession(as: bob, configuration: again) { bob in
          let invited = try await alice.peers.invite(.known(bob.localPeer.id))
          #expect(invited == bob.localPeer)
        }
      }
    }
  }
}
