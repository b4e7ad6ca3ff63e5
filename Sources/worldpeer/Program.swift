import Glibc
import SharedWorld
import PeerCLI

/// A running peer: follows its session and the commands, until one of them ends it.
actor Program {
  /// Why a program ends.
  enum Ending {
    case done
    case failed
    case sessionEnded
    case signal(Int32)

    var status: ExitCode {
      switch self {
      case .done: .done
      case .failed: .negative
      case .sessionEnded: .session
      case .signal(let number): .signaled(number)
      }
    }
  }

  let session: Session
  let options: Options
  let console: Console
  let desk: InvitationDesk
  let codes: CodeDesk
  let errands = Errands()

  /// The terminal with a line editor; nil for plain lines.
  var terminal: Terminal?
  var view = MapView()
  var names: [PeerID: String]
  /// Where the devices of others are, by their poses.
  var devices: [PeerID: SIMD3<Float>] = [:]
  var anchorNews = AnchorNews()
  /// Why there is no host, in words; nil while there is one, and before the first.
  var hostLoss: String?
  /// The peers that have invited this one.
  var inviters: Set<PeerID> = []
  /// The services in sight, as they were last reported.
  var candidates: [Candidate.ID: Candidate] = [:]
  var tapsWithoutName = 0
  /// The maps on their way.
  var maps = MapTraffic()
  /// The files on their way.
  var files = FileDesk()
  /// The edits that `undo` reverts.
  var history = UndoHistory()
  var hasLeft = false
  /// Whether a `wait` on standard input has failed, which the exit status remembers.
  var hasFailed = false

  init(_ session: Session, options: Options, console: Console, desk: InvitationDesk, codes: CodeDesk) {
    self.session = session
    self.options = options
    self.console = console
    self.desk = desk
    self.codes = codes
    names = [session.localPeer.id: session.localPeer.name]
  }

  /// Brings a map into view before the commands begin.
  func show(_ map: WorldMap) {
    let seen = options.origin.flatMap { try? map.transformed(by: $0.inverse) }
    view.show(seen ?? map)
  }

  /// Follows session and commands, and gives the exit status.
  func run(_ commands: CommandSource) async -> ExitCode {
    let signals: Signals
    if case .terminal = commands { signals = await Signals([SIGTERM, SIGHUP]) } else { signals = await Signals() }
    if options.frame != nil {
      do throws(SessionError) { try await session.frames.begin() } catch {
        console.say(ProgramFailure(error), during: nil)
      }
    }
    for target in options.peer.connect { await session.peers.keepInviting(target) }
    terminal = commands.terminal
    let terminal = terminal
    if let terminal { begin(terminal) }
    defer { terminal?.close() }
    console.say(.ready(person(session.localPeer.id), port: session.port))
    return await withTaskGroup(of: Ending?.self) { group in
      group.addTask { await self.followEvents(terminal) }
      group.addTask { await self.follow(commands) }
      group.addTask { await signals.next().map(Ending.signal) }
      group.addTask { await self.errands.run() }
      if let terminal { group.addTask { await self.showStatus(on: terminal) } }
      var ending: Ending?
      while ending == nil, let next = await group.next() { ending = next }
      group.cancelAll()
      tellArrivals()
      return (ending ?? .done).status
    }
  }

  func person(_ peer: Peer) -> Report.Person { Report.Person(peer) }

  func person(_ id: PeerID) -> Report.Person {
    Report.Person(id: id.description, name: names[id] ?? id.short)
  }
}

/// The maps on their way to this peer and from it.
struct MapTraffic {
  /// The one that is arriving, by its last progress.
  var arriving: MapID?
  /// The one that was sent last.
  var sent: MapID?
}

/// Work that goes on beside the commands, such as an invitation that waits for its answer.
struct Errands: Sendable {
  typealias Errand = @Sendable () async -> Void

  private let errands: AsyncStream<Errand>
  private let continuation: AsyncStream<Errand>.Continuation

  init() {
    (errands, continuation) = AsyncStream.makeStream(of: Errand.self, bufferingPolicy: .bufferingOldest(256))
  }

  func add(_ errand: @escaping Errand) {
    continuation.yield(errand)
  }

  /// Runs errands side by side until the task is cancelled; then all of them are.
  func run() async -> Program.Ending? {
    await withDiscardingTaskGroup { group in
      for await errand in errands { group.addTask { await errand() } }
      group.cancelAll()
    }
    return nil
  }
}
