import BasicsLinux
import Glibc
import ServiceDiscovery

/// The reasons that may keep this device from finding others, and what to do about them.
///
/// ``Session/Event/nobodyFound(_:)`` brings one when nobody was found for 10 s; ``run(service:)`` makes one at any time, also
/// without a session.
public struct NetworkDiagnosis: Hashable, Sendable {
  /// One thing that was looked at.
  public struct Finding: Hashable, Sendable {
    /// The meaning for discovery.
    @nonexhaustive
    public enum Weight: String, Hashable, Sendable, CaseIterable {
      /// It works.
      case good
      /// It may be why nobody is found.
      case doubtful
      /// It does not work.
      case bad
    }

    /// The thing that was looked at, as a short word that does not change between versions, such as `daemon` or `multicast`.
    public let subject: String
    /// The meaning for discovery.
    public let weight: Weight
    /// The observation: one sentence for people.
    public let text: String
    /// The advice: one sentence for people; nil where nothing has to be done.
    public let advice: String?
  }

  /// The findings, in the order in which discovery depends on them.
  public let findings: [Finding]
  /// Whether discovery can find anybody on another machine: none of the findings is bad.
  public let canFindPeers: Bool

  /// The findings that may be why nobody is found, the worst first.
  public var complaints: [Finding] {
    findings.filter { $0.weight == .bad } + findings.filter { $0.weight == .doubtful }
  }

  /// The complaints and what to do about them, as one line for people.
  public var summary: String {
    let complaints = complaints.map { [$0.text, $0.advice].compactMap(\.self).joined(separator: "; ") }
    return complaints.isEmpty ? "discovery works, and nobody else is there" : complaints.joined(separator: ". ")
  }

  /// Looks at the interfaces, Avahi's daemon and the port of multicast DNS, asks the network, and listens for 2 s.
  ///
  /// It asks three times on each interface that can multicast: a question or its answer may be lost.
  ///
  /// - Parameter service: The service type, as in ``Session/Configuration/service``.
  /// - Throws: ``SessionError`` with the code `invalidArgument` for a type that RFC 6335 §5.1 does not allow, and `io` when
  ///   the system gives no thread.
  public static func run(service: String = "sharedworld") async throws(SessionError) -> NetworkDiagnosis {
    let type: ServiceType
    do throws(DiscoveryError) { type = try ServiceType(service) } catch { throw SessionError(discovery: error) }
    return try await run(type)
  }

  static func run(_ type: ServiceType) async throws(SessionError) -> NetworkDiagnosis {
    let result: Result<NetworkFacts, SessionError> = await withCheckedContinuation { continuation in
      do throws(SystemCallFailure) {
        _ = try POSIXThread(named: "sharedworld-nd") {
          continuation.resume(returning: .success(NetworkProbe.facts(about: type, patience: patience)))
        }
      } catch {
        continuation.resume(returning: .failure(SessionError(.io, "\(error)", cause: error)))
      }
    }
    return NetworkDiagnosis(try result.get())
  }

  /// How long the network is listened to.
  private static let patience: Duration = .seconds(2)

  /// The meaning of these facts.
  init(_ facts: NetworkFacts) {
    let isAsked = facts.paths.contains { $0.failure == nil }
    // Without a network there is nothing to be said about who answers.
    let answers: [Finding] =
      if !isAsked || facts.isPortHeld { [] } else if facts.hearsItself || !facts.others.isEmpty {
        [.others(facts)]
      } else { [.deaf] }
    let conflicts = facts.contestedNames.isEmpty ? [] : [Finding.conflict(facts.contestedNames)]
    findings =
      [.interfaces(facts), .daemon(facts.daemon, hasResponder: facts.hasResponder), .port(facts)] + answers + conflicts
    canFindPeers = !findings.contains { $0.weight == .bad }
  }
}

extension NetworkDiagnosis.Finding {
  private static let passMulticast = "let the firewall of this machine pass UDP port 5353"

