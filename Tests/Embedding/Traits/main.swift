import SharedWorld

/// Uses what a trait of SharedWorld brings, in a library that was built without it, and prints the answer: Traits NAME.

let trait = CommandLine.arguments.last ?? ""
var configuration = Session.Configuration()
configuration.listen = PeerAddress(host: "127.0.0.1", port: 0)
configuration.discovery.mode = .none
do {
  switch trait {
  case "Alignment":
    let corners: [SIMD3<Float>] = [[0, 0, 0], [2, 0, 0], [0, 1, 3]]
    print("aligned:", try FrameFit(points: corners.map { FrameFit.Point(source: $0, target: $0) }))
  case "Journal":
    configuration.storage.journal = "\(CommandLine.arguments[0]).journal"
    let handle = try await Session.start(named: "traits", configuration: configuration)
    await handle.stop()
    print("a journal was kept")
  default:
    configuration.discovery.mode = .embedded
    let handle = try await Session.start(named: "traits", configuration: configuration)
    search: for await event in handle.session.events {
      switch event {
      case .discoveryAvailable(let backend):
        print("peers are discovered by \(backend)")
        break search
      case .discoveryUnavailable(let reason):
        print(reason)
        break search
      default: continue
      }
    }
    await handle.stop()
  }
} catch {
  print(error)
}
