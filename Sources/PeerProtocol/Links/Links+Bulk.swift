import Basics
import WorldModel

// Second connections to members, for pieces of maps and resources: one side wants one and offers a token over the first
// connection, the side that knows a way dials, and each end says the token, so that nobody else takes the place.

extension Links {
  /// Wants a bulk link to a member from which much of a map is still to come.
  mutating func wantBulk(with peer: PeerID, in turn: inout Turn) {
    guard bulk.mayTry(peer, at: turn.now), let control = directory.carrier(of: peer), let link = links[control],
      link.kind == .member, directory.offers(.bulk, on: control)
    else { return }
    let token = BulkOffer.Token(high: turn.random.next(), low: turn.random.next())
    bulk.await(token, from: peer, at: turn.now)
    let offer = BulkOffer(token: token, receiverDials: !link.isDialled)
    turn.send(.bulkOffer, on: control) { offer.write(to: &$0) }
    if !offer.receiverDials { bulk.dial(peer, token, at: link.remote, in: &turn) }
  }

  /// The other side wants one.
  mutating func receiveOffer(_ offer: BulkOffer, on control: LinkRef, in turn: inout Turn) {
    guard let link = links[control] else { return }
    if offer.receiverDials {
      // Only one side knows a way, so that two wishes at once are one dial.
      guard link.isDialled, bulk.mayTry(link.peer, at: turn.now) else { return }
      bulk.await(offer.token, from: link.peer, at: turn.now)
      bulk.dial(link.peer, offer.token, at: link.remote, in: &turn)
      return
    }
    guard !link.isDialled, bulk.link(to: link.peer) == nil else { return }
    bulk.await(offer.token, from: link.peer, at: turn.now)
    let early = directory.all.first { directory[$0]?.peer == link.peer && token(of: $0) == offer.token }
    if let early { attach(early, in: &turn) }
  }

  /// The first frame of either side says that a connection is a second one; the dialler says it first, and the other
  /// side repeats it when it knows the offer.
  mutating func receiveAttach(
    _ token: BulkOffer.Token, on link: LinkRef, in turn: inout Turn
  ) throws(DecodingFailure) {
    guard let state = links[link], case .greeting(var greeting) = state.phase else { return }
    // The dialler has said which token it is; the other side says it once.
    guard greeting.token == (state.isDialled ? token : nil) else {
      throw .invalid("not the token of this connection, or a second one", offset: 0)
    }
    greeting.token = token
    links[link]?.phase = .greeting(greeting)
    if bulk.awaits(token, from: state.peer) {
      attach(link, in: &turn)
    } else if state.isDialled {
      // The offer is void since the control link was replaced: pieces that follow would find no one to take them.
      close(link, .dropped, in: &turn)
    }
  }

  /// A dial for a bulk link has come through.
  mutating func bulkOpened(
    _ link: LinkRef, to peer: PeerID, _ token: BulkOffer.Token, in turn: inout Turn
  ) {
    guard let state = links[link], state.peer == peer, case .greeting(var greeting) = state.phase,
      bulk.awaits(token, from: peer)
    else { return close(link, .dropped, in: &turn) }
    greeting.token = token
    links[link]?.phase = .greeting(greeting)
    turn.send(.attach, on: link) { token.write(to: &$0) }
  }

  func token(of link: LinkRef) -> BulkOffer.Token? {
    if case .greeting(let greeting) = links[link]?.phase { greeting.token } else { nil }
  }

  private mutating func attach(_ link: LinkRef, in turn: inout Turn) {
    guard let state = links[link], let token = token(of: link), let control = directory.carrier(of: state.peer),
      links[control]?.kind == .member
    else { return close(link, .dropped, in: &turn) }
    if !state.isDialled {
      turn.emit(.admitted(link.id))
      turn.send(.attach, on: link) { token.write(to: &$0) }
    }
    links[link]?.phase = .bulk
    bulk.open(link, to: state.peer)
    directory.attach(link)
    turn.mesh.publish(links: directory)
    turn.flush(link)
  }
}
