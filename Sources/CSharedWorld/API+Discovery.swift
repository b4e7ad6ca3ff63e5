public import CSharedWorldHeaders
import SharedWorld

extension sw_candidate {
  /// A candidate as C sees it; what it points to must be freed by ``release()``.
  init(_ candidate: Candidate) {
    self.init()
    id = UnsafePointer(copyText(candidate.id))
    name = candidate.name.map { UnsafePointer(copyText($0)) }
    seen_before_name = candidate.seenBefore.map { UnsafePointer(copyText($0.name)) }
    peer = sw_peer_id(copying: candidate.peer?.id.bytes ?? [])
    seen_before = sw_peer_id(copying: candidate.seenBefore?.id.bytes ?? [])
    announced_key = sw_peer_id(copying: candidate.announcedKey?.bytes ?? [])
    standing =
      switch candidate.standing {
      case .open: UInt32(SW_STANDING_OPEN)
      case .locked: UInt32(SW_STANDING_LOCKED)
      case .full: UInt32(SW_STANDING_FULL)
      }
    for way in candidate.ways {
      switch way {
      case .multicastDNS: ways |= UInt32(SW_WAY_MULTICAST_DNS)
      case .announcement: ways |= UInt32(SW_WAY_ANNOUNCEMENT)
      }
    }
    protocol_version = UInt32(clamping: candidate.protocolVersion ?? 0)
    asks_for_passcode = candidate.asksForPasscode ? 1 : 0
    (info, info_count) = copyPairs(candidate.info)
  }

  /// Frees what it points to.
  func release() {
    for text in [id, name, seen_before_name] { freeConstant(text) }
    freePairs(info, info_count)
  }
}

/// Takes a list of the candidates.
@c @implementation
public func sw_session_candidates(
  _ session: OpaquePointer?, _ candidates: UnsafeMutablePointer<OpaquePointer?>?
) -> sw_status {
  attempt {
    let candidates = try output(candidates, "candidates")
    let state = try object(session, as: RunningSession.self).wait { await $0.state }
    candidates.pointee = handle(RecordList(state.candidates.map { sw_candidate($0) }) { $0.release() })
  }
}

/// The number of candidates in a list.
@c @implementation
public func sw_candidate_list_count(_ candidates: OpaquePointer?) -> Int {
  (try? object(candidates, as: RecordList<sw_candidate>.self).count) ?? 0
}

/// A candidate of a list.
@c @implementation
public func sw_candidate_list_get(_ candidates: OpaquePointer?, _ index: Int) -> UnsafePointer<sw_candidate>? {
  try? object(candidates, as: RecordList<sw_candidate>.self).pointer(to: index)
}

/// Gives a list of candidates back.
@c @implementation
public func sw_candidate_list_destroy(_ candidates: OpaquePointer?) {
  drop(candidates, as: RecordList<sw_candidate>.self)
}

/// Asks where a candidate can be dialled.
@c @implementation
public func sw_session_resolve(
  _ session: OpaquePointer?, _ candidate: UnsafePointer<CChar>?, _ timeout: UInt32,
  _ operation: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  begin(session, operation) {
    let id = try text(candidate, "candidate")
    let patience = try duration(timeout, default: 5_000)
    return { session, done in
      done.text = try await session.peers.resolve(id, timeout: patience).map(\.description).joined(separator: "\n")
    }
  }
}

/// Advertises something else of the app.
@c @implementation
public func sw_session_set_discovery_info(
  _ session: OpaquePointer?, _ info: UnsafePointer<sw_pair>?, _ count: Int
) -> sw_status {
  attempt {
    let running = try object(session, as: RunningSession.self)
    let words = try pairs(info, count, "info")
    try running.wait { try await $0.peers.setDiscoveryInfo(words) }
  }
}

// MARK: - Diagnosis

extension sw_finding {
  /// A finding as C sees it; its texts must be freed.
  init(_ finding: NetworkDiagnosis.Finding) {
    self.init()
    subject = UnsafePointer(copyText(finding.subject))
    text = UnsafePointer(copyText(finding.text))
    advice = finding.advice.map { UnsafePointer(copyText($0)) }
    weight =
      switch finding.weight {
      case .good: UInt32(SW_FINDING_GOOD)
      case .doubtful: UInt32(SW_FINDING_DOUBTFUL)
      case .bad: UInt32(SW_FINDING_BAD)
      }
  }
}

