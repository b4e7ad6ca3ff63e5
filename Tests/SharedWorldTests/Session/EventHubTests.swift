import AnchorReplication
import Basics
import TestSupport
import Testing
import WorldModel

@testable import PeerProtocol
@testable import SharedWorld

@Suite("Readers of events")
struct EventHubTests {
  private let hub = EventHub()

  private var events: Session.Events { Session.Events(hub: hub) }

  private func publish(_ sizes: Int...) {
    let host = Peer(id: PeerID(SHA256Digest(words: .zero)), name: "host")
    hub.publish(sizes.map { .sessionMerged(size: $0, host: host) })
  }

  /// Messages as they come from a node.
  private func run(of messages: [UInt8]...) -> MessageRun {
    var run = MessageRun()
    for bytes in messages { run.append(bytes.span.bytes) }
    return run
  }

  /// What of the published waits for a reader.
  private func sizes(_ batch: [Session.Event]?) -> [Int]? {
    batch?.compactMap { if case .sessionMerged(let size, _) = $0 { size } else { nil } }
  }

  @Test("the first reader gets what happened before it, a later one what happens from then on")
  func firstReader() async {
    publish(1, 2)
    var first = events.makeAsyncIterator()
    var second = events.makeAsyncIterator()
    publish(3)
    #expect(sizes(await first.nextBatch()) == [1, 2, 3])
    #expect(sizes(await second.nextBatch()) == [3])
  }

  @Test("messages that nobody reads are not dropped, and count for their sender until they are read")
  func messages() async {
    let senders = (0...1).map { Peer(id: PeerID(SHA256Digest(words: SIMD4($0, 0, 0, 0))), name: "sender") }
    let bytes = [UInt8](repeating: 1, count: 1 << 20)
    for _ in 0..<20 { for sender in senders { hub.publish(run(of: bytes, bytes), from: sender) } }
    hub.publish(run(of: []), from: senders[1])
    let counts = senders.map { sender in hub.receivers.map { $0.unreadMessages(of: sender.id) } }
    let cost = 20 * 2 * ((1 << 20) + 64)
    #expect(counts == [[cost], [cost + 64]])
    var iterator = events.makeAsyncIterator()
    let mailbox = iterator.mailbox
    #expect(mailbox.takenMessages() == 0)
    #expect(await mailbox.take()?.count == 81)
    #expect(hub.receivers.map { $0.unreadMessages(of: senders[1].id) } == [0])
    #expect((mailbox.takenMessages(), mailbox.takenMessages()) == (2 * cost + 64, 0))
    hub.publish(run(of: [7]), from: senders[0])
    #expect(await iterator.nextBatch()?.count == 1)
    #expect(mailbox.takenMessages() == 0)
  }

  @Test("a reader goes on waiting when all that was noted is of anchors that are gone")
  func goneBeforeRead() async {
    let mailbox = EventMailbox(EventBacklog())
    let peer = PeerID(SHA256Digest(words: .zero))
    let none = AnchorSet(actor: ActorID(peer: peer, incarnation: 1), peer: peer)
    mailbox.update { $0.note(AnchorUpdate(AnchorID(), origin: .remote)) }
    let read = await mailbox.take { waiting in
      waiting.deliver(none, in: FrameView())
      waiting.put([.discoveryAvailable(backend: "later")])
    }
    #expect(read?.count == 1)
  }

  @Test("an iterator that is gone is no longer fed, and loops one after the other leave nothing behind")
  func dropped() async {
    for _ in 0..<100 {
      weak var mailbox: EventMailbox?
      do {
        let iterator = events.makeAsyncIterator()
        var copy = iterator
        mailbox = iterator.mailbox
        publish(1)
        #expect(sizes(await copy.nextBatch()) == [1])
        #expect(hub.receivers.count == 1)
      }
      #expect(mailbox == nil)
      publish(2)
      #expect(hub.receivers.isEmpty)
    }
  }

  @Test("a reader that waits is fed although its iterator stands nowhere else")
  func waiting() async throws {
    try await withThrowingTaskGroup(of: [Int].self) { group in
      for _ in 0..<3 {
        group.addTask { [events] in
          var seen: [Int] = []
          for await event in events {
            if case .sessionMerged(let size, _) = event { seen.append(size) }
          }
          return seen
        }
      }
      try await until { hub.receivers.count == 3 }
      for size in 1...5 { publish(size) }
      hub.end()
      for try await seen in group { #expect(seen.suffix(5) == [1, 2, 3, 4, 5]) }
    }
  }

  @Test("after the end a first reader still gets what happened, and every reader the end")
  func ended() async {
    publish(1)
    hub.end()
    var first = events.makeAsyncIterator()
    var second = events.makeAsyncIterator()
    #expect(sizes(await first.nextBatch()) == [1])
    #expect(await first.nextBatch() == nil)
    #expect(await second.nextBatch() == nil)
  }
}
