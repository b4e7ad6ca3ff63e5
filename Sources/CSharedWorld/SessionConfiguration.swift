public import CSharedWorldHeaders
import Glibc
import SharedWorld

/// Writes the default configuration.
@c @implementation
public func sw_session_config_init(_ config: UnsafeMutablePointer<sw_session_config>?, _ size: Int) -> sw_status {
  attempt {
    let config = try output(config, "config")
    guard size >= MemoryLayout<sw_session_config>.offset(of: \.discovery) ?? 0, size <= 4096 else {
      throw Failure.argument("size is not sizeof(sw_session_config)")
    }
    var defaults = sw_session_config()
    defaults.size = UInt32(size)
    let configuration = Session.Configuration()
    defaults.host_priority = configuration.hosting.priority
    defaults.can_host = configuration.hosting.canHost ? 1 : 0
    defaults.grace_time_s = UInt32(configuration.storage.graceTime.components.seconds)
    let memory = UnsafeMutableRawBufferPointer(start: config, count: size)
    // A program of a newer header sees zeros in what this library does not know.
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    withUnsafeBytes(of: &defaults) { memory.copyBytes(from: $0.prefix(size)) }
  }
}

/// C's structure, of which only as much is read as the program knows; the rest is the defaults.
private func known(_ config: UnsafePointer<sw_session_config>?) throws -> sw_session_config {
  var known = sw_session_config()
  _ = sw_session_config_init(&known, MemoryLayout<sw_session_config>.size)
  if let config {
    let size = Int(config.pointee.size)
    guard size > MemoryLayout<UInt32>.size, size <= 4096 else {
      throw Failure.argument("fill the configuration with sw_session_config_init first")
    }
    withUnsafeMutableBytes(of: &known) {
      $0.copyBytes(from: UnsafeRawBufferPointer(start: config, count: min(size, $0.count)))
    }
  }
  return known
}

/// The configuration in C's structure, and the questions that C is asked.
func configuration(
  _ config: UnsafePointer<sw_session_config>?
) throws -> (Session.Configuration, desk: Desk) {
  let known = try known(config)
  let modes: [DiscoveryMode] = [.automatic, .avahi, .embedded, .none]
  guard modes.indices.contains(Int(known.discovery)) else { throw Failure.argument("discovery has no such value") }
  var configuration =
    try room(known) ?? Session.Configuration(service: optionalText(known.service, "service") ?? "sharedworld")
  configuration.endsOnSignals = known.ends_on_signals != 0
  configuration.discovery.mode = modes[Int(known.discovery)]
  configuration.listen.port = known.listen_port
  if let host = try optionalText(known.listen_host, "listen_host") { configuration.listen.host = host }
  configuration.hosting.priority = known.host_priority
  configuration.hosting.canHost = known.can_host != 0
  configuration.discovery.advertising.showsName = known.advertises_name != 0
  var desk = Desk()
  switch Int(known.invitations) {
  case SW_INVITATIONS_DECLINE: break
  case SW_INVITATIONS_ACCEPT: configuration.invitations.incoming = .all
  case SW_INVITATIONS_ASK:
    let asking = PendingAnswers(withdrawn: InvitationDecision.decline(reason: "withdrawn"))
    // A room has a policy of its own.
    if known.room == nil { configuration.invitations.incoming = .ask { await asking.decide($0.id) } }
    desk.invitations = asking
  default: throw Failure.argument("invitations has no such value")
  }
  guard known.log <= SW_LOG_DEBUG else { throw Failure.argument("log has no such value") }
  if known.log != SW_LOG_NONE { desk.log = UInt32(known.log) }
  try setMembers(of: &configuration, known)
  setQuestions(of: &configuration, known, desk.questions)
  try setDiscovery(of: &configuration, known)
  try setFiles(of: &configuration, known)
  configuration.authentication.trust = try trust(known)
  if known.shows_codes != 0 || Int(known.trust) == SW_TRUST_CODE {
    let codes = PendingAnswers(withdrawn: false)
    configuration.authentication.codeHandler = { await codes.decide($0.id) }
    desk.codes = codes
  }
  if let passcode = try passcode(known) {
    guard known.room == nil else { throw Failure.argument("a room has a code: give no passcode besides") }
    configuration.authentication.passcode = passcode
  }
  return (configuration, desk)
}

/// The room that C names.
private func room(_ known: sw_session_config) throws -> Session.Configuration? {
  guard let room = try optionalText(known.room, "room") else {
    guard known.code == nil, known.place == nil else { throw Failure.argument("code and place need a room") }
    return nil
  }
  let code = try optionalText(known.code, "code") ?? (room.contains("://") ? nil : Passcode.generatedCode())
  return try Session.Configuration(room: room, code: code, at: optionalText(known.place, "place"))
}

/// The value that C means by a number.
private func choice<Value>(
  _ number: some BinaryInteger, _ name: String, _ values: KeyValuePairs<Int, Value>
) throws -> Value {
  guard let found = values.first(where: { $0.key == Int(number) }) else {
    throw Failure.argument("\(name) has no such value")
  }
  return found.value
}

/// Takes over who may come, and who may do what.
private func setMembers(of configuration: inout Session.Configuration, _ known: sw_session_config) throws {
  if known.member_limit != 0 {
    guard (2...64).contains(known.member_limit) else { throw Failure.argument("member_limit is not 2 to 64") }
    configuration.limits.members = Int(known.member_limit)
  }
  configuration.hosting.mapProviders = try choice(
    known.map_providers, "map_providers",
    [SW_MAP_PROVIDERS_ANYONE: .anyone, SW_MAP_PROVIDERS_HOST: .host])
  configuration.hosting.keepsOrphanedOwnership = known.keeps_orphaned_ownership != 0
  configuration.hosting.authority = try choice(
    known.authority, "authority",
    [SW_AUTHORITY_HOST: .host, SW_AUTHORITY_CREATOR: .creator, SW_AUTHORITY_CURATED: .curated])
  configuration.hosting.newcomers = try choice(
    known.newcomers, "newcomers",
    [SW_NEWCOMERS_MEMBERS: .members, SW_NEWCOMERS_GUESTS: .guests])
  if known.realign_interval_ms != 0 { configuration.realignmentInterval = .milliseconds(known.realign_interval_ms) }
}

