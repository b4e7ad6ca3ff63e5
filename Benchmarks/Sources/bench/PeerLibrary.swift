import Foundation

/// Another library that carries messages, run by a program of its own that stands beside `bench` where it is installed.
struct PeerLibrary: Sendable {
  /// What people call it.
  let name: String
  /// Its program.
  private let program: String
  /// What comes before the load on the command line of a fan-out.
  private let arguments: [String]

  static let zeroMQ = PeerLibrary(name: "ZeroMQ", program: "peer-zeromq", arguments: ["fanout"])
  static let nats = PeerLibrary(name: "NATS", program: "peer-nats", arguments: ["fanout"] + server)
  /// Its server without its C client, which takes most of the time of the other.
  static let natsSocket = PeerLibrary(name: "NATS-socket", program: "peer-nats", arguments: ["fanout-socket"] + server)

  /// Where Debian and others put NATS's server.
  private static let server = ["/usr/sbin", "/usr/bin", "/usr/local/bin"].map { $0 + "/nats-server" }
    .filter(FileManager.default.isExecutableFile(atPath:)).prefix(1)

  /// What the page says where a library is not installed.
  static let advice = "not installed: Scripts/install-packages.sh bench"

  enum Failure: Error { case noFigures(String) }

  private var url: URL {
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().appending(path: program)
  }

  /// Whether its program was built, which Scripts/bench.sh does where the library is installed.
  var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: url.path) }

  /// Messages delivered to all receivers, and what that took; nil where it is not installed.
  func fanOut(receivers: Int, count: Int, stride: Int, size: Int) throws -> (deliveries: Int, cost: Cost)? {
    let load = [receivers, count, stride, size].map(String.init)
    guard let figures = try run(arguments + load) else { return nil }
    guard figures.count == 3 else { throw Failure.noFigures(program) }
    return (Int(figures[0]), Cost(seconds: figures[1], cpu: figures[2]))
  }

  /// The median and the 99th percentile (µs) of round trips one after the other; nil where it is not installed.
  func roundTrips(count: Int, size: Int) throws -> (median: Double, last: Double)? {
    guard let figures = try run(["roundtrip", "\(count)", "\(size)"]) else { return nil }
    guard figures.count == 2 else { throw Failure.noFigures(program) }
    return (figures[0], figures[1])
  }

  /// The numbers that its program prints.
  private func run(_ arguments: [String]) throws -> [Double]? {
    guard isInstalled else { return nil }
    let child = Process()
    child.executableURL = url
    child.arguments = arguments
    let output = Pipe()
    child.standardOutput = output
    try child.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    child.waitUntilExit()
    return text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
  }
}
