import BasicsLinux
import Glibc
import ServiceDiscovery
import TestSupport
import Testing

@testable import SharedWorld

@Suite("What may keep a device from finding others")
struct NetworkDiagnosisTests {
  private static let eth0 = NetworkFacts.Path(interface: "eth0")

  /// The facts of a network on which another peer answers.
  private static let healthy = NetworkFacts(
    daemon: .answers, paths: [eth0], hearsItself: true, others: [.ipv4(1), .ipv4(2)], offering: [.ipv4(2)])

  private static func diagnosis(_ change: (inout NetworkFacts) -> Void) -> NetworkDiagnosis {
    var facts = healthy
    change(&facts)
    return NetworkDiagnosis(facts)
  }

  /// The complaints, each as its weight and subject.
  private static func complaints(_ change: (inout NetworkFacts) -> Void) -> [String] {
    diagnosis(change).complaints.map { "\($0.weight.rawValue) \($0.subject)" }
  }

  @Test("a network on which a peer answers has nothing to complain of")
  func healthy() {
    let diagnosis = Self.diagnosis { _ in }
    #expect(diagnosis.canFindPeers && diagnosis.complaints.isEmpty)
    #expect(diagnosis.findings.map(\.subject) == ["interfaces", "daemon", "port", "multicast"])
    #expect(diagnosis.findings.last?.text == "1 other machine tells of this service")
    #expect(diagnosis.summary == "discovery works, and nobody else is there")
  }

  @Test("each cause is named by its subject, and says what to do")
  func causes() {
    #expect(Self.complaints { $0.paths = [] } == ["bad interfaces"])
    #expect(Self.complaints { $0.paths[0].isIPv4 = false } == ["doubtful interfaces"])
    #expect(Self.complaints { $0.daemon = .absent }.isEmpty)
    let bare = Self.diagnosis { ($0.daemon, $0.hasResponder) = (.absent, false) }
    #expect(bare.complaints.map(\.subject) == ["daemon"] && !bare.canFindPeers)
    #expect(bare.summary.contains("libavahi-core7"))
    #expect(Self.complaints { $0.hasResponder = false }.isEmpty)
    #expect(Self.complaints { $0.daemon = .hung } == ["doubtful daemon"])
    #expect(Self.complaints { $0.offering = [] } == ["doubtful multicast"])
    #expect(Self.complaints { ($0.others, $0.offering) = ([], []) } == ["doubtful multicast"])
    #expect(Self.complaints { ($0.hearsItself, $0.others, $0.offering) = (false, [], []) } == ["bad multicast"])
    let conflict = Self.diagnosis { $0.contestedNames = ["kitchen", "porch.local"] }
    #expect(conflict.complaints.map(\.subject) == ["names"] && conflict.canFindPeers)
    #expect(conflict.summary.hasPrefix("another machine has the name 'kitchen', 'porch.local' too"))
    let held = Self.diagnosis { ($0.isPortHeld, $0.paths, $0.daemon) = (true, [], .absent) }
    #expect(held.complaints.map(\.subject) == ["port", "interfaces"] && !held.canFindPeers)
    #expect(held.summary.contains("ss -ulpn"))
  }

  @Test("nobody can be found where one of the findings is bad, and there alone")
  func verdict() {
    for daemon in [DaemonPulse.answers, .absent, .hung] {
      for bits in 0..<16 {
        let diagnosis = Self.diagnosis { facts in
          (facts.daemon, facts.hasResponder, facts.isPortHeld) = (daemon, bits & 1 == 0, bits & 2 != 0)
          if bits & 4 != 0 { facts.paths = [] }
          if bits & 8 != 0 { (facts.hearsItself, facts.others, facts.offering) = (false, [], []) }
        }
        #expect(diagnosis.canFindPeers == diagnosis.findings.allSatisfy { $0.weight != .bad })
        let isServed = daemon == .answers || bits & 3 == 0
        #expect(!diagnosis.canFindPeers || isServed, "\(diagnosis)")
      }
    }
  }

  @Test("what cannot be sent asks for a route, or for the firewall to let it pass")
  func sending() {
    func advice(_ code: Int32) -> String? {
      let diagnosis = Self.diagnosis { $0.paths[0].failure = SystemCallFailure("sendto", code: code) }
      #expect(!diagnosis.canFindPeers)
      return diagnosis.complaints.first?.advice
    }
    #expect(advice(ENETUNREACH) == "add a route for it: ip route add 224.0.0.0/4 dev eth0")
    #expect(advice(EPERM) == "let the firewall of this machine pass UDP port 5353")
    // One interface that works is enough.
    let two = Self.diagnosis {
      $0.paths.append(.init(interface: "wlan0", failure: SystemCallFailure("sendto", code: ENETUNREACH)))
    }
    #expect(two.canFindPeers && two.complaints.isEmpty)
  }

  @Test("a service type that cannot be is refused")
  func service() async {
    let error = await #expect(throws: SessionError.self) { _ = try await NetworkDiagnosis.run(service: "a b") }
    #expect(error?.code == .invalidArgument)
  }

  @Test("a session that finds nobody for 10 s says what may be the cause", .endsHangs)
  func silence() async throws {
    var configuration = Session.Configuration(service: "swn-\(UInt32.random(in: 0..<100_000))")
    configuration.discovery.mode = .embedded
    try await Session.withSession(as: TestSessions.identity("alone"), configuration: configuration) { session in
      let diagnosis = try await session.first { if case .nobodyFound(let diagnosis) = $0 { diagnosis } else { nil } }
      #expect(diagnosis.findings.map(\.subject).starts(with: ["interfaces", "daemon", "port"]))
    }
  }
}
