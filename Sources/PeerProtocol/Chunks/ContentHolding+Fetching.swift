package import Basics
package import WorldModel

/// A member that can serve a content.
package struct ContentSource: Sendable, Equatable {
  package let peer: PeerID
  /// The chunks that it has; nil is everything.
  package var have: ChunkSet?
  /// Chunks asked of it that have not arrived whole.
  var outstanding = 0
  /// When it last sent something of what it owes.
  var lastHeard: Instant
  /// Whether it kept chunks back for too long: then it is asked only for what nobody else has.
  var isSlow = false
}

/// A chunk on its way.
struct ChunkRequest: Sendable {
  let source: PeerID
  var codec = StoredChunk.Codec.raw
  var stored: [UInt8] = []
  /// Whether it is here and being proven.
  var isChecking = false
}

extension ContentHolding {
  /// The holders that can serve it, in order.
  package var holders: [PeerID] { sources.map(\.peer) }

  /// Notes that `peer` can serve `have` of it, nil being everything.
  package mutating func addHolder(_ peer: PeerID, have: ChunkSet? = nil, at now: Instant = .zero) {
    guard !refused.contains(peer) else { return }
    if let index = sources.firstIndex(where: { $0.peer == peer }) {
      sources[index].have = have
    } else {
      sources.append(ContentSource(peer: peer, have: have, lastHeard: now))
      sources.sort { $0.peer < $1.peer }
    }
  }

  /// Takes the word of `peer` on what it can serve; what was asked of it beyond that is asked of others.
  package mutating func take(_ have: ChunkSet, of peer: PeerID, at now: Instant) {
    addHolder(peer, have: have, at: now)
    release(requestsOf: peer, but: have)
  }

  /// Forgets `peer` as a source; what was asked of it is asked of others.
  package mutating func removeHolder(_ peer: PeerID) {
    sources.removeAll { $0.peer == peer }
    release(requestsOf: peer)
    if manifestSource == peer { forgetNames() }
  }

  /// Never asks `peer` again.
  package mutating func refuseHolder(_ peer: PeerID) {
    refused.insert(peer)
    removeHolder(peer)
  }

  /// Chooses the chunks to ask of each holder now, one after the other in turn, and notes them as asked.
  package mutating func nextRequests(at now: Instant) -> [(source: PeerID, chunks: [Int])] {
    guard manifest != nil, searchEnds == nil, !missing.isEmpty, unchecked <= ProtocolLimits.uncheckedChunks else {
      return []
    }
    var shares = [[Int]](repeating: [], count: sources.count)
    for isSlow in [false, true] {
      var isServed = true
      while isServed {
        isServed = false
        for index in sources.indices where sources[index].isSlow == isSlow {
          guard let chunk = ask(index, at: now) else { continue }
          shares[index].append(chunk)
          isServed = true
        }
      }
    }
    return zip(sources, shares).filter { !$1.isEmpty }.map { ($0.peer, $1) }
  }

  /// Asks one source for one chunk; nil when it may owe no more or has nothing that is wanted.
  private mutating func ask(_ index: Int, at now: Instant) -> Int? {
    let source = sources[index]
    guard source.outstanding < ProtocolLimits.outstandingChunks, requests.count < mostRequests,
      let chunk = missing.first(from: firstWanted, alsoIn: source.have)
    else { return nil }
    assert(!verified.contains(chunk) && requests[chunk] == nil, "a chunk is asked for that is not missing")
    if source.outstanding == 0 { sources[index].lastHeard = now }
    sources[index].outstanding += 1
    missing.remove(chunk)
    requests[chunk] = ChunkRequest(source: source.peer)
    traffic.requestedBytes += manifest?.names[chunk].size ?? 0
    return chunk
  }

  /// Whether chunks of it are on their way or can be asked for, also of sources that keep some back or of the others alone.
  func isObtainable(fromSlow: Bool) -> Bool {
    sources.contains { source in
      (fromSlow || !source.isSlow) && (source.outstanding > 0 || missing.first(from: 0, alsoIn: source.have) != nil)
    }
  }

