import Basics
import PeerProtocol
import WorldModel

/// The messages of the people of a simulated session: now and then bursts, to one member or to all, and they read slowly.
struct MessageApp {
  private var random: SeededRandom
  /// Of its own, so that the reliable messages of a seed are the same with and without unreliable ones.
  private var unreliableRandom: SeededRandom
  private static let groups = ["a", "b", "c"]
  /// Unreliable messages are about these; at rest about one of them, so that the numbers of former starts are known.
  static let keys = ["", "pointer", "colour"]
  static let restKey = keys[1]

  init(random: SeededRandom) {
    self.random = random
    unreliableRandom = random
  }

  /// Some messages, or a pause in reading, or its end.
  mutating func act(in world: inout SessionWorld, at index: Int) {
    var dice = random.split()
    switch dice.below(8) {
    case 0: setReads(false, in: &world, at: index)
    case 1: setReads(true, in: &world, at: index)
    default: for _ in 0..<(dice.below(3) == 0 ? 12 : 2) { send(&dice, in: &world, at: index) }
    }
    let receivers =
      unreliableRandom.below(3) == 0 ? [SessionPeer.identity(of: unreliableRandom.below(world.count))] : nil
    for _ in 0..<unreliableRandom.below(6) {
      let (key, size) = (Self.keys[unreliableRandom.below(Self.keys.count)], unreliableRandom.below(500))
      sendUnreliably(key, size: size, to: receivers, in: &world, at: index)
    }
  }

  /// Somebody joins a group, leaves it, or sends to it.
  mutating func useGroup(in world: inout SessionWorld, at index: Int) {
    let group = Self.groups[unreliableRandom.below(Self.groups.count)]
    let (act, size) = (unreliableRandom.below(4), unreliableRandom.below(300))
    guard act > 1 else {
      return world.perform(index) { peer, now in peer.handle(.setGroup(group, isIn: act == 0), at: now) }
    }
    var receivers: [PeerID] = []
    world.perform(index) { peer, _ in receivers = peer.node.receivers(in: group) }
    send(size: size, to: receivers, isCritical: act == 2, in: &world, at: index)
  }

  /// Every app tells its state again, as apps do that send unreliably.
  func repeatAll(in world: inout SessionWorld) {
    for index in 0..<world.count where world.node(index) != nil {
      sendUnreliably(Self.restKey, size: 8, to: nil, in: &world, at: index)
    }
  }

  /// Everybody reads everything from now on.
  func readAll(in world: inout SessionWorld) {
    for index in 0..<world.count { setReads(true, in: &world, at: index) }
  }

  private func setReads(_ reads: Bool, in world: inout SessionWorld, at index: Int) {
    world.perform(index) { peer, now in peer.setReadsMessages(reads, at: now) }
  }

  func sendUnreliably(
    _ key: String, size: Int, to receivers: [PeerID]?, in world: inout SessionWorld, at index: Int
  ) {
    var sent: (message: MessageID, sender: NodeID)?
    world.perform(index) { peer, now in
      var writer = ByteWriter()
      writer.write(peer.mail.sent + 1)
      writer.write(bytes: repeatElement(7, count: size))
      let input = Input.send(writer.bytes, mode: .unreliable(key: key), to: receivers)
      guard case .sent(let message) = peer.handle(input, at: now) else { return }
      peer.mail.sent += 1
      sent = (message, peer.node.me)
    }
    if let sent { world.simulation.monitor.sentUnreliably(sent.message, key: key, from: sent.sender) }
  }

  private func send(_ dice: inout SeededRandom, in world: inout SessionWorld, at index: Int) {
    let one = [SessionPeer.identity(of: dice.below(world.count))]
    let receivers = dice.below(2) == 0 ? nil : one
    let size = dice.below(2) == 0 ? dice.below(900) : dice.below(100)
    send(size: size, to: receivers, in: &world, at: index)
  }

  func send(
    size: Int, to receivers: [PeerID]?, isCritical: Bool = false, in world: inout SessionWorld, at index: Int
  ) {
    sendAtOnce(1, size: size, to: receivers, isCritical: isCritical, in: &world, at: index)
  }

