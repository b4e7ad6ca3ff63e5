import PeerProtocol
import WorldModel

/// The keys that a session recognises, by its policy.
struct TrustDesk {
  private let policy: TrustPolicy
  /// The peers that were recorded when the session began.
  private let known: Table<PeerID, String>
  /// The peers that this session has recorded, or is recording.
  private var recorded: KeySet<PeerID> = []
  /// Peers that the app was warned of.
  private var warned: KeySet<PeerID> = []
  /// Sessions of this process, about which nobody is asked.
  var companions: KeySet<PeerID> = []
  /// The comparisons that the app is asked about.
  var comparisons = OpenQuestions()
  /// The invitations that the app is asked about.
  var invitations = OpenQuestions()

  /// The app's drivers on links that are not authenticated yet.
  var drivers = DriverDesk()

  /// Recognises advertisements of recorded peers.
  private var book: RecognitionBook

  /// Reads the pin store, if the policy has one.
  init(_ policy: TrustPolicy, service: String) throws(SessionError) {
    self.policy = policy
    let pins = try policy.store?.pins() ?? []
    known = Table(pins.reversed().map { ($0.id, $0.name) })
    let keys = pins.compactMap { pin in pin.recognitionKey.map { (pin.id, $0) } }
    book = RecognitionBook(Dictionary(keys) { first, _ in first }, service: service)
  }

  // MARK: Advertisements

  /// The known peer that publishes a tag on a day, by the name recorded for it; without a name where it was first met in this
  /// session.
  mutating func peer(tagged tag: String, on day: RecognitionBook.Day) -> Peer? {
    book.peer(tagged: tag, on: day).map { Peer(id: $0, name: known[$0] ?? "") }
  }

  /// The store in which the key by which a member is recognised later is to be recorded; nil where there is nothing to record.
  mutating func storeToRecord(_ key: RecognitionKey, of peer: PeerID) -> PinStore? {
    guard let store = policy.store, book.take(key, of: peer) else { return nil }
    return store
  }

  /// Where the addresses of recorded peers are kept; nil where no peers are recorded.
  var addressBook: AddressBook? { policy.store.map(AddressBook.init) }

  /// The book in which the addresses of a member that is linked are to be kept; nil for one that is not to be recorded.
  func addressBook(for peer: PeerID) -> AddressBook? {
    known[peer] != nil || recorded.contains(peer) ? addressBook : nil
  }

  // MARK: Keys of members

  /// The keys that may be linked; nil for any.
  var admitted: Set<PeerID>? { if case .pinned(let peers) = policy { peers } else { nil } }

  /// The keys that may be linked without a comparison of codes; nil for any.
  var compared: Set<PeerID>? { if case .code = policy { Set(known.keys) } else { nil } }

  /// How the key of a peer compares with the recorded ones.
  func recognition(of peer: Peer) -> Recognition {
    switch policy {
    case .anyone: .untracked
    case .pinned(let peers): peers.contains(peer.id) ? .known : .refused
    case .firstUse: standing(of: peer)
    case .code: isCompared(peer.id) ? .known : .refused
    }
  }

  /// The same for the question whether a code is the one on the other screen.
  func recognition(comparing peer: Peer) -> Recognition {
    if case .code = policy { isCompared(peer.id) ? .known : standing(of: peer) } else { recognition(of: peer) }
  }

  private func isCompared(_ peer: PeerID) -> Bool { known[peer] != nil || recorded.contains(peer) }

  private func standing(of peer: Peer) -> Recognition {
    known[peer.id] != nil ? .known : namesakes(of: peer).isEmpty ? .neverSeen : .newDevice
  }

  /// The recorded peers with the name of a peer, the first of them first; none for one that is recorded itself.
  private func namesakes(of peer: Peer) -> [PeerID] {
    guard known[peer.id] == nil, !peer.name.isEmpty else { return [] }
    return known.filter { $0.value == peer.name }.map(\.key).inOrder()
  }

  /// The recorded key of the name of a peer with another key, the first time that the peer is met.
  mutating func warning(about peer: Peer) -> Peer? {
    guard let other = namesakes(of: peer).first, warned.count < PinStore.limit, warned.insert(peer.id) else {
      return nil
    }
    return Peer(id: other, name: peer.name)
  }

  /// The store in which a member that is linked is to be recorded; nil where there is nothing to record.
  mutating func storeToRecord(_ peer: PeerID) -> PinStore? {
    guard case .firstUse(let store) = policy else { return nil }
    return newcomer(peer) ? store : nil
  }

  /// A comparison has ended; returns the store in which the peer is to be recorded, nil where there is nothing to record.
  mutating func endComparison(_ id: CodeComparison.ID, with peer: PeerID, isConfirmed: Bool) -> PinStore? {
    comparisons.end(id)
    guard isConfirmed, case .code(let store) = policy else { return nil }
    return newcomer(peer) ? store : nil
  }

  /// Whether a peer is recorded for the first time.
  private mutating func newcomer(_ peer: PeerID) -> Bool { known[peer] == nil && recorded.insert(peer) }
}

extension TrustPolicy {
  /// The file of the keys that were admitted; nil where none is kept.
  fileprivate var store: PinStore? {
    switch self {
    case .firstUse(let store), .code(let store): store
    case .anyone, .pinned: nil
    }
  }
}