/// A diagnosis behind a handle.
private final class DiagnosisBox: HandleObject {
  static let word = "a diagnosis"

  let findings: RecordList<sw_finding>
  let canFindPeers: Bool

  init(_ diagnosis: NetworkDiagnosis) {
    findings = RecordList(diagnosis.findings.map { sw_finding($0) }) { finding in
      for text in [finding.subject, finding.text, finding.advice] { freeConstant(text) }
    }
    canFindPeers = diagnosis.canFindPeers
  }
}

/// Begins to look at the network for a service; never waits.
private func diagnose(
  _ service: UnsafePointer<CChar>?, told: @escaping @Sendable (Result<DiagnosisBox, any Error>) -> Void
) throws {
  let service = try optionalText(service, "service") ?? "sharedworld"
  // C has no task that could be the parent: this is a root, which ends within seconds.
  Task {
    do { told(.success(DiagnosisBox(try await NetworkDiagnosis.run(service: service)))) } catch {
      told(.failure(error))
    }
  }
}

/// Looks at the network.
@c @implementation
public func sw_diagnose(
  _ service: UnsafePointer<CChar>?, _ diagnosis: UnsafeMutablePointer<OpaquePointer?>?
) -> sw_status {
  attempt {
    let diagnosis = try output(diagnosis, "diagnosis")
    let result = Handoff<DiagnosisBox>()
    try diagnose(service) { result.give($0) }
    diagnosis.pointee = handle(try result.wait())
  }
}

/// Begins to look at the network.
@c @implementation
public func sw_diagnose_async(
  _ service: UnsafePointer<CChar>?, _ diagnosing: UnsafeMutablePointer<OpaquePointer?>?
) -> sw_status {
  attempt {
    let place = try output(diagnosing, "diagnosing")
    let pending = try PendingHandle<DiagnosisBox>()
    try diagnose(service) { _ = pending.give($0) }
    place.pointee = handle(pending)
  }
}

/// A descriptor that is readable once a diagnosis is here.
@c @implementation
public func sw_diagnosing_fd(_ diagnosing: OpaquePointer?) -> Int32 {
  (try? object(diagnosing, as: PendingHandle<DiagnosisBox>.self).descriptor) ?? -1
}

/// Takes a diagnosis.
@c @implementation
public func sw_diagnosing_finish(
  _ diagnosing: OpaquePointer?, _ diagnosis: UnsafeMutablePointer<OpaquePointer?>?
) -> sw_status {
  PendingHandle<DiagnosisBox>.finish(diagnosing, diagnosis, "diagnosis")
}

/// Gives a diagnosis up.
@c @implementation
public func sw_diagnosing_cancel(_ diagnosing: OpaquePointer?) { _ = PendingHandle<DiagnosisBox>.cancel(diagnosing) }

/// Whether peers can be found.
@c @implementation
public func sw_diagnosis_can_find_peers(_ diagnosis: OpaquePointer?) -> Int32 {
  ((try? object(diagnosis, as: DiagnosisBox.self).canFindPeers) ?? false) ? 1 : 0
}

/// The number of findings.
@c @implementation
public func sw_diagnosis_count(_ diagnosis: OpaquePointer?) -> Int {
  (try? object(diagnosis, as: DiagnosisBox.self).findings.count) ?? 0
}

/// A finding.
@c @implementation
public func sw_diagnosis_get(_ diagnosis: OpaquePointer?, _ index: Int) -> UnsafePointer<sw_finding>? {
  try? object(diagnosis, as: DiagnosisBox.self).findings.pointer(to: index)
}

/// Gives a diagnosis back.
@c @implementation
public func sw_diagnosis_destroy(_ diagnosis: OpaquePointer?) { drop(diagnosis, as: DiagnosisBox.self) }

/// Looks at the network for the service of a session.
@c @implementation
public func sw_session_diagnose(
  _ session: OpaquePointer?, _ operation: UnsafeMutablePointer<UInt64>?
) -> sw_status {
  begin(session, operation) {
    { session, done in
      let diagnosis = try await session.peers.diagnose()
      done.flags = diagnosis.canFindPeers ? 1 : 0
      done.text = diagnosis.complaints.map { [$0.text, $0.advice].compactMap(\.self).joined(separator: "; ") }
        .joined(separator: "\n")
    }
  }
}
