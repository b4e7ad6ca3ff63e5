import Testing

@Suite("The shape of the house")
struct House {
  /// What each module may import of this package: an arrow that is not here does not exist.
  static let arrows: [String: Set<String>] = {
    let core: Set = ["Basics", "WorldModel", "AnchorReplication", "PeerProtocol"]
    let facade: Set = ["SharedWorld", "Basics", "WorldModel"]
    return [
      "Authentication": ["CSodium"],
      "Basics": ["COpenSSL"],
      "BasicsLinux": ["Basics", "CLinux"],
      "WorldModel": ["Basics"],
      "WorldFormats": ["Basics", "WorldModel", "CZlib"],
      "WorldAlignment": ["WorldModel"],
      "AlignmentTrials": ["Basics", "WorldAlignment", "WorldFormats", "WorldModel"],
      "trials": ["AlignmentTrials", "WorldAlignment", "WorldModel"],
      "AnchorReplication": ["Basics", "WorldModel"],
      "PeerProtocol": ["Authentication", "Basics", "WorldModel", "AnchorReplication", "CZstd"],
      "Simulator": core.union(["Authentication"]),
      "PeerTransport": ["Authentication", "Basics", "BasicsLinux", "PeerProtocol", "WorldModel", "CLinux", "COpenSSL"],
      "ServiceDiscovery": ["Basics", "BasicsLinux", "CDNSSD", "CAvahiCore", "CLinux"],
      "SharedWorld": core.union([
        "Authentication", "BasicsLinux", "PeerTransport", "ServiceDiscovery", "WorldAlignment", "CSQLite",
      ]),
      "CSharedWorld": facade.union(["BasicsLinux", "CSharedWorldHeaders"]),
      "CSharedWorldHeaders": [],
      "PeerCLI": facade.union(["BasicsLinux", "WorldFormats", "CQREncode"]),
      "soak": ["Basics", "Simulator"],
      "worldpeer": facade.union(["BasicsLinux", "CEdit", "PeerCLI", "WorldFormats"]),
      "WorldViewKit": facade.union(["BasicsLinux", "PeerCLI", "WorldFormats", "CMicroHTTPD", "COpenSSL"]),
      "worldview": facade.union(["PeerCLI", "WorldViewKit"]),
      "worldmap": facade.union(["PeerCLI", "WorldAlignment", "WorldFormats"]),
    ]
  }()

  /// What may lie in the top folder.
  static let topLevel: Set = [
    ".ci", ".devcontainer", ".editorconfig", ".github", ".gitignore", ".spi.yml", ".swift-format", ".swift-version",
    "Benchmarks", "Bindings", "CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "Documentation", "Fixtures",
    "Fuzzing", "KNOWN-ISSUES.md", "LICENSE", "LICENSES", "Makefile", "PROTOCOL.md", "Package.resolved",
    "Package.swift", "Packaging", "README.md", "REUSE.toml", "SECURITY.md", "Scripts", "Snippets", "Sources", "Tests",
  ]

  @Test("imports follow the arrows")
  func imports() throws {
    let house = Set(Self.arrows.keys).union([
      "CDNSSD", "CAvahiCore", "CEdit", "CLinux", "CMicroHTTPD", "COpenSSL", "CQREncode", "CSQLite", "CSodium", "CZlib",
      "CZstd",
    ])
    report(
      Repository.swift.flatMap { file -> [Finding] in
        guard let module = file.module else { return [] }
        return imported(by: file.code).filter { house.contains($0.module) && $0.module != module }.compactMap {
          guard Self.arrows[module]?.contains($0.module) != true else { return nil }
          return Finding(
            path: file.path, line: $0.line,
            advice:
              "\(module) must not know \($0.module): move the code, or change the arrows in House.swift and say why")
        }
      })
  }

  @Test("every module has its arrows")
  func modules() {
    let modules = Set(Repository.swift.compactMap { file in file.module.map { ($0, file.path) } }.map(\.0))
    report(
      modules.subtracting(Self.arrows.keys).sorted().map {
        Finding(path: "Sources/\($0)", line: 1, advice: "say in House.swift what this module may import")
      })
  }