  /// Takes one piece of a chunk that was asked of `source`.
  ///
  /// Returns what must be proven when the chunk is whole. A piece nobody asked for, such as one that crossed a cancel,
  /// is ignored.
  package mutating func take(
    _ piece: ChunkPiece, _ bytes: RawSpan, from source: PeerID, at now: Instant
  ) throws(ChunkFailure) -> ChunkCheck? {
    traffic.receivedBytes += bytes.byteCount
    guard let manifest, let request = requests[piece.chunk], request.source == source, !request.isChecking else {
      return nil
    }
    // A piece without bytes would make a source that sends nothing look busy.
    guard piece.storedSize <= ProtocolLimits.chunk, bytes.byteCount > 0,
      piece.offset + bytes.byteCount <= piece.storedSize
    else { throw .wrongSize }
    // The rest of a chunk whose beginning went down with a link; the source begins it again.
    guard piece.offset == request.stored.count || piece.offset == 0 else { return nil }
    hear(from: source, at: now)
    let isWhole = store(piece, bytes)
    guard isWhole, let whole = requests[piece.chunk] else { return nil }
    requests[piece.chunk] = ChunkRequest(source: source, isChecking: true)
    unchecked += 1
    if let owner = sources.firstIndex(where: { $0.peer == source }) { sources[owner].outstanding -= 1 }
    return ChunkCheck(
      content: head.id, index: piece.chunk, source: source,
      chunk: StoredChunk(codec: whole.codec, bytes: whole.stored), offset: piece.chunk * manifest.names[0].size,
      name: manifest.names[piece.chunk])
  }

  /// Appends a piece to its chunk, in place.
  ///
  /// Returns whether the chunk is whole.
  private mutating func store(_ piece: ChunkPiece, _ bytes: RawSpan) -> Bool {
    if piece.offset == 0 {
      requests[piece.chunk]?.codec = piece.codec
      requests[piece.chunk]?.stored = []
      requests[piece.chunk]?.stored.reserveCapacity(piece.storedSize)
    }
    return unsafe bytes.withUnsafeBytes { more in
      unsafe requests[piece.chunk]?.stored.append(contentsOf: more)
      return piece.offset + more.count == piece.storedSize
    }
  }

  /// Notes what a check found.
  ///
  /// Returns whether the chunk is news.
  ///
  /// - Throws: The fault of the chunk, which is then asked for again.
  package mutating func settle(_ verdict: ChunkVerdict, at now: Instant) throws(ChunkFailure) -> Bool {
    let index = verdict.check.index
    guard let request = requests[index], request.isChecking else { return false }
    requests[index] = nil
    unchecked -= 1
    assert(unchecked >= 0, "more chunks were proven than are being proven")
    if let failure = verdict.failure {
      miss(index)
      throw failure
    }
    guard !verified.contains(index) else { return false }
    keep(verdict.check.chunk, at: index)
    rate.record(verifiedBytes, at: now)
    return true
  }

  /// Frees what is owed by sources that have sent nothing for too long, and asks them last from now on.
  package mutating func passOverSlowSources(at now: Instant) {
    for index in sources.indices
    where sources[index].outstanding > 0 && now - sources[index].lastHeard >= ProtocolTimes.chunkTimeout {
      sources[index].isSlow = true
      release(requestsOf: sources[index].peer)
    }
  }

  /// Grants every source the time in which this node stood still.
  mutating func excuse(_ gap: Duration) {
    for index in sources.indices { sources[index].lastHeard += gap }
  }

  private mutating func hear(from peer: PeerID, at now: Instant) {
    guard let index = sources.firstIndex(where: { $0.peer == peer }) else { return }
    sources[index].lastHeard = now
    sources[index].isSlow = false
  }

  /// Gives back what was asked of `peer`, except chunks that are here and being proven.
  mutating func release(requestsOf peer: PeerID) {
    release(requestsOf: peer, but: ChunkSet(capacity: head.chunks))
  }

  /// The same, except chunks in `kept` too.
  private mutating func release(requestsOf peer: PeerID, but kept: ChunkSet) {
    var released = 0
    for (chunk, request) in requests
    where request.source == peer && !request.isChecking && !kept.contains(chunk) {
      requests[chunk] = nil
      miss(chunk)
      released += 1
    }
    if let index = sources.firstIndex(where: { $0.peer == peer }) {
      sources[index].outstanding -= released
      assert(sources[index].outstanding >= 0, "a source owes fewer chunks than none")
    }
  }

  /// Lets a chunk be asked for again, unless a late answer of the cache has brought it meanwhile.
  private mutating func miss(_ chunk: Int) {
    if !verified.contains(chunk) { missing.insert(chunk) }
  }
}
