import Basics
import WorldModel

/// The progress of all members with the session's map as a node knows it, and what it has told them of itself.
struct MapStatusBoard: Sendable {
  /// The status of each start of a member, this one's included.
  private var statuses: Table<NodeID, MapStatus> = [:]
  /// The statuses that the app was told, of the peers that it knows to be there.
  private var shown: Table<PeerID, MapStatus> = [:]
  /// The last status that this node told, and when.
  private var told = MapStatus.none
  private var toldAt = Instant.zero
  /// When a status is told that came too soon after the last; nil if none did.
  private(set) var due: Instant?
  /// The map in which this peer knows its place, and on what ground.
  private var place: (map: MapID, evidence: PlaceEvidence)?

  /// How far this node has come with the session's map.
  func status(of library: borrowing MapLibrary) -> MapStatus {
    if let current = library.current, !current.isComplete, !current.holders.isEmpty {
      let percent = current.verifiedBytes * 100 / current.announcement.size
      return MapStatus(map: current.announcement.id, stage: .transferring(percent: percent))
    }
    guard let held = library.latestComplete?.announcement.id else { return .none }
    guard let place, place.map == held else { return MapStatus(map: held, stage: .received) }
    return MapStatus(map: held, stage: place.evidence == .measured ? .relocalized : .claimed)
  }

  /// This peer knows its place in a map; a claim leaves a measurement of the same map as it is.
  mutating func know(placeIn map: MapID, by evidence: PlaceEvidence) {
    if evidence == .claimed, let place, place.map == map { return }
    place = (map, evidence)
  }

  /// This peer does not know its place any more.
  mutating func losePlace() { place = nil }

  /// How far a member has come, as its present start last said.
  func status(of peer: PeerID, in turn: borrowing Turn) -> MapStatus {
    turn.mesh.roster[peer].flatMap { statuses[$0.node] } ?? .none
  }

  /// Tells all members how far this node has come: at once when it reached another stage, else now and then.
  mutating func tell(_ status: MapStatus, in turn: inout Turn) {
    guard status != told else {
      due = nil
      return
    }
    if case (.transferring, .transferring) = (status.stage, told.stage), status.mapID == told.mapID {
      let next = toldAt + ProtocolTimes.mapStatus
      guard next <= turn.now else {
        // Nothing more may come for long, and the others would not know how far it came.
        due = next
        return
      }
    }
    guard status.stage != .none || told.stage != .none else { return }
    told = status
    toldAt = turn.now
    due = nil
    turn.say(.mapStatus) { status.write(to: &$0) }
  }

  /// A member has come further; a word that does not count any more is empty.
  mutating func changed(_ word: SpreadWord, in turn: inout Turn) {
    statuses[word.author] = try? word.value(as: MapStatus.self)
    show(in: &turn)
  }

  /// Tells the app what is news of the peers that it was told of: a status may come through others before its member is reached.
  mutating func show(in turn: inout Turn) {
    for peer in shown.keys where !turn.isPresent(peer) { shown[peer] = nil }
    for peer in KeySet(statuses.keys.map(\.peer)) where peer != turn.me.peer && turn.isPresent(peer) {
      let status = status(of: peer, in: turn)
      guard status != shown[peer] ?? .none else { continue }
      shown[peer] = status
      turn.report(.mapStatusChanged(peer, status))
    }
  }
}