  @Test("every file lies in a folder of the house")
  func folders() {
    let targets = Repository.text("Package.swift")
    report(
      Repository.files.compactMap { file -> Finding? in
        let parts = file.path.split(separator: "/").map(String.init)
        if !Self.topLevel.contains(parts[0]) {
          return Finding(
            path: file.path, line: 1, advice: "not a place of the house (House.topLevel): move or remove it")
        }
        guard parts[0] == "Sources" || parts[0] == "Tests",
          !["Browser", "Embedding", "Interop", "Lan", "Terminal"].contains(parts[1])
        else { return nil }
        guard parts.count == 2 || !targets.contains("name: \"\(parts[1])\"") else { return nil }
        return Finding(path: file.path, line: 1, advice: "belongs to no target of Package.swift: nothing builds it")
      })
  }

  @Test("a placeholder goes when the first real file comes")
  func placeholders() {
    let paths = Repository.swift.map(\.path)
    report(
      paths.filter { $0.hasSuffix("/Empty.swift") }.compactMap { path in
        let folder = path.dropLast("Empty.swift".count)
        guard paths.contains(where: { $0.hasPrefix(folder) && $0 != path }) else { return nil }
        return Finding(path: path, line: 1, advice: "remove it")
      })
  }

  @Test("every system library is installed by make")
  func systemLibraries() throws {
    let listed = Set(
      Repository.text("Scripts/packages.txt").split(separator: "\n").filter { !$0.hasPrefix("#") }
        .compactMap { $0.split(separator: " ").dropFirst().first })
    for (number, line) in Repository.text("Package.swift").split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated() where line.contains(".systemLibrary(") && !line.contains("\"CLinux\"")
    {
      let packages = line.matches(of: try Regex(#"\.apt\(\["([^"]+)"\]\)"#, as: (Substring, Substring).self)).map(\.1)
      #expect(!packages.isEmpty, "Package.swift:\(number + 1): name the Debian package: providers: [.apt([…])]")
      for package in packages {
        #expect(listed.contains(package), "Package.swift:\(number + 1): add \(package) to Scripts/packages.txt")
      }
    }
    #expect(listed.contains("libssl-dev"), "the list of packages could not be read")
  }

  @Test("a target depends on what it imports, or runs, and on nothing else")
  func dependencies() throws {
    // From one target of the manifest to the next.
    let targets = Repository.text("Package.swift").split(separator: "arget(").dropFirst()
    let runnable = targets.filter { Repository.text("Sources/\(Self.name(of: $0))/main.swift") != "" }.map(Self.name)
    for target in targets {
      let name = Self.name(of: target)
      let folders = ["Sources/\(name)/", "Tests/\(name)/", "Benchmarks/Sources/\(name)/"]
      let files = Repository.swift.filter { file in folders.contains { file.path.hasPrefix($0) } }
      let imports = Set(files.flatMap { imported(by: $0.code).map(\.module) })
      let list = try #/dependencies: \[([^\]]*)\]/#.firstMatch(in: target)?.1 ?? ""
      let needed = imports.union(name.hasSuffix("Tests") ? runnable : [])
      for dependency in list.matches(of: #/"(\w+)"/#).map({ String($0.1) }) where !needed.contains(dependency) {
        Issue.record("Package.swift: \(name) does not import \(dependency): remove the dependency")
      }
    }
    #expect(targets.count > 20, "the targets of Package.swift could not be read")
  }

  /// The name that a piece of the manifest begins with.
  private static func name(of target: Substring) -> String {
    target.firstMatch(of: #/name: "(\w+)"/#).map { String($0.1) } ?? ""
  }

  private func imported(by code: String) -> [(module: String, line: Int)] {
    code.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { number, line in
      let words = line.split(separator: " ")
      guard let at = words.firstIndex(of: "import"), at < 3, at + 1 < words.count else { return nil }
      let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
      let name = kinds.contains(words[at + 1]) && at + 2 < words.count ? words[at + 2] : words[at + 1]
      return (String(name.prefix { $0 != "." }), number + 1)
    }
  }
}
