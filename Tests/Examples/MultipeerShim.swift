import Foundation
import SharedWorld
import Synchronization

// The names of Apple's MultipeerConnectivity over a `Session`, so that an app's networking file compiles here before it is
// written anew: peers, a session, an advertiser, a browser and their delegates; data and resources.
//
// What differs from Apple's: `MCPeerID` of this device takes the configuration of its session; delegates are `Sendable`; a
// device that advertises is seen to browse too, and the other way round (what it did not ask for it is not told); a short
// break of a connection is not told; and streams are a `PeerStream`, in both directions, which is opened by the session.

/// A device, as its user names it.
final class MCPeerID: Hashable, Sendable, CustomStringConvertible {
  let displayName: String
  /// The session of this device; nil for another one.
  let link: MCLink?

  /// This device, whose session is configured like that; service and policies come from the objects around it.
  init(displayName: String, configuration: Session.Configuration = Session.Configuration()) {
    self.displayName = displayName
    link = MCLink(named: displayName, configuration)
  }

  /// Another device.
  init(other name: String) { (displayName, link) = (name, nil) }

  var description: String { displayName }
  static func == (one: MCPeerID, other: MCPeerID) -> Bool { one === other }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

enum MCSessionState: Int, Sendable { case notConnected, connecting, connected }
enum MCSessionSendDataMode: Int, Sendable { case reliable, unreliable }
enum MCEncryptionPreference: Int, Sendable { case optional, required, none }

/// The errors that this shim throws, named as Apple's.
enum MCError: Error { case notConnected, invalidParameter, unavailable }

protocol MCSessionDelegate: AnyObject, Sendable {
  func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState)
  func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID)
  func session(
    _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID)
  func session(
    _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
    with progress: Progress)
  func session(
    _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
    at localURL: URL?, withError error: (any Error)?)
}

protocol MCNearbyServiceAdvertiserDelegate: AnyObject, Sendable {
  func advertiser(
    _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
    withContext context: Data?, invitationHandler: @escaping @Sendable (Bool, MCSession?) -> Void)
  func advertiser(_ advertiser: MCNearbyServiceAdvertiser, didNotStartAdvertisingPeer error: any Error)
}

protocol MCNearbyServiceBrowserDelegate: AnyObject, Sendable {
  func browser(
    _ browser: MCNearbyServiceBrowser, foundPeer peerID: MCPeerID, withDiscoveryInfo info: [String: String]?)
  func browser(_ browser: MCNearbyServiceBrowser, lostPeer peerID: MCPeerID)
  func browser(_ browser: MCNearbyServiceBrowser, didNotStartBrowsingForPeers error: any Error)
}

// Optional in Objective-C.
extension MCNearbyServiceAdvertiserDelegate {
  func advertiser(_ advertiser: MCNearbyServiceAdvertiser, didNotStartAdvertisingPeer error: any Error) {}
}

extension MCNearbyServiceBrowserDelegate {
  func browser(_ browser: MCNearbyServiceBrowser, didNotStartBrowsingForPeers error: any Error) {}
}

/// A delegate, which its owner keeps alive.
private final class Listener<Delegate>: Sendable {
  private let find = Mutex<@Sendable () -> Delegate?> { nil }

  var delegate: Delegate? { find.withLock { $0 }() }
  func set(_ delegate: @escaping @Sendable () -> Delegate?) { find.withLock { $0 = delegate } }
}

/// The devices that this one is connected with.
final class MCSession: Sendable {
  let myPeerID: MCPeerID
  private let listener = Listener<any MCSessionDelegate>()

  /// A session of this device, encrypted as all are.
  init(peer: MCPeerID, securityIdentity: [Any]?, encryptionPreference: MCEncryptionPreference) {
    myPeerID = peer
    peer.link?.attach(self)
  }

  convenience init(peer: MCPeerID) {
    self.init(peer: peer, securityIdentity: nil, encryptionPreference: .required)
  }

  var delegate: (any MCSessionDelegate)? {
    get { listener.delegate }
    set { listener.set { [weak newValue] in newValue } }
  }

  var connectedPeers: [MCPeerID] { myPeerID.link?.connectedPeers ?? [] }

  /// Sends data in the order of the calls.
  ///
  /// - Throws: ``MCError/notConnected`` when a receiver is not connected.
  func send(_ data: Data, toPeers peers: [MCPeerID], with mode: MCSessionSendDataMode) throws {
    try myPeerID.link?.send([UInt8](data), to: peers, mode: mode == .reliable ? .reliable : .unreliable(key: "data"))
  }

  /// Sends a file; the receiver accepts it unasked.
  @discardableResult
  func sendResource(
    at url: URL, withName name: String, toPeer peer: MCPeerID,
    withCompletionHandler completion: (@Sendable ((any Error)?) -> Void)?
  ) -> Progress? {
    myPeerID.link?.sendResource(at: url.path(), named: name, to: peer) { completion?($0) }
  }

  /// Leaves.
  func disconnect() { myPeerID.link?.stop() }
}

/// Shows this device to others.
final class MCNearbyServiceAdvertiser: Sendable {
  let myPeerID: MCPeerID
  let discoveryInfo: [String: String]?
  let serviceType: String
  private let listener = Listener<any MCNearbyServiceAdvertiserDelegate>()

  init(peer: MCPeerID, discoveryInfo info: [String: String]?, serviceType: String) {
    (myPeerID, discoveryInfo, self.serviceType) = (peer, info, serviceType)
  }

  var delegate: (any MCNearbyServiceAdvertiserDelegate)? {
    get { listener.delegate }
    set { listener.set { [weak newValue] in newValue } }
  }

  func startAdvertisingPeer() { myPeerID.link?.advertise(self) }
  func stopAdvertisingPeer() { myPeerID.link?.advertise(nil) }
}

/// Looks for other devices.
final class MCNearbyServiceBrowser: Sendable {
  let myPeerID: MCPeerID
  let serviceType: String
  private let listener = Listener<any MCNearbyServiceBrowserDelegate>()

  init(peer: MCPeerID, serviceType: String) { (myPeerID, self.serviceType) = (peer, serviceType) }

  var delegate: (any MCNearbyServiceBrowserDelegate)? {
    get { listener.delegate }
    set { listener.set { [weak newValue] in newValue } }
  }

  func startBrowsingForPeers() { myPeerID.link?.browse(self) }
  func stopBrowsingForPeers() { myPeerID.link?.browse(nil) }

  func invitePeer(_ peer: MCPeerID, to session: MCSession, withContext context: Data?, timeout: TimeInterval) {
    myPeerID.link?.invite(peer, context: [UInt8](context ?? Data()), timeout: timeout > 0 ? timeout : 30)
  }
}
