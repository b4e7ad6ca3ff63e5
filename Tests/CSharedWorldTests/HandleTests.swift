import CSharedWorldHeaders
import SharedWorld
import Testing

@testable import CSharedWorld

@Suite("C interface")
struct HandleTests {
  @Test("every status has a name of its own and a code")
  func statuses() {
    let names = Status.table.map { String(cString: Status.name(of: sw_status($0.status))) }
    #expect(names == Status.table.map { "\($0.code)" })
    #expect(
      Status.table.map(\.status)
        == Array(SW_DECLINED...SW_DIVERGENCE) + Array(SW_NOT_PERMITTED...SW_AUTHENTICATION_FAILED))
    #expect(String(cString: Status.name(of: 12345)) == "other")
  }

  @Test("a failure's message stays with its thread")
  func messages() {
    #expect(sw_map_load(nil, nil) == sw_status(SW_INVALID_ARGUMENT))
    #expect(String(cString: sw_last_error_message()) == "map is NULL")
  }

  @Test("only as much of a configuration is written as the program has room for")
  func configurationSize() {
    var config = sw_session_config()
    config.invitations = 99
    let size = MemoryLayout<sw_session_config>.offset(of: \.invitations) ?? 0
    #expect(sw_session_config_init(&config, size) == sw_status(SW_OK))
    #expect(config.invitations == 99)
    #expect(config.can_host == 1)
    #expect(config.size == UInt32(size))
    #expect(sw_session_config_init(&config, 1 << 40) == sw_status(SW_INVALID_ARGUMENT))
  }

  @Test("what a program sets of files, members and maps arrives, and no nonsense does")
  func configurationValues() throws {
    var config = sw_session_config()
    #expect(sw_session_config_init(&config, MemoryLayout<sw_session_config>.size) == sw_status(SW_OK))
    let (plain, noDesk) = try configuration(&config)
    // What C is not asked about is not held for it either.
    #expect(noDesk.invitations == nil && noDesk.codes == nil)
    let defaults = Session.Configuration()
    #expect(plain.state == nil && plain.journal == nil && plain.mapCache == nil && plain.mapProviders == .anyone)
    #expect(plain.graceTime == defaults.graceTime && plain.memberLimit == defaults.memberLimit)
    #expect(plain.storage == nil)
    let stored = try "/var/lib/app".withCString { path in
      var config = config
      config.storage = path
      return try configuration(&config).0
    }
    #expect(stored.storage == "/var/lib/app" && stored.journal == nil)
    (config.member_limit, config.map_providers) = (8, UInt8(SW_MAP_PROVIDERS_HOST))
    (config.map_cache_limit, config.grace_time_s, config.keeps_orphaned_ownership) = (.max, 30, 1)
    let set = try "file".withCString { text in
      (config.journal, config.state, config.map_cache) = (text, text, text)
      return try configuration(&config).0
    }
    #expect(set.journal == "file" && set.state == "file" && set.mapCache == MapCache(folder: "file", limit: .max))
    #expect(set.memberLimit == 8 && set.mapProviders == .host && set.graceTime == .seconds(30))
    #expect(set.keepsOrphanedOwnership && set.trust == .anyone)
    (config.journal, config.state, config.map_cache) = (nil, nil, nil)
    config.invitations = UInt8(SW_INVITATIONS_ASK)
    #expect(try configuration(&config).desk.invitations != nil)
    for limit: UInt8 in [1, 65] {
      config.member_limit = limit
      #expect(throws: Failure.self) { try configuration(&config) }
    }
    (config.member_limit, config.map_providers) = (0, 9)
    #expect(throws: Failure.self) { try configuration(&config) }
  }

  @Test("which keys are admitted arrives, with the file or the list")
  func trustValues() throws {
    var config = sw_session_config()
    #expect(sw_session_config_init(&config, MemoryLayout<sw_session_config>.size) == sw_status(SW_OK))
    config.trust = UInt8(SW_TRUST_FIRST_USE)
    let stored = try "/a/peers".withCString { path in
      config.known_peers = path
      return try configuration(&config).0
    }
    #expect(stored.trust == .firstUse(PinStore(path: "/a/peers")))
    config.known_peers = nil
    let beside = try "/a".withCString { path in
      config.storage = path
      return try configuration(&config).0
    }
    #expect(beside.trust == .firstUse(PinStore(path: "/a/known-peers")))
    config.trust = UInt8(SW_TRUST_CODE)
    let compared = try "/a".withCString { path in
      config.storage = path
      return try configuration(&config)
    }
    #expect(compared.0.trust == .code(PinStore(path: "/a/known-peers")))
    #expect(compared.0.codeHandler != nil && compared.desk.codes != nil)
    config.storage = nil
    (config.trust, config.shows_codes) = (UInt8(SW_TRUST_ANYONE), 1)
    #expect(try configuration(&config).0.codeHandler != nil)
    config.shows_codes = 0
    #expect(try configuration(&config).0.codeHandler == nil)
    (config.storage, config.trust) = (nil, UInt8(SW_TRUST_PINNED))
    let peers = [1, 2].map { PeerID(SHA256Digest(hashing: [$0])) }
    let pinned = try peers.map { sw_peer_id(copying: $0.bytes) }.withUnsafeBufferPointer { ids in
      (config.admitted, config.admitted_count) = (ids.baseAddress, 2)
      return try configuration(&config).0
    }
    #expect(pinned.trust == .pinned(Set(peers)))
    #expect(pinned.passcode == nil)
    for (text, isSound) in [("sesame 1", true), ("short", false), (String(repeating: "x", count: 65), false)] {
      config.trust = UInt8(SW_TRUST_ANYONE)
      let passcode = try? text.withCString { text in
        config.passcode = text
        return try configuration(&config).0.passcode
      }
      #expect((passcode != nil) == isSound)
    }
    config.passcode = nil
    config.trust = 9
    #expect(throws: Failure.self) { try configuration(&config) }
  }

  @Test("ids keep their bytes")
  func identifiers() {
    let id = AnchorID()
    #expect(sw_anchor_id(copying: id.bytes).anchor == id)
    #expect(sw_peer_id(copying: []).array == [UInt8](repeating: 0, count: 32))
  }

  @Test("points that make no map are refused", arguments: [[1, 1], [UInt64.max, UInt64.max]] as [[UInt64]])
  func duplicatePoints(identifiers: [UInt64]) {
    var map: OpaquePointer?
    let status = sw_map_create([0, 0, 0, 1, 1, 1], identifiers, 2, &map)
    #expect(status == sw_status(SW_INVALID_ARGUMENT))
    #expect(map == nil)
  }
}

@Suite("Invitation desk")
struct InvitationDeskTests {
  let peer = PeerID(SHA256Digest(hashing: [1]))

  @Test("an answer that comes before the question is kept")
  func earlyAnswer() async {
    let desk = PendingAnswers(withdrawn: InvitationDecision.decline(reason: "withdrawn"))
    desk.announce(peer)
    #expect(desk.answer(peer, .accept))
    #expect(await desk.decide(peer) == .accept)
    #expect(!desk.answer(peer, .accept))
  }

  @Test("an invitation that is cancelled is declined and cannot be answered any more")
  func withdrawn() async {
    let desk = PendingAnswers(withdrawn: InvitationDecision.decline(reason: "withdrawn"))
    desk.announce(peer)
    await withTaskGroup(of: InvitationDecision.self) { group in
      group.addTask { await desk.decide(peer) }
      group.cancelAll()
      #expect(await group.next() == .decline(reason: "withdrawn"))
    }
    #expect(!desk.answer(peer, .accept))
  }

  @Test("nobody's invitation cannot be answered")
  func unknown() {
    #expect(!PendingAnswers(withdrawn: InvitationDecision.decline(reason: "withdrawn")).answer(peer, .accept))
  }
}