  /// Sends messages that leave together.
  func sendAtOnce(
    _ count: Int, size: Int, to receivers: [PeerID]?, isCritical: Bool = false, in world: inout SessionWorld,
    at index: Int
  ) {
    var sent: [(message: MessageID, track: MessageTrack, sender: NodeID, receivers: [PeerID])] = []
    world.perform(index) { peer, now in
      let me = peer.node.me
      for _ in 0..<count {
        let track: MessageTrack = isCritical ? .critical : .ordinary
        let kind: MessageKind = peer.mail.sent.isMultiple(of: 2) ? .bytes : .envelope
        // The number that it gets if it is accepted stands in it.
        var writer = ByteWriter()
        writer.write(me.incarnation)
        writer.write(peer.mail.sent + 1)
        writer.write(bytes: repeatElement(7, count: size))
        let input = Input.send(writer.bytes, as: kind, mode: isCritical ? .critical : .reliable, to: receivers)
        guard case .sent(let message) = peer.handle(input, at: now) else { return }
        peer.mail.sent += 1
        sent.append((message, track, me, peer.node.receivers(of: message)))
      }
    }
    for sent in sent {
      world.simulation.monitor.sent(sent.message, sent.track, from: sent.sender, to: sent.receivers)
    }
  }

  /// At rest: a message of a node that lives that neither arrived nor failed, or groups that are not known everywhere.
  func disagreement(in world: SessionWorld) -> String? {
    for index in 0..<world.count {
      guard let node = world.node(index) else { continue }
      if let text = world.simulation.monitor.messages.missing(from: node.me) { return text }
      if !node.messageLoad.isSettled { return "M2 \(index + 1) still keeps messages" }
      for other in 0..<world.count where other != index {
        guard let sender = world.node(other)?.me else { continue }
        let (said, known) = (world.node(other)?.groups[sender.peer] ?? [], node.groups[sender.peer] ?? [])
        if said != known { return "M5 \(node.me) takes \(sender) for a member of \(known), not \(said)" }
        if !world.simulation.monitor.messages.hasArrived(Self.restKey, from: sender, at: node.me) {
          return "M4 \(node.me) gets no unreliable message of \(sender)"
        }
      }
    }
    return nil
  }
}

/// One app's part in messages.
struct Mail {
  /// Cost of the messages that the app has not read, by sender (bytes).
  var unread: [PeerID: Int] = [:]
  /// Whether it reads messages as they come.
  var isRead = true
  /// Messages that it has sent, those of its streams included.
  var sent: UInt64 = 0
  var streams = StreamShelf()
}

