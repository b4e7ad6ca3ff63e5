package import Basics
import PeerProtocol

/// One thing that goes wrong, or right again; nodes are numbered from 0.
package enum Fault: Hashable, Sendable {
  /// Nothing gets from `from` to `to`; what is sent waits until heartbeats give up.
  case cutOneWay(from: Int, to: Int)
  /// Nothing gets through either way.
  case cut(Int, Int)
  /// Both ways work again.
  case mend(Int, Int)
  /// Only nodes with the same number talk to each other.
  case split([Int])
  /// Every path works again.
  case heal
  /// Every connection between two nodes is lost, with what was on its way.
  case reset(Int, Int)
  /// Packets from `from` to `to` take longer (ns).
  case clog(from: Int, to: Int, delay: Int64)
  /// The process ends; `silently` with its machine, so that nobody is told.
  case crash(Int, silently: Bool)
  /// The process restarts.
  case start(Int)
  /// The process stands still; `asleep` with its machine's clock.
  case stop(Int, asleep: Bool)
  /// A stopped process goes on.
  case resume(Int)
}

extension Fault: CustomStringConvertible {
  /// The fault in the words of the transcript language, nodes numbered from 1.
  package var description: String {
    switch self {
    case .cutOneWay(let from, let to): "cut \(from + 1)>\(to + 1)"
    case .cut(let one, let other): "cut \(one + 1)-\(other + 1)"
    case .mend(let one, let other): "heal \(one + 1)-\(other + 1)"
    case .split(let sides): "split " + Self.groups(sides)
    case .heal: "heal"
    case .reset(let one, let other): "reset \(one + 1)-\(other + 1)"
    case .clog(let from, let to, let delay): "clog \(from + 1)>\(to + 1) \(delay / 1_000_000)ms"
    case .crash(let index, let silently): (silently ? "crash " : "kill ") + String(index + 1)
    case .start(let index): "start \(index + 1)"
    case .stop(let index, let asleep): (asleep ? "sleep " : "stop ") + String(index + 1)
    case .resume(let index): "resume \(index + 1)"
    }
  }

  /// The sides of a split: members of one side apart by spaces, sides by bars.
  private static func groups(_ sides: [Int]) -> String {
    let names = Array(Set(sides)).sorted()
    let groups = names.map { name in
      sides.indices.filter { sides[$0] == name }.map { String($0 + 1) }.joined(separator: " ")
    }
    return groups.joined(separator: " | ")
  }
}

extension Simulation {
  /// Applies a fault; `make` gives what a started machine runs, from its number and the time on its clock.
  package mutating func apply(_ fault: Fault, _ make: (Int, Instant) -> Node) {
    switch fault {
    case .cutOneWay(let from, let to): setPath(from: from, to: to, isBroken: true)
    case .cut(let one, let other): setPaths(one, other, areBroken: true)
    case .mend(let one, let other): setPaths(one, other, areBroken: false)
    case .split(let sides): split(sides)
    case .heal: heal()
    case .reset(let one, let other): reset(one, other)
    case .clog(let from, let to, let delay): clog(from: from, to: to, delay: delay)
    case .crash(let index, let silently): crash(index, silently: silently)
    case .start(let index): start(index) { make(index, $0) }
    case .stop(let index, let asleep): stop(index, asleep: asleep)
    case .resume(let index): resume(index)
    }
  }
}

extension Fault {
  /// The kind, in the first word of its description, with the two ways to cut told apart.
  package var kind: String {
    switch self {
    case .cutOneWay: "cut-one-way"
    case .cut: "cut"
    case .mend: "mend"
    case .split: "split"
    case .heal: "heal"
    case .reset: "reset"
    case .clog: "clog"
    case .crash(_, let silently): silently ? "crash" : "kill"
    case .start: "start"
    case .stop(_, let asleep): asleep ? "sleep" : "stop"
    case .resume: "resume"
    }
  }
}