/// Lets C decide who hosts and who gets an anchor, where it wants that.
private func setQuestions(
  of configuration: inout Session.Configuration, _ known: sw_session_config, _ questions: QuestionDesk
) {
  let event = { @Sendable (type: Int, number: UInt64, peer: Peer) in
    var event = OwnEvent(type, number)
    (event.peer, event.name) = (peer.id, peer.name)
    return event
  }
  if known.asks_host != 0 {
    configuration.hosting.requestHandler = { peer in
      await questions.ask { event(SW_EVENT_HOST_REQUESTED, $0, peer) }
    }
  }
  guard known.asks_ownership != 0 else { return }
  configuration.ownershipHandler = { request in
    await questions.ask { number in
      var question = event(SW_EVENT_OWNERSHIP_REQUESTED, number, request.peer)
      question.anchor = request.anchor
      return question
    }
  }
}

/// Takes over how this peer is found and finds others.
private func setDiscovery(of configuration: inout Session.Configuration, _ known: sw_session_config) throws {
  configuration.discovery.role = try choice(
    known.role, "role",
    [SW_ROLE_BOTH: .both, SW_ROLE_BROWSER: .browser, SW_ROLE_ADVERTISER: .advertiser])
  switch Int(known.invite_policy) {
  // A room has a policy of its own.
  case SW_INVITE_NONE: break
  case SW_INVITE_ALL: configuration.invitations.outgoing = .all
  default: throw Failure.argument("invite_policy has no such value")
  }
  guard known.invite_timeout_ms <= 60_000 else { throw Failure.argument("invite_timeout_ms is over 60000") }
  if known.invite_timeout_ms != 0 { configuration.invitations.timeout = .milliseconds(known.invite_timeout_ms) }
  configuration.discovery.advertising.hidesDevice = known.hides_device != 0
  configuration.discovery.advertising.info = try pairs(known.info, known.info_count, "info")
  let probes = try items(known.probes, known.probe_count, "probes").map { pointer in
    let text = try text(pointer, "a probe")
    guard let probe = Session.Configuration.Probe(text) else {
      throw Failure.argument("the probe '\(text)' is neither an address nor an IPv4 network of 22 to 32 bits")
    }
    return probe
  }
  guard known.announces != 0 else {
    guard probes.isEmpty else { throw Failure.argument("probes are asked by announcements: set announces") }
    return
  }
  var announcements = Session.Configuration.Announcements()
  announcements.probes = probes
  if known.announce_port != 0 { announcements.port = known.announce_port }
  configuration.discovery.announcements = announcements
}

/// The passcode of the room.
private func passcode(_ known: sw_session_config) throws -> Passcode? {
  if let path = try optionalText(known.passcode_file, "passcode_file") {
    guard known.passcode == nil else { throw Failure.argument("give passcode or passcode_file, not both") }
    return try Passcode(contentsOfFile: path)
  }
  guard let text = known.passcode else { return nil }
  do {
    return try Passcode(utf8: UnsafeRawBufferPointer(start: text, count: strnlen(text, Passcode.mostLength + 1)))
  } catch {
    throw Failure.argument("passcode: \(error)")
  }
}

/// The keys that are admitted.
private func trust(_ known: sw_session_config) throws -> TrustPolicy {
  switch Int(known.trust) {
  case SW_TRUST_ANYONE: return .anyone
  case SW_TRUST_FIRST_USE: return .firstUse(try pinStore(known))
  case SW_TRUST_CODE: return .code(try pinStore(known))
  case SW_TRUST_PINNED:
    let peers = UnsafeBufferPointer(start: known.admitted, count: known.admitted == nil ? 0 : known.admitted_count)
    return .pinned(Set(try peers.map(peerID(of:))))
  default: throw Failure.argument("trust has no such value")
  }
}

/// The file of the peers that were admitted before.
private func pinStore(_ known: sw_session_config) throws -> PinStore {
  if let path = try optionalText(known.known_peers, "known_peers") { return PinStore(path: path) }
  return try PinStore(beside: try optionalText(known.storage, "storage"))
}

/// Takes over what is kept on the disk.
private func setFiles(of configuration: inout Session.Configuration, _ known: sw_session_config) throws {
  configuration.storage.folder = try optionalText(known.storage, "storage")
  configuration.storage.journal = try optionalText(known.journal, "journal")
  configuration.storage.state = try optionalText(known.state, "state")
  configuration.storage.graceTime = .seconds(Int(known.grace_time_s))
  configuration.storage.resourceFolder = try optionalText(known.resource_folder, "resource_folder")
  if known.map_memory_limit != 0 { configuration.limits.mapMemory = Int(clamping: known.map_memory_limit) }
  if known.attachment_count_limit != 0 { configuration.limits.attachments = Int(known.attachment_count_limit) }
  if known.attachment_size_limit != 0 {
    configuration.limits.attachmentBytes = Int(clamping: known.attachment_size_limit)
  }
  guard let folder = try optionalText(known.map_cache, "map_cache") else { return }
  configuration.storage.mapCache = MapCache(folder: folder)
  if known.map_cache_limit != 0 { configuration.storage.mapCache?.limit = Int(clamping: known.map_cache_limit) }
}
