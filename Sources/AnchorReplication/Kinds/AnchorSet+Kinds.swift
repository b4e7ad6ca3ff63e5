package import Basics
package import WorldModel

/// Kinds that change after their anchors were placed: registers of their own beside the operations.
extension AnchorSet {
  /// Gives an anchor another kind; of two concurrent ones the later stands.
  ///
  /// It is no operation and has no dot.
  package mutating func setKind(
    _ kind: Anchor.Kind, of id: AnchorID, at milliseconds: UInt64
  ) throws(AnchorError) {
    guard let slot = table.slot(showing: id) else { throw .unknownAnchor(id) }
    do { try kind.validate() } catch { throw .invalid(id, error) }
    let entry = table.entries[slot]
    guard kind.filterKind != .participant, entry.kind.filterKind != .participant else { throw .foreignParticipant(id) }
    let present = kinds[entry.key]?.kind.byteCount ?? 0
    guard kind.byteCount <= present || stateBytes - present + kind.byteCount <= limits.stateBytes else {
      throw .overLimit(.stateBytes, limit: limits.stateBytes)
    }
    guard let clock = clock.tick(at: milliseconds), clock > kindStamp(at: slot).clock else { throw .clockExhausted }
    let write = KindWrite(key: actors.dot(entry.key), stamp: Stamp(clock: clock, actor: actor), kind: kind)
    writeKind(write, at: slot, origin: .local)
  }

  /// Merges writes that another peer sent; what is not later than what is here has no effect.
  ///
  /// A clock too far ahead refuses all of them. A write in this actor's name that it never made counts like any other: each
  /// member may give each anchor another kind, and who brings a forged write may have it from somebody else.
  ///
  /// - Parameter author: Whose link they came on; only what that peer wrote itself is judged by its clock. Nil judges none.
  /// - Returns: Whether any of them changed an anchor.
  @discardableResult
  package mutating func merge(
    _ writes: [KindWrite], judging author: LinkAuthor?
  ) throws(ReplicationError) -> Bool {
    for write in writes { try check(write, judging: author) }
    let before = kinds.version
    for write in writes where !cuts.ignoresKinds(of: write.stamp.actor) {
      guard let slot = slot(of: write.key) else {
        // A key that is covered and not here was removed.
        if !covers(write.key) { kinds.wait(write, limit: limits.earlyKinds) }
        continue
      }
      guard stateBytes + write.kind.byteCount <= 2 * limits.stateBytes else {
        throw .overLimit(.stateBytes, limit: 2 * limits.stateBytes)
      }
      writeKind(write, at: slot, origin: .remote)
    }
    return kinds.version != before
  }

  private func check(_ write: KindWrite, judging author: LinkAuthor?) throws(ReplicationError) {
    if let horizon = author?.horizon(for: write.stamp.actor, limits), write.stamp.sessionMilliseconds > horizon {
      throw .clockAhead(write.key, by: write.stamp.sessionMilliseconds - horizon)
    }
  }

  /// Writes the kind of the anchor at `slot` if the write is the latest, and reports it.
  mutating func writeKind(_ write: KindWrite, at slot: Int, origin: AnchorOrigin) {
    clock.observe(write.stamp.clock)
    // Where a device stands is said by the addition of its own peer alone.
    guard table.entries[slot].kind.filterKind != .participant else { return }
    guard isLatest(write, at: slot) || !rules.contains(.kindOrder) else { return }
    kinds.store(write, of: table.entries[slot].key)
    tellWrite(.kind, at: slot, stamp: write.stamp, origin: origin)
  }

  /// Takes back the kinds that peers wrote whose kinds are ignored now.
  mutating func dropKinds() {
    let cuts = cuts
    for key in kinds.removeAll(where: { cuts.ignoresKinds(of: $0.stamp.actor) }) {
      guard let slot = table.slot(of: key) else { continue }
      tellWrite(.kind, at: slot, stamp: kindStamp(at: slot), origin: .remote)
    }
  }

  private func isLatest(_ write: KindWrite, at slot: Int) -> Bool {
    guard let present = kinds[table.entries[slot].key] else { return write.stamp > kindStamp(at: slot) }
    return write.follows(present)
  }

  /// When the kind of the anchor at `slot` was written.
  private func kindStamp(at slot: Int) -> Stamp {
    let entry = table.entries[slot]
    return kinds[entry.key]?.stamp ?? Stamp(clock: entry.createdClock, actor: actors.ids[Int(entry.key.actor)])
  }

  // MARK: Reading

  /// The version of the latest kind that was written here; 0 for none.
  ///
  /// It is of this set alone, and rises.
  package var kindVersion: UInt64 { kinds.version }

  /// The digest of the kinds that were written; equal ones mean the same kinds.
  package var kindDigest: KindDigest { kinds.digest }

  /// The digest of the anchors and of the kinds that were written; without any it is ``digest``.
  package var wholeDigest: SHA256Digest {
    mutating get {
      guard !kinds.isEmpty else { return digest }
      var writer = ByteWriter()
      writer.write(digest)
      for sum in kinds.digest.sums { writer.write(sum) }
      return SHA256Digest(hashing: writer.bytes)
    }
  }

  /// Appends writes with later versions than `version`, which moves on, up to about `limit` bytes.
  ///
  /// - Parameter isWanted: Whether a write of this version is to be appended.
  /// - Returns: How many were.
  package func readKinds(
    after version: inout UInt64, limit: Int, where isWanted: (UInt64, KindWrite) -> Bool = { _, _ in true },
    into writer: inout ByteWriter
  ) -> Int {
    let start = writer.count
    var count = 0
    while writer.count - start + KindWrite.largest <= limit, let next = kinds.next(after: version) {
      version = next.version
      guard isWanted(next.version, next.write) else { continue }
      next.write.write(to: &writer)
      count += 1
    }
    return count
  }

  /// Reads writes up to the end of `bytes`.
  package static func kinds(reading bytes: RawSpan) throws(DecodingFailure) -> [KindWrite] {
    var reader = ByteReader(bytes)
    var writes: [KindWrite] = []
    while !reader.isAtEnd { writes.append(try KindWrite(reading: &reader)) }
    return writes
  }
}
