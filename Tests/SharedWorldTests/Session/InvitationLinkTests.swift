import SharedWorld
import TestSupport
import Testing

@Suite("Invitation links", .endsHangs)
struct InvitationLinkTests {
  private static let id = String(repeating: "0f", count: 32)

  private static func link(_ addresses: [String], passcode: String? = nil) throws -> InvitationLink {
    let peer = try #require(PeerID(id))
    return try InvitationLink(
      to: addresses.compactMap { PeerAddress($0) }, service: "sharedworld", peer: peer, passcode: passcode)
  }

  @Test("a link is written as documented, and read back")
  func text() throws {
    let plain = try Self.link(["192.0.2.7:4711", "[2001:db8::7]:4711"])
    #expect("\(plain)" == "sharedworld://192.0.2.7:4711,[2001:db8::7]:4711/sharedworld#\(Self.id)")
    let secret = try Self.link(["kitchen.local:1"], passcode: "a b/c#d.é%")
    #expect("\(secret)" == "sharedworld://kitchen.local:1/sharedworld#\(Self.id).a%20b%2fc%23d.%c3%a9%25")
    for link in [plain, secret] {
      #expect(try InvitationLink(link.description) == link)
      #expect(try InvitationLink(" \n\(link)\n") == link)
    }
  }

  @Test(
    "what is no link is refused with the rule it breaks",
    arguments: [
      ("", "begins with"), ("https://192.0.2.7:4711/sharedworld#ID", "begins with"),
      ("sharedworld://192.0.2.7:4711/sharedworld", "behind one '#'"),
      ("sharedworld://192.0.2.7:4711/sharedworld#ID#ID", "behind one '#'"),
      ("sharedworld://192.0.2.7:4711#ID", "slash"), ("sharedworld://192.0.2.7:4711/#ID", "slash"),
      ("sharedworld://192.0.2.7:4711/a/b#ID", "slash"), ("sharedworld://192.0.2.7:4711/a b#ID", "slash"),
      ("sharedworld:///sharedworld#ID", "HOST:PORT"), ("sharedworld://192.0.2.7/sharedworld#ID", "HOST:PORT"),
      ("sharedworld://192.0.2.7:0/sharedworld#ID", "port over 0"), ("sharedworld://a:1,/sharedworld#ID", "HOST:PORT"),
      ("sharedworld://a:1/sharedworld#12", "64 hexadecimal"), ("sharedworld://a:1/sharedworld#ID.%zz", "percent"),
      ("sharedworld://a:1/sharedworld#ID.%f", "percent"), ("sharedworld://a:1/sharedworld#ID.%ff", "percent"),
      ("sharedworld://a:1/sharedworld#ID.a b", "percent"), ("sharedworld://a;b:1/sharedworld#ID", "addresses"),
      ("sharedworld://" + Array(repeating: "a:1", count: 17).joined(separator: ",") + "/sharedworld#ID", "16"),
      ("sharedworld://a:1/sharedworld#ID." + String(repeating: "x", count: 2000), "2048"),
    ])
  func malformed(text: String, rule: String) {
    let error = #expect(throws: SessionError.self) {
      try InvitationLink(text.replacing("ID", with: Self.id))
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains(rule) == true, "\(error?.message ?? "no error")")
  }

  @Test("a link leads to the session that made it, and to no other key at its address")
  func leads() async throws {
    try await TestSessions.two { alice, bob in
      let link = try await bob.peers.invitationLink()
      #expect(link.peer == bob.localPeer.id && link.addresses == [PeerAddress(host: "127.0.0.1", port: bob.port)])
      let stolen = try InvitationLink(to: link.addresses, service: link.service, peer: alice.localPeer.id)
      let mismatch = await #expect(throws: SessionError.self) { try await alice.peers.invite(.link(stolen)) }
      #expect(mismatch?.code == .identityMismatch)
      let foreign = try InvitationLink(to: link.addresses, service: "other", peer: link.peer)
      let other = await #expect(throws: SessionError.self) { try await alice.peers.invite(.link(foreign)) }
      #expect(other?.code == .otherService)
      let dead = PeerAddress(host: "127.0.0.1", port: 1)
      let several = try InvitationLink(to: [dead] + link.addresses, service: link.service, peer: link.peer)
      #expect(try await alice.peers.invite(.link(several)) == bob.localPeer)
    }
  }
}
