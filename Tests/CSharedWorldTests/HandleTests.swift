import CSharedWorldHeaders
import Foundation
import TestSupport
import Testing

@testable import CSharedWorld
@testable import SharedWorld

@Suite("C interface")
struct HandleTests {
  @Test("every status has a name of its own and a code")
  func statuses() {
    let names = Status.table.map { String(cString: Status.name(of: sw_status($0.status))) }
    #expect(names == Status.table.map { "\($0.code)" })
    #expect(
      Status.table.map(\.status)
        == Array(SW_DECLINED...SW_DIVERGENCE) + Array(SW_NOT_PERMITTED...SW_PASSCODE_WAIT))
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
    #expect(plain.storage.state == nil && plain.storage.journal == nil && plain.storage.mapCache == nil)
    #expect(plain.hosting.mapProviders == .anyone)
    #expect(plain.storage.graceTime == defaults.storage.graceTime && plain.limits.members == defaults.limits.members)
    #expect(plain.storage.folder == nil)
    let stored = try "/var/lib/app".withCString { path in
      var config = config
      config.storage = path
      return try configuration(&config).0
    }
    #expect(stored.storage.folder == "/var/lib/app" && stored.storage.journal == nil)
    (config.member_limit, config.map_providers) = (8, UInt8(SW_MAP_PROVIDERS_HOST))
    (config.map_cache_limit, config.grace_time_s, config.keeps_orphaned_ownership) = (.max, 30, 1)
    let set = try "file".withCString { text in
      (config.journal, config.state, config.map_cache) = (text, text, text)
      return try configuration(&config).0
    }
    #expect(set.storage.journal == "file" && set.storage.state == "file")
    #expect(set.storage.mapCache == MapCache(folder: "file", limit: .max))
    #expect(set.limits.members == 8 && set.hosting.mapProviders == .host && set.storage.graceTime == .seconds(30))
    #expect(set.hosting.keepsOrphanedOwnership && set.authentication.trust == .anyone)
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
    #expect(stored.authentication.trust == .firstUse(PinStore(path: "/a/peers")))
    config.known_peers = nil
    let beside = try "/a".withCString { path in
      config.storage = path
      return try configuration(&config).0
    }
    #expect(beside.authentication.trust == .firstUse(PinStore(path: "/a/known-peers")))
    config.trust = UInt8(SW_TRUST_CODE)
    let compared = try "/a".withCString { path in
      config.storage = path
      return try configuration(&config)
    }
    #expect(compared.0.authentication.trust == .code(PinStore(path: "/a/known-peers")))
    #expect(compared.0.authentication.codeHandler != nil && compared.desk.codes != nil)
    config.storage = nil
    (config.trust, config.shows_codes) = (UInt8(SW_TRUST_ANYONE), 1)
    #expect(try configuration(&config).0.authentication.codeHandler != nil)
    config.shows_codes = 0
    #expect(try configuration(&config).0.authentication.codeHandler == nil)
    (config.storage, config.trust) = (nil, UInt8(SW_TRUST_PINNED))
    let peers = [1, 2].map { PeerID(SHA256Digest(hashing: [$0])) }
    let pinned = try peers.map { sw_peer_id(copying: $0.bytes) }.withUnsafeBufferPointer { ids in
      (config.admitted, config.admitted_count) = (ids.baseAddress, 2)
      return try configuration(&config).0
    }
    #expect(pinned.authentication.trust == .pinned(Set(peers)))
    #expect(pinned.authentication.passcode == nil)
    for (text, isSound) in [("sesame 1", true), ("short", false), (String(repeating: "x", count: 65), false)] {
      config.trust = UInt8(SW_TRUST_ANYONE)
      let passcode = try? text.withCString { text in
        config.passcode = text
        return try configuration(&config).0.authentication.passcode
      }
      #expect((passcode != nil) == isSound)
    }
    config.passcode = nil
    config.trust = 9
    #expect(throws: Failure.self) { try configuration(&config) }
  }

  @Test("how peers are found and invited arrives")
  func discoveryValues() throws {
    var config = sw_session_config()
    #expect(sw_session_config_init(&config, MemoryLayout<sw_session_config>.size) == sw_status(SW_OK))
    let plain = try configuration(&config).0, defaults = Session.Configuration()
    #expect(plain.discovery.role == .both && !plain.invitesAll && plain.discovery.announcements == nil)
    #expect(plain.invitations.timeout == defaults.invitations.timeout)
    #expect(plain.limits.mapMemory == defaults.limits.mapMemory)
    #expect(plain.discovery.advertising == defaults.discovery.advertising && plain.storage.resourceFolder == nil)
    (config.role, config.invite_policy) = (UInt8(SW_ROLE_ADVERTISER), UInt8(SW_INVITE_ALL))
    (config.hides_device, config.announces, config.announce_port, config.invite_timeout_ms) = (1, 1, 4711, 20)
    #expect(plain.limits.attachments == defaults.limits.attachments)
    #expect(plain.limits.attachmentBytes == defaults.limits.attachmentBytes)
    (config.map_memory_limit, config.attachment_count_limit, config.attachment_size_limit) = (5, 6, 7)
    let set = try "192.0.2.0/24".withCString { text in
      let probes: [UnsafePointer<CChar>?] = [text]
      return try probes.withUnsafeBufferPointer { probes in
        (config.probes, config.probe_count, config.resource_folder) = (probes.baseAddress, 1, text)
        return try configuration(&config).0
      }
    }
    #expect(set.discovery.role == .advertiser && set.invitesAll && set.discovery.advertising.hidesDevice)
    #expect(set.discovery.announcements?.port == 4711)
    #expect(set.discovery.announcements?.probes.map(\.description) == ["192.0.2.0/24"])
    #expect(set.invitations.timeout == .milliseconds(20) && set.limits.mapMemory == 5)
    #expect(set.storage.resourceFolder == "192.0.2.0/24")
    #expect(set.limits.attachments == 6 && set.limits.attachmentBytes == 7)
  }

  @Test("errors have the words of C, and nothing that only a Swift program knows")
  func words() throws {
    let root = CProgramTests.package.appending(path: "Sources/SharedWorld")
    let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
    var sentences = 0
    for case let file as URL in files where file.pathExtension == "swift" {
      // What stands in a string, without what is put into it.
      let code = try String(contentsOf: file, encoding: .utf8).replacing(
        #/\\\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/#, with: "x")
      for match in code.matches(of: #/(?m)^(?!\s*\/\/).*?"([^"\n]* [^"\n]*)"/#) {
        // Not what stands between two strings of a line.
        guard !match.1.hasPrefix(")") else { continue }
        let text = Failure.plain(String(match.1))
        sentences += 1
        let swift = text.firstMatch(of: #/\b[a-z]+[a-z0-9]*[A-Z]\w*|\w\(\)|\.[a-z]+[A-Z]/#)
        #expect(swift == nil || text.contains("mDNS"), "\(file.lastPathComponent): \(text)")
      }
    }
    #expect(sentences > 100)
    // The cause is told once, and what has no words of its own is not printed by the compiler.
    struct Wordless: Error { let number = 1 }
    let cause = RemoteError("code", "why")
    #expect(Failure(SessionError(.io, "it failed", cause: cause)).message == "it failed (code: why)")
    #expect(Failure(SessionError(.io, "it failed: code: why", cause: cause)).message == "it failed: code: why")
    #expect(Failure(SessionError(.io, "it failed", cause: Wordless())).message == "it failed")
    #expect(!Failure(Wordless()).message.contains("number"))
  }

  @Test("a handle that is closed, of another type or made up is refused")
  func handles() throws {
    final class Thing: HandleObject { static let word = "thing" }
    final class Other: HandleObject { static let word = "other" }
    let thing = Thing()
    let token = try #require(handle(thing))
    #expect(try object(token, as: Thing.self) === thing)
    #expect(throws: Failure.self) { try object(token, as: Other.self) }
    drop(token, as: Other.self)
    #expect(try object(token, as: Thing.self) === thing)
    drop(token, as: Thing.self)
    drop(token, as: Thing.self)
    #expect(throws: Failure.self) { try object(token, as: Thing.self) }
    #expect(throws: Failure.self) { try object(OpaquePointer(bitPattern: UInt.max), as: Thing.self) }
    #expect(handle(thing) != token)
  }

  @Test("a start blocks nobody before it is over, and gives what it has become once")
  func starts() throws {
    let pending = try PendingHandle<RunningSession>()
    let start = try #require(handle(pending))
    var session: OpaquePointer?
    #expect(sw_start_finish(start, &session) == sw_status(SW_WOULD_BLOCK))
    var poller = pollfd(fd: sw_start_fd(start), events: Int16(POLLIN), revents: 0)
    #expect(poll(&poller, 1, 0) == 0)
    #expect(pending.give(.failure(SessionError(.addressInUse, "the port is taken"))))
    #expect(poll(&poller, 1, 0) == 1)
    #expect(sw_start_finish(start, &session) == sw_status(SW_ADDRESS_IN_USE) && session == nil)
    #expect(String(cString: sw_last_error_message()) == "the port is taken")
    #expect(sw_start_fd(start) == -1 && sw_start_finish(start, &session) == sw_status(SW_INVALID_ARGUMENT))
    // The task of a session that runs keeps the start, but not its descriptor.
    #expect(pending.descriptor == -1)
  }

  @Test("a start that was given up wants no session any more, and hands over one that is there")
  func startsGivenUp() throws {
    final class Thing: HandleObject { static let word = "a thing" }
    let early = try PendingHandle<Thing>(), late = try PendingHandle<Thing>(), thing = Thing()
    #expect(early.giveUp() == nil && !early.give(.success(thing)) && early.take() == nil)
    #expect(late.give(.success(thing)) && late.giveUp() === thing && late.giveUp() == nil)
    #expect(early.descriptor == -1 && late.descriptor == -1)
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
  @Test("an answer that comes before the question is kept")
  func earlyAnswer() async {
    let desk = PendingAnswers<InvitationDecision>(withdrawn: .decline(reason: "withdrawn"))
    desk.announce(7)
    #expect(desk.answer(7, .accept))
    #expect(await desk.decide(7) == .accept)
    #expect(!desk.answer(7, .accept))
  }

  @Test("an invitation that is cancelled is declined and cannot be answered any more")
  func withdrawn() async {
    let desk = PendingAnswers<InvitationDecision>(withdrawn: .decline(reason: "withdrawn"))
    desk.announce(7)
    await withTaskGroup(of: InvitationDecision.self) { group in
      group.addTask { await desk.decide(7) }
      group.cancelAll()
      #expect(await group.next() == .decline(reason: "withdrawn"))
    }
    #expect(!desk.answer(7, .accept))
  }

  @Test("nobody's invitation cannot be answered")
  func unknown() {
    #expect(!PendingAnswers<InvitationDecision>(withdrawn: .decline(reason: "withdrawn")).answer(7, .accept))
  }

  @Test("a question of a peer that is over cannot be answered, and such an answer is none to the peer's next question")
  func lateAnswer() async {
    let bob = Peer(id: PeerID(SHA256Digest(hashing: [1])), name: "bob")
    var desk = Desk()
    let invitations = PendingAnswers<InvitationDecision>(withdrawn: .decline(reason: "withdrawn"))
    let codes = PendingAnswers<Bool>(withdrawn: false)
    (desk.invitations, desk.codes) = (invitations, codes)
    desk.take(.invitationReceived(Invitation(id: 1, peer: bob, context: [])))
    desk.take(.codeShown(CodeComparison(id: 1, peer: bob, code: "000000", recognition: .neverSeen)))
    desk.take(.invitationEnded(bob, id: 1))
    desk.take(.codeEnded(bob, id: 1, isConfirmed: false))
    desk.take(.invitationReceived(Invitation(id: 2, peer: bob, context: [])))
    desk.take(.codeShown(CodeComparison(id: 2, peer: bob, code: "111111", recognition: .neverSeen)))
    #expect(!invitations.answer(1, .accept) && !codes.answer(1, true))
    #expect(invitations.answer(2, .decline(reason: "no")) && codes.answer(2, false))
    #expect(await invitations.decide(2) == .decline(reason: "no"))
    #expect(await codes.decide(2) == false)
  }
}

@Suite("Events of the C library itself")
struct EventQueueTests {
  @Test("an event that was not taken goes with the task that put it")
  func withdrawn() async throws {
    let queue = try EventQueue()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask { await queue.put(OwnEvent(SW_EVENT_OBJECT, 1)) }
      try await until { queue.unread > 0 }
      group.cancelAll()
      #expect(try await group.next() == false)
    }
    #expect(queue.unread == 0)
    if case .nothing = queue.next() {} else { Issue.record("the event is still there") }
  }

  @Test("a question is refused where too many wait, and where the session has ended")
  func questions() async throws {
    let (queue, questions) = (try EventQueue(), QuestionDesk())
    #expect(await questions.ask { OwnEvent(SW_EVENT_HOST_REQUESTED, $0) } == false)
    questions.begin(with: queue)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<QuestionDesk.limit {
        group.addTask { await questions.ask { OwnEvent(SW_EVENT_HOST_REQUESTED, $0) } }
      }
      try await until { queue.unread == QuestionDesk.limit }
      #expect(await questions.ask { OwnEvent(SW_EVENT_HOST_REQUESTED, $0) } == false)
      guard case .own(let event) = queue.next() else {
        Issue.record("no event")
        return
      }
      #expect(questions.answer(event.number, accepts: true) && !questions.answer(event.number, accepts: true))
      #expect(try await group.next() == true)
      group.cancelAll()
      for try await answer in group { #expect(!answer) }
    }
    #expect(queue.unread == 0)
  }

  @Test("a program that does not read its log keeps the latest lines, and has room for results")
  func log() throws {
    let queue = try EventQueue()
    for number in 0..<(EventQueue.logLimit + 2) {
      queue.post(log: LogMessage(level: .warning, subsystem: .storage, text: "\(number)", suppressed: 0))
    }
    #expect(queue.unread == 0)
    for number in 2..<(EventQueue.logLimit + 2) {
      guard case .own(let event) = queue.next() else {
        Issue.record("no line \(number)")
        return
      }
      #expect(event.type == SW_EVENT_LOG && event.text == "\(number)" && event.flags == SW_LOG_WARNING)
    }
    guard case .nothing = queue.next() else {
      Issue.record("there are too many lines")
      return
    }
  }

  @Test("the one that puts an event waits until it is taken")
  func taken() async throws {
    let queue = try EventQueue()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask { await queue.put(OwnEvent(SW_EVENT_OBJECT, 1)) }
      try await until { queue.unread > 0 }
      if case .own(let event) = queue.next() { #expect(event.number == 1) } else { Issue.record("no event") }
      #expect(try await group.next() == true)
    }
  }

  @Test("operations end once, and all that are open end with the session")
  func operations() throws {
    let operations = Operations()
    let first = try operations.begin(unread: 0).number, second = try operations.begin(unread: 0).number
    var told: [UInt64] = []
    operations.end(first) { told.append(first) }
    operations.end(first) { told.append(first) }
    operations.close { told.append($0) }
    operations.end(second) { told.append(second) }
    #expect(told == [first, second])
    #expect(throws: Failure.self) { try operations.begin(unread: 0) }
    #expect(throws: Failure.self) { try Operations().begin(unread: Operations.limit) }
  }
}

extension Session.Configuration {
  fileprivate var invitesAll: Bool { if case .all = invitations.outgoing { true } else { false } }
}
