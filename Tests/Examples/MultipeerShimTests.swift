import Foundation
import SharedWorld
import TestSupport
import Testing

/// An app that was written for MultipeerConnectivity runs over the names of ``MCSession``.
@Suite("MultipeerConnectivity's names", .endsHangs)
struct MultipeerShimTests {
  /// A device on the network of one test.
  private static func device(_ name: String, on network: MemoryNetwork, in folder: String) -> MCPeerID {
    var configuration = Session.Configuration()
    configuration.transport = .inMemory(network)
    configuration.storage.folder = folder + "/" + name
    return MCPeerID(displayName: name, configuration: configuration)
  }

  @Test func `the networking of an app compiles with ten changed lines at most, and reaches everybody`() async throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "MultipeerApp.swift")
    let changes = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "// changed:").count - 1
    #expect((1...10).contains(changes))

    let network = try MemoryNetwork()
    try await Peers.withFolder { folder in
      let (news, told) = AsyncStream.makeStream(of: [String].self)
      let apps = ["Ada", "Bob", "Cleo"].map { name in
        MultipeerApp(Self.device(name, on: network, in: folder)) { data, sender in
          told.yield([name, sender.displayName, String(decoding: data, as: UTF8.self)])
        } peerJoinedHandler: { peer in
          told.yield([name, peer.displayName])
        }
      }
      var seen: Set<[String]> = []
      for await one in news where seen.insert(one).inserted && seen.count == 6 { break }
      #expect(apps.map(\.connectedPeers.count) == [2, 2, 2])
      apps[0].sendToAllPeers(Data("hello".utf8))
      apps[1].sendToAllPeers(Data("hi".utf8))
      for await one in news where seen.insert(one).inserted && seen.count == 10 { break }
      #expect(
        seen.isSuperset(of: [
          ["Bob", "Ada", "hello"], ["Cleo", "Ada", "hello"], ["Ada", "Bob", "hi"], ["Cleo", "Bob", "hi"],
        ]))
    }
  }

  @Test func `a file arrives with its name and bytes, and both sides are told the end`() async throws {
    let network = try MemoryNetwork()
    try await Peers.withFolder { folder in
      let ada = Desk(Self.device("Ada", on: network, in: folder))
      let bob = Desk(Self.device("Bob", on: network, in: folder))
      let (toAda, toBob) = (try await ada.joined(), try await bob.joined())
      #expect(toAda.displayName == "Bob" && toBob.displayName == "Ada")
      let file = URL(filePath: folder + "/drawing.bin")
      let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      try bytes.write(to: file)
      let ends = AsyncStream.makeStream(of: String?.self)
      ada.session.sendResource(at: file, withName: "drawing", toPeer: toAda) {
        ends.continuation.yield($0.map { "\($0)" })
      }
      let arrived = try #require(await bob.files.first { _ in true })
      #expect(arrived.name == "drawing" && arrived.bytes == bytes && arrived.error == nil)
      #expect(await ends.stream.first { _ in true } == .some(nil))

      bob.session.disconnect()
      for await state in ada.states where state.1 == .notConnected { break }
      #expect(ada.session.connectedPeers.isEmpty)
      #expect(throws: MCError.notConnected) { try ada.session.send(Data([1]), toPeers: [toAda], with: .reliable) }
    }
  }

  @Test func `an advertiser that says no is joined by nobody`() async throws {
    let network = try MemoryNetwork()
    try await Peers.withFolder { folder in
      let ada = Desk(Self.device("Ada", on: network, in: folder))
      let bob = Desk(Self.device("Bob", on: network, in: folder), accepts: false, invites: false)
      #expect(await bob.invitations.first { _ in true } == "Ada")
      // A third one that is let in shows that Ada's own invitation has ended meanwhile.
      let cleo = Desk(Self.device("Cleo", on: network, in: folder))
      let joined = try await ada.joined()
      #expect(joined.displayName == "Cleo")
      #expect(try await cleo.joined() == cleo.session.connectedPeers[0])
      #expect(bob.session.connectedPeers.isEmpty)
    }
  }
}

/// A device of a test: it answers as told, and writes down what it is told.
private final class Desk: MCSessionDelegate, MCNearbyServiceAdvertiserDelegate, MCNearbyServiceBrowserDelegate {
  struct Arrival: Sendable {
    var name: String
    var bytes: Data?
    var error: String?
  }

  let session: MCSession
  let states: AsyncStream<(MCPeerID, MCSessionState)>
  let files: AsyncStream<Arrival>
  let invitations: AsyncStream<String>
  private let advertiser: MCNearbyServiceAdvertiser
  private let browser: MCNearbyServiceBrowser
  private let (toldState, toldFile, toldInvitation):
    (
      AsyncStream<(MCPeerID, MCSessionState)>.Continuation, AsyncStream<Arrival>.Continuation,
      AsyncStream<String>.Continuation
    )
  private let (accepts, invites): (Bool, Bool)

  init(_ peer: MCPeerID, accepts: Bool = true, invites: Bool = true) {
    let state = AsyncStream.makeStream(of: (MCPeerID, MCSessionState).self)
    let file = AsyncStream.makeStream(of: Arrival.self)
    let invitation = AsyncStream.makeStream(of: String.self)
    (states, files, invitations) = (state.stream, file.stream, invitation.stream)
    (toldState, toldFile, toldInvitation) = (state.continuation, file.continuation, invitation.continuation)
    (self.accepts, self.invites) = (accepts, invites)
    session = MCSession(peer: peer)
    advertiser = MCNearbyServiceAdvertiser(peer: peer, discoveryInfo: ["seat": "7"], serviceType: "ar-desk")
    browser = MCNearbyServiceBrowser(peer: peer, serviceType: "ar-desk")
    session.delegate = self
    advertiser.delegate = self
    browser.delegate = self
    advertiser.startAdvertisingPeer()
    browser.startBrowsingForPeers()
  }

  /// The first peer that is connected.
  func joined() async throws -> MCPeerID {
    for await state in states where state.1 == .connected { return state.0 }
    throw CancellationError()
  }

  func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {
    toldState.yield((peerID, state))
  }

  func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {}
  func session(
    _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID
  ) {}
  func session(
    _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
    with progress: Progress
  ) {}

  func session(
    _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
    at localURL: URL?, withError error: (any Error)?
  ) {
    toldFile.yield(
      Arrival(
        name: resourceName, bytes: localURL.flatMap { try? Data(contentsOf: $0) }, error: error.map { "\($0)" }))
  }

  func advertiser(
    _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
    withContext context: Data?, invitationHandler: @escaping @Sendable (Bool, MCSession?) -> Void
  ) {
    toldInvitation.yield(peerID.displayName)
    invitationHandler(accepts, session)
  }

  func browser(
    _ browser: MCNearbyServiceBrowser, foundPeer peerID: MCPeerID, withDiscoveryInfo info: [String: String]?
  ) {
    if invites { browser.invitePeer(peerID, to: session, withContext: nil, timeout: 10) }
  }

  func browser(_ browser: MCNearbyServiceBrowser, lostPeer peerID: MCPeerID) {}
}