  fileprivate static func interfaces(_ facts: NetworkFacts) -> Self {
    let working = facts.paths.filter { $0.failure == nil }
    let names = Set(working.map(\.interface)).inOrder().joined(separator: ", ")
    if let failed = facts.paths.first, let failure = failed.failure, working.isEmpty {
      return Self(
        subject: "interfaces", weight: .bad,
        text: "nothing can be sent by multicast on \(failed.interface): \(failure.reason)",
        advice: failure.code == EPERM
          ? passMulticast : "add a route for it: ip route add 224.0.0.0/4 dev \(failed.interface)")
    }
    guard !working.isEmpty else {
      return facts.isPortHeld
        ? Self(subject: "interfaces", weight: .doubtful, text: "the interfaces could not be tried", advice: nil)
        : Self(
          subject: "interfaces", weight: .bad, text: "no network interface but loopback is up and can multicast",
          advice: "connect to the network of the other devices")
    }
    let isIPv6Only = !working.contains(where: \.isIPv4)
    return Self(
      subject: "interfaces", weight: isIPv6Only ? .doubtful : .good,
      text: "multicast leaves on \(names)\(isIPv6Only ? ", by IPv6 alone" : "")",
      advice: isIPv6Only ? "the other devices need IPv6 too" : nil)
  }

  fileprivate static func daemon(_ daemon: DaemonPulse, hasResponder: Bool) -> Self {
    #if !Avahi
    return Self(
      subject: "daemon", weight: .bad, text: "this library was built without discovery",
      advice: "add the trait Avahi to the traits of the dependency on SharedWorld, or connect by address")
    #else
    switch daemon {
    case .answers: Self(subject: "daemon", weight: .good, text: "avahi-daemon answers", advice: nil)
    case .absent where !hasResponder:
      Self(
        subject: "daemon", weight: .bad,
        text: "avahi-daemon does not run, and the library of the embedded responder is not installed",
        advice: "install one of the Debian packages libavahi-core7 and avahi-daemon")
    case .absent:
      Self(
        subject: "daemon", weight: .good, text: "avahi-daemon does not run; the embedded responder takes its place",
        advice: nil)
    case .hung:
      Self(
        subject: "daemon",
        weight: hasResponder ? .doubtful : .bad,
        text: "avahi-daemon runs and does not answer",
        advice: "restart it: systemctl restart avahi-daemon")
    }
    #endif
  }

  fileprivate static func port(_ facts: NetworkFacts) -> Self {
    guard facts.isPortHeld else {
      return Self(subject: "port", weight: .good, text: "UDP port 5353 can be shared", advice: nil)
    }
    return Self(
      subject: "port", weight: facts.daemon == .answers ? .doubtful : .bad,
      text: "another program holds UDP port 5353 and does not share it",
      advice: "find it with `ss -ulpn sport = 5353` and end it, or start avahi-daemon before it")
  }

  fileprivate static let deaf = Self(
    subject: "multicast", weight: .bad, text: "multicast that this machine sends does not come back to it",
    advice: passMulticast)

  /// Multicast DNS renames one of two services or machines in the end; until then either may be found under the name.
  fileprivate static func conflict(_ names: Set<String>) -> Self {
    let shown = names.inOrder().prefix(3).map { "'\($0)'" } + (names.count > 3 ? ["\(names.count - 3) more"] : [])
    return Self(
      subject: "names", weight: .doubtful,
      text: "another machine has the name \(shown.joined(separator: ", ")) too",
      advice: "give one of them another name: `hostnamectl hostname` for a machine, `--name` for a peer")
  }

  fileprivate static func others(_ facts: NetworkFacts) -> Self {
    let (others, offering) = (facts.others.count, facts.offering.count)
    if offering > 0 {
      let text = "\(offering) other machine\(offering == 1 ? " tells" : "s tell") of this service"
      return Self(subject: "multicast", weight: .good, text: text, advice: nil)
    }
    guard others == 0 else {
      let text = "\(others) other machine\(others == 1 ? "" : "s") can be heard, and none tells of this service"
      return Self(
        subject: "multicast", weight: .doubtful, text: text,
        advice: "start a peer of the same service on another device of this network")
    }
    return Self(
      subject: "multicast", weight: .doubtful, text: "no other machine was heard by multicast",
      advice: """
        if others are there, an access point that isolates its clients, a switch that snoops IGMP without a querier or a \
        firewall keeps multicast away: use an invitation link
        """)
  }
}
