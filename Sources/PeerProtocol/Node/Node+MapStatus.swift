import Basics
package import WorldModel

extension Node {
  /// How far this node has come with the session's map.
  package var mapStatus: MapStatus {
    if let current = maps.current, !current.isComplete, !current.holders.isEmpty {
      let percent = current.verifiedBytes * 100 / current.announcement.size
      return MapStatus(map: current.announcement.id, stage: .transferring(percent: percent))
    }
    guard let held = currentMap else { return .none }
    return MapStatus(map: held, stage: mapBoard.relocalised == held ? .relocalised : .received)
  }

  /// How far a member has come with the session's map, as it last said.
  package func mapStatus(of peer: PeerID) -> MapStatus { mapBoard.others[peer]?.status ?? .none }

  /// The app has found where it is in the session's map, or has lost it.
  mutating func setRelocalised(_ isRelocalised: Bool, at now: Instant) {
    mapBoard.relocalised = isRelocalised ? currentMap : nil
    tellMapStatus(at: now)
  }

  /// Tells all members how far this node has come: at once when it reached another stage, else now and then.
  mutating func tellMapStatus(at now: Instant) {
    let status = mapStatus
    guard status != mapBoard.told else { return }
    if case (.transferring, .transferring) = (status.stage, mapBoard.told.stage), status.map == mapBoard.told.map,
      now - mapBoard.toldAt < ProtocolTimes.mapStatus
    {
      return
    }
    repeatMapStatus(at: now)
  }

  /// Tells all members again, because some may not have heard it.
  mutating func repeatMapStatus(at now: Instant) {
    let status = mapStatus
    guard status.stage != .none || mapBoard.told.stage != .none else { return }
    mapBoard.told = status
    mapBoard.toldAt = now
    let (header, targets) = relay.originate(to: nil, over: graph)
    send(.mapStatus, to: targets) { body in
      header.write(to: &body)
      status.write(to: &body)
    }
  }

  mutating func receiveMapStatus(_ reader: inout ByteReader, from link: Link) throws(DecodingFailure) {
    guard let sender = link.node else { return }
    let header = try FloodHeader(reading: &reader)
    let status = try MapStatus(reading: &reader)
    try reader.finish()
    let decision = relay.receive(header, from: sender, over: graph)
    send(.mapStatus, to: decision.targets) { body in
      header.write(to: &body)
      status.write(to: &body)
    }
    let peer = header.origin.peer
    guard decision.deliver, roster.admits(peer), roster[peer]?.node == header.origin else { return }
    // Others may have used numbers of the future in its name: then it counts what it says itself.
    let isOwnWord = header.origin == sender
    if let known = mapBoard.others[peer], known.origin == header.origin, known.nonce > header.nonce,
      !isOwnWord || known.nonce - header.nonce < NonceWindow.size
    {
      return
    }
    let before = mapStatus(of: peer)
    mapBoard.others[peer] = (status, header.origin, header.nonce)
    if status != before { tell(.mapStatusChanged(peer, status)) }
  }
}
