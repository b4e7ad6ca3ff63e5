import PeerProtocol

extension ElectionMessage {
  /// A few words for a transcript.
  var brief: String {
    switch self {
    case .beat(let beat): "beat epoch \(beat.epoch) size \(beat.size)"
    case .ack(let ack): "ack epoch \(ack.epoch)"
    case .preClaim(let claim): "pre-claim max epoch \(claim.maxEpoch)"
    case .preNack(let nack): "pre-nack \(nack.host == nil ? "better" : "has host") \(nack.leaseRemaining) ms"
    case .stepDown(let stepDown):
      "step-down to \(ElectionPeer.index(of: stepDown.to) + 1) epoch \(stepDown.epoch) \(stepDown.leaseRemaining) ms"
    case .offer(let offer): "offer size \(offer.size) epoch \(offer.epoch)"
    case .win(let win): "win epoch \(win.epoch)"
    case .yield(let yield): "yield max epoch \(yield.maxEpoch)"
    case .handover(let handover): "handover epoch \(handover.epoch)"
    case .resign(let resign): "resign epoch \(resign.epoch)"
    case .request(let request): "request\(request.isExplicit ? "" : " by priority")"
    case .seat(let seat): "seat \(seat.joinSequence)"
    }
  }
}
