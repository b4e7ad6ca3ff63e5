import Testing

/// A call or word that some modules must not use.
struct BannedCall: CustomTestStringConvertible {
  let name: String
  let pattern: String
  /// The modules it is banned from, or nil for every Swift file.
  let modules: Set<String>?
  let advice: String
  /// The files that may, and why.
  var exceptions: [String: String] = [:]

  var testDescription: String { name }

  static let pure: Set = [
    "Authentication", "Basics", "WorldModel", "WorldFormats", "WorldAlignment", "AlignmentTrials", "AnchorReplication",
    "PeerProtocol", "Simulator",
  ]
  static let deterministic: Set = [
    "Basics", "AnchorReplication", "AlignmentTrials", "PeerProtocol", "Simulator",
  ]
  static let shell: Set = ["BasicsLinux", "PeerTransport", "ServiceDiscovery", "SharedWorld", "CSharedWorld"]
  static let programs: Set = ["PeerCLI", "WorldViewKit", "worldpeer", "worldview", "worldmap", "soak", "trials"]

  static let all = [
    BannedCall(
      name: "operating system in a pure module",
      pattern: #"\bimport\s+(Foundation\w*|Glibc|Musl|Dispatch)\b"#, modules: pure,
      advice: "a pure module imports neither Foundation nor the C library: pass the value in"),
    BannedCall(
      name: "all of Foundation", pattern: #"\bimport\s+Foundation\b"#, modules: shell.union(programs),
      advice: "FoundationEssentials has what is needed: the rest brings 40 MB of ICU into each program"),
    BannedCall(
      name: "lock in the core", pattern: #"\bimport\s+Synchronization\b"#, modules: deterministic,
      advice: "the core has one thread: nothing needs a lock"),
    BannedCall(
      name: "clock in the core", pattern: #"\b(Date\(\)|ContinuousClock|SuspendingClock|clock_gettime|gettimeofday)"#,
      modules: deterministic, advice: "the core reads no clock: take an Instant as a parameter"),
    BannedCall(
      name: "random numbers in the core",
      pattern: #"\bSystemRandomNumberGenerator\b|\.(random|shuffled|randomElement)\((?![^)\n]*using)"#,
      modules: deterministic, advice: "the core draws no random number: pass a generator in"),
    BannedCall(
      name: "seeded hashing in the core", pattern: #"\.hashValue\b"#, modules: deterministic,
      advice: "hash values differ from process to process: use SHA-256 or an order"),
    BannedCall(
      name: "task in the core", pattern: #"\b(Task\s*[{.]|async let\b|withTaskGroup|Thread\b)"#, modules: deterministic,
      advice: "the core starts nothing: return an Output"),
    BannedCall(
      // A C function has no task that could be a parent: CSharedWorld starts one root a session and waits for it.
      name: "unstructured task", pattern: #"\bTask\s*(\.detached|\(|\{)"#, modules: shell.subtracting(["CSharedWorld"]),
      advice: "no task without a parent: use a task group, or a deadline in the core",
      exceptions: [
        "Sources/SharedWorld/Session/SessionHandle.swift":
          "the root of a session that no closure encloses; the handle owns it and ends it"
      ]),
    BannedCall(
      name: "print in a library", pattern: #"(^|[^.\w])(print|debugPrint|dump)\("#, modules: pure.union(shell),
      advice: "a library prints nothing: throw an error or send an event"),
    BannedCall(
      name: "second door to the system", pattern: #"\b(pthread_create|eventfd|getifaddrs|getaddrinfo)\b"#,
      modules: shell.union(programs).subtracting(["BasicsLinux"]),
      advice: "BasicsLinux has the one thread, wake-up, list of interfaces and look-up of names"),
    BannedCall(
      name: "crash on purpose", pattern: #"\btry!|\bfatalError\(|\bas!"#, modules: nil,
      advice: "throw a typed error, or in a test use #require"),
  ]

  /// The places of `file` that break this rule.
  func findings(in file: SourceFile) throws -> [Finding] {
    if exceptions[file.path] != nil { return [] }
    if let modules {
      guard let module = file.module, modules.contains(module) else { return [] }
    }
    return try findings(in: file.code, path: file.path)
  }

  /// The places of `code` that break this rule.
  func findings(in code: String, path: String) throws -> [Finding] {
    let regex = try Regex(pattern)
    return code.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { number, line in
      line.contains(regex) ? Finding(path: path, line: number + 1, advice: "\(name): \(advice)") : nil
    }
  }
}

@Suite("Calls that are not made")
struct Calls {
  @Test("no file makes a call that is banned from its module", arguments: BannedCall.all)
  func banned(call: BannedCall) throws {
    report(try Repository.swift.flatMap { try call.findings(in: $0) })
  }

  @Test(
    "each rule sees what it is for",
    arguments: [
      ("operating system in a pure module", "import FoundationEssentials"), ("all of Foundation", "import Foundation"),
      ("lock in the core", "import Synchronization"), ("clock in the core", "let now = Date()"),
      ("random numbers in the core", "list.shuffled()"), ("random numbers in the core", "Int.random(in: 0..<9)"),
      ("seeded hashing in the core", "x.hashValue"), ("task in the core", "Task { }"),
      ("unstructured task", "Task.detached {"), ("unstructured task", "Task(priority: .low) {"),
      ("print in a library", "print(x)"), ("second door to the system", "eventfd(0, 0)"),
      ("crash on purpose", "try! f()"), ("crash on purpose", "fatalError()"),
    ])
  func seen(rule: String, code: String) throws {
    #expect(try findings(of: rule, in: code).count == 1)
  }

  @Test(
    "prose and like-named calls are left alone",
    arguments: [
      ("all of Foundation", "import FoundationEssentials"), ("print in a library", "// print(x)"),
      ("print in a library", "node.print(x)"), ("print in a library", "let s = \"print(x)\""),
      ("random numbers in the core", "Int.random(in: 0..<9, using: &g)"),
      ("random numbers in the core", "list.shuffled(using: &g)"), ("unstructured task", "let t: Task<Void, Never>"),
      ("crash on purpose", "try f()"),
    ])
  func unseen(rule: String, code: String) throws {
    #expect(try findings(of: rule, in: code).isEmpty)
  }

  private func findings(of rule: String, in code: String) throws -> [Finding] {
    let call = try #require(BannedCall.all.first { $0.name == rule })
    return try call.findings(in: Scrubber.code(of: code), path: "x")
  }

  @Test("an interpolation is code, the string around it is not")
  func interpolation() {
    let code = Scrubber.code(of: ##"f("a \(b("c")) d", #"e \n"#) // g"##)
    #expect(code.split(separator: " ").joined(separator: " ") == "f( b( ) , )")
  }
}