/// Watches the messages of apps: each arrives at most once and in order, and in the end it has arrived or failed.
package struct MessageWatch: Sendable {
  /// One receiver of the messages of one start of a sender.
  private struct Pair: Hashable {
    let sender: NodeID
    let receiver: PeerID
  }

  /// Messages that have neither arrived nor failed, by sender and receiver, ascending.
  private var open: [Pair: [MessageID]] = [:]
  /// The last message of a sender's start that a receiver's start was handed, of each chain.
  private var last: [MessageTrack: [Pair: (start: NodeID, message: MessageID)]] = [:]
  /// The messages that are not ordinary, by the start of the sender.
  private var tracks: [NodeID: [MessageID: MessageTrack]] = [:]
  /// One key of the unreliable messages of a peer, at one receiver's start.
  private struct Slot: Hashable {
    let sender: PeerID
    let receiver: NodeID
    let key: String
  }

  /// The last unreliable message that was handed over: the start of the sender, counted, and the number.
  private var newest: [Slot: (start: Int, message: MessageID)] = [:]
  /// The keys of the unreliable messages, by the start of the sender.
  private var unreliable: [NodeID: [MessageID: String]] = [:]
  /// The starts of each peer that have sent unreliable messages, in order.
  private var starts: [PeerID: [NodeID]] = [:]
  /// All receivers of each message.
  private var audience: [NodeID: [MessageID: [PeerID]]] = [:]

  /// An app's message was accepted.
  mutating func sent(_ message: MessageID, _ track: MessageTrack, from sender: NodeID, to receivers: [PeerID]) {
    if track != .ordinary { tracks[sender, default: [:]][message] = track }
    audience[sender, default: [:]][message] = receivers
    for receiver in receivers { open[Pair(sender: sender, receiver: receiver), default: []].append(message) }
  }

  /// An app was handed a message; a text says what is wrong with that.
  mutating func arrived(_ bytes: [UInt8], from peer: PeerID, at start: NodeID) -> String? {
    var reader = unsafe ByteReader(bytes.span.bytes)
    guard let incarnation = try? reader.read(UInt64.self), let number = try? reader.read(UInt64.self) else {
      return "M2 a message that nobody sent"
    }
    let pair = Pair(sender: NodeID(peer: peer, incarnation: incarnation), receiver: start.peer)
    let message = MessageID(number)
    guard audience[pair.sender]?[message]?.contains(start.peer) == true else {
      return "M2 \(start) gets message \(message) of \(pair.sender), which is not for it"
    }
    let track = tracks[pair.sender]?[message] ?? .ordinary
    if let before = last[track]?[pair], before.start == start, before.message >= message {
      return "M2 \(start) gets message \(message) of \(pair.sender) after \(before.message)"
    }
    last[track, default: [:]][pair] = (start, message)
    open[pair]?.removeAll { $0 == message }
    return nil
  }

  /// An envelope came, under this number of this start; a text says what is wrong with that.
  mutating func arrived(
    _ bytes: [UInt8], as message: MessageID, from sender: NodeID, at start: NodeID
  ) -> String? {
    var writer = ByteWriter()
    writer.write(sender.incarnation)
    writer.write(message.number)
    guard bytes.starts(with: writer.bytes) else { return "M2 an envelope is not message \(message) of \(sender)" }
    return arrived(bytes, from: sender.peer, at: start)
  }

  /// An app's unreliable message was accepted.
  mutating func sentUnreliably(_ message: MessageID, key: String, from sender: NodeID) {
    unreliable[sender, default: [:]][message] = key
    if starts[sender.peer]?.last != sender { starts[sender.peer, default: []].append(sender) }
  }

  /// M4: an app was handed an unreliable message; a text says what is wrong with that.
  mutating func arrived(
    _ bytes: [UInt8], under key: String, from sender: NodeID, at receiver: NodeID
  ) -> String? {
    var reader = unsafe ByteReader(bytes.span.bytes)
    guard let number = try? reader.read(UInt64.self), unreliable[sender]?[MessageID(number)] == key,
      let start = starts[sender.peer]?.lastIndex(of: sender)
    else { return "M4 \(receiver) gets an unreliable message that nobody sent" }
    let slot = Slot(sender: sender.peer, receiver: receiver, key: key)
    if let before = newest[slot], (before.start, before.message) >= (start, MessageID(number)) {
      return "M4 \(receiver) gets \(number) of \(sender) under '\(key)' after \(before.message)"
    }
    newest[slot] = (start, MessageID(number))
    return nil
  }

  /// Whether a start of a receiver got an unreliable message of this start of a sender.
  func hasArrived(_ key: String, from sender: NodeID, at receiver: NodeID) -> Bool {
    guard let last = newest[Slot(sender: sender.peer, receiver: receiver, key: key)] else { return false }
    return starts[sender.peer]?[last.start] == sender
  }

  /// An app learns of messages that failed.
  mutating func failed(_ failure: UndeliveredMessages, at sender: NodeID) {
    open[Pair(sender: sender, receiver: failure.receiver)]?.removeAll(where: failure.messages.contains)
  }

  /// Messages that have neither arrived nor failed, in words.
  func missing(from sender: NodeID) -> String? {
    let rest = open.filter { $0.key.sender == sender && !$0.value.isEmpty }.min { $0.key.receiver < $1.key.receiver }
    return rest.map { pair, messages in
      "M2 \(messages.count) messages of \(sender) to \(pair.receiver.prefix) neither arrived nor failed, from \(messages[0])"
    }
  }

  /// M3: more waits at a node than its window allows.
  func excess(of node: borrowing Node) -> String? {
    guard !audience.isEmpty || !unreliable.isEmpty else { return nil }
    let load = node.messageLoad
    if load.open > SessionPeer.messageWindow { return "M3 \(load.open) bytes of messages are not acknowledged" }
    if load.total > SessionPeer.messageTotal { return "M3 \(load.total) bytes of messages are not acknowledged in all" }
    if load.unread > 2 * SessionPeer.messageWindow { return "M3 \(load.unread) bytes of messages are not read" }
    if load.unreliable > SessionPeer.messageWindow / 4 {
      return "M3 \(load.unreliable) bytes of unreliable messages wait"
    }
    return excess(relayed: load)
  }

  /// M3 of what waits at a node to be passed on.
  private func excess(relayed load: MessageLoad) -> String? {
    if load.relayed > SessionPeer.messageWindow { return "M3 \(load.relayed) bytes wait to be passed on" }
    if load.relayedUnreliable > SessionPeer.messageWindow / 4 {
      return "M3 \(load.relayedUnreliable) bytes of unreliable messages wait to be passed on"
    }
    return nil
  }
}
