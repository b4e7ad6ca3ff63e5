import Foundation
import SharedWorld  // changed: import MultipeerConnectivity

// The networking of an app that was written for MultipeerConnectivity, as Apple's samples of shared AR do
// it: it advertises and browses, invites whom it finds, accepts all, and sends data to everybody. The lines that had to change
// say so.

/// What the app's view controller knows of the network.
final class MultipeerApp: NSObject, @unchecked Sendable {  // changed: class MultipeerApp: NSObject
  static let serviceType = "ar-multi-sample"

  private let myPeerID: MCPeerID  // changed: = MCPeerID(displayName: UIDevice.current.name)
  private var session: MCSession!
  private var advertiser: MCNearbyServiceAdvertiser!
  private var browser: MCNearbyServiceBrowser!
  private let receivedDataHandler: (Data, MCPeerID) -> Void
  private let peerJoinedHandler: (MCPeerID) -> Void

  init(
    _ peer: MCPeerID,  // changed: (new)
    receivedDataHandler: @escaping (Data, MCPeerID) -> Void, peerJoinedHandler: @escaping (MCPeerID) -> Void
  ) {
    myPeerID = peer  // changed: (new)
    self.receivedDataHandler = receivedDataHandler
    self.peerJoinedHandler = peerJoinedHandler
    super.init()

    session = MCSession(peer: myPeerID, securityIdentity: nil, encryptionPreference: .required)
    session.delegate = self

    advertiser = MCNearbyServiceAdvertiser(peer: myPeerID, discoveryInfo: nil, serviceType: Self.serviceType)
    advertiser.delegate = self
    advertiser.startAdvertisingPeer()

    browser = MCNearbyServiceBrowser(peer: myPeerID, serviceType: Self.serviceType)
    browser.delegate = self
    browser.startBrowsingForPeers()
  }

  func sendToAllPeers(_ data: Data) {
    do {
      try session.send(data, toPeers: session.connectedPeers, with: .reliable)
    } catch {
      print("error sending data to peers: \(error.localizedDescription)")
    }
  }

  var connectedPeers: [MCPeerID] { session.connectedPeers }
}

extension MultipeerApp: MCSessionDelegate {
  func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {
    if state == .connected { peerJoinedHandler(peerID) }
  }

  func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {
    receivedDataHandler(data, peerID)
  }

  func session(
    _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID
  ) {}

  func session(
    _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
    with progress: Progress
  ) {}

  func session(
    _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
    at localURL: URL?, withError error: (any Error)?  // changed: Error?, which any build without ExistentialAny takes
  ) {}
}

extension MultipeerApp: MCNearbyServiceBrowserDelegate {
  func browser(
    _ browser: MCNearbyServiceBrowser, foundPeer peerID: MCPeerID, withDiscoveryInfo info: [String: String]?
  ) {
    browser.invitePeer(peerID, to: session, withContext: nil, timeout: 10)
  }

  func browser(_ browser: MCNearbyServiceBrowser, lostPeer peerID: MCPeerID) {}
}

extension MultipeerApp: MCNearbyServiceAdvertiserDelegate {
  func advertiser(
    _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
    withContext context: Data?, invitationHandler: @escaping (Bool, MCSession?) -> Void
  ) {
    invitationHandler(true, session)
  }
}
