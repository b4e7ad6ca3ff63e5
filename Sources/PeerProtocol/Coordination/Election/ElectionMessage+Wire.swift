package import Basics

/// The bytes of election messages: a kind, then fixed little-endian fields (Documentation/Protocol/election.md).
extension ElectionMessage {
  /// Bytes of the longest one on the wire, a ``StepDown``, under its header.
  static let largestFrame = FloodHeader.largest + NodeID.wireSize + 21

  /// The highest epoch and the highest session time accepted from the wire, so that arithmetic never overflows.
  package static let greatestCount: UInt64 = 1 << 62
  /// The highest place in the order of joining accepted from the wire.
  package static let greatestJoinSequence: UInt32 = 1 << 31

  /// Appends the message.
  package func write(to writer: inout ByteWriter) {
    writer.write(kind)
    switch self {
    case .beat(let beat): beat.write(to: &writer)
    case .ack(let ack):
      writer.write(ack.epoch)
      writer.write(ack.sequence)
      writer.write(ack.joinSequence)
      writer.write(ack.sessionTime)
    case .preClaim(let claim):
      writer.write(claim.priority)
      writer.write(claim.joinSequence)
      writer.write(claim.maxEpoch)
    case .preNack(let nack):
      writer.writeOptional(nack.host)
      writer.write(nack.epoch)
      writer.write(nack.leaseRemaining)
    case .stepDown(let stepDown):
      stepDown.to.write(to: &writer)
      writer.write(stepDown.epoch)
      writer.write(stepDown.leaseRemaining)
      writer.write(stepDown.ended)
    case .offer(let offer):
      writer.write(offer.size)
      writer.write(offer.priority)
      writer.write(offer.epoch)
    case .win(let win):
      writer.write(win.epoch)
      writer.write(win.offerEpoch)
    case .yield(let yield):
      writer.write(yield.epoch)
      writer.write(yield.maxEpoch)
      writer.write(yield.sessionTime)
    case .handover(let handover): writer.write(handover.epoch)
    case .resign(let resign):
      writer.write(resign.epoch)
      writer.writeOptional(resign.successor)
    case .request(let request):
      writer.write(request.priority)
      writer.write(UInt8(request.isExplicit ? 1 : 0))
    case .seat(let seat): writer.write(seat.joinSequence)
    }
  }

  /// Reads what ``write(to:)`` wrote; bytes after the message are left for the caller to refuse.
  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    switch try reader.readByte() {
    case 1: self = .beat(try Beat(reading: &reader))
    case 2:
      let (epoch, sequence) = (try reader.readCount(), try reader.read(UInt32.self))
      let (place, time) = (try reader.readJoinSequence(), try reader.readCount())
      self = .ack(Ack(epoch: epoch, sequence: sequence, joinSequence: place, sessionTime: time))
    case 3:
      let (priority, sequence) = (try reader.readByte(), try reader.readJoinSequence())
      self = .preClaim(PreClaim(priority: priority, joinSequence: sequence, maxEpoch: try reader.readCount()))
    case 4:
      let (host, epoch) = (try reader.readOptionalNode(), try reader.readCount())
      self = .preNack(PreNack(host: host, epoch: epoch, leaseRemaining: try reader.read(UInt32.self)))
    case 5: self = .stepDown(try StepDown(reading: &reader))
    case 6:
      let (size, priority) = (try reader.read(UInt16.self), try reader.readByte())
      self = .offer(Offer(size: size, priority: priority, epoch: try reader.readCount()))
    case 7: self = .win(Win(epoch: try reader.readCount(), offerEpoch: try reader.readCount()))
    case 8:
      let (epoch, maxEpoch) = (try reader.readCount(), try reader.readCount())
      self = .yield(Yield(epoch: epoch, maxEpoch: maxEpoch, sessionTime: try reader.readCount()))
    case 9: self = .handover(Handover(epoch: try reader.readCount()))
    case 10: self = .resign(Resign(epoch: try reader.readCount(), successor: try reader.readOptionalNode()))
    case 11: self = .request(Request(priority: try reader.readByte(), isExplicit: try reader.readFlag()))
    case 12: self = .seat(Seat(joinSequence: try reader.readJoinSequence()))
    default: throw .unknownKind(offset: start)
    }
  }

  private var kind: UInt8 {
    switch self {
    case .beat: 1
    case .ack: 2
    case .preClaim: 3
    case .preNack: 4
    case .stepDown: 5
    case .offer: 6
    case .win: 7
    case .yield: 8
    case .handover: 9
    case .resign: 10
    case .request: 11
    case .seat: 12
    }
  }
}

extension ElectionMessage.Beat {
  fileprivate func write(to writer: inout ByteWriter) {
    writer.write(epoch)
    writer.write(sequence)
    writer.write(size)
    writer.write(priority)
    writer.write(sessionTime)
    writer.write(nextJoinSequence)
  }

  fileprivate init(reading reader: inout ByteReader) throws(DecodingFailure) {
    epoch = try reader.readCount()
    sequence = try reader.read(UInt32.self)
    size = try reader.read(UInt16.self)
    priority = try reader.readByte()
    sessionTime = try reader.readCount()
    nextJoinSequence = try reader.readJoinSequence()
  }
}

extension ElectionMessage.StepDown {
  fileprivate init(reading reader: inout ByteReader) throws(DecodingFailure) {
    to = try NodeID(reading: &reader)
    epoch = try reader.readCount()
    leaseRemaining = try reader.read(UInt32.self)
    ended = try reader.readCount()
  }
}

extension ByteWriter {
  /// Appends 0, or 1 and the node.
  mutating func writeOptional(_ node: NodeID?) {
    write(UInt8(node == nil ? 0 : 1))
    node?.write(to: &self)
  }
}

extension ByteReader {
  @_lifetime(self: copy self)
  mutating func readOptionalNode() throws(DecodingFailure) -> NodeID? {
    try readFlag() ? try NodeID(reading: &self) : nil
  }

  /// Reads an epoch or a session time.
  @_lifetime(self: copy self)
  mutating func readCount() throws(DecodingFailure) -> UInt64 {
    let start = offset
    let count = try read(UInt64.self)
    guard count <= ElectionMessage.greatestCount else { throw .invalid("number over 2^62", offset: start) }
    return count
  }

  @_lifetime(self: copy self)
  mutating func readJoinSequence() throws(DecodingFailure) -> UInt32 {
    let start = offset
    let sequence = try read(UInt32.self)
    guard sequence <= ElectionMessage.greatestJoinSequence else {
      throw .invalid("place in the order of joining over 2^31", offset: start)
    }
    return sequence
  }
}
