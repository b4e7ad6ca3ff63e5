import AnchorReplication
import Basics
import PeerProtocol
import Simulator
import WorldModel

/// A node, or a simulated machine that runs one: whatever takes inputs.
protocol TakesInputs {
  @discardableResult
  mutating func handle(_ input: Input, at now: Instant) -> Answer
}

extension Node: TakesInputs {}
extension SessionPeer: TakesInputs {}

/// What an app asks of a node, throwing what is refused.
extension TakesInputs {
  mutating func edit(_ edit: AnchorEdit, at now: Instant) throws { try handle(.edit(edit), at: now).check() }

  mutating func updatePose(_ transform: Transform?, at now: Instant) throws {
    try handle(.updatePose(transform), at: now).check()
  }

  @discardableResult
  mutating func beginDrag(_ anchor: AnchorID, at now: Instant) throws -> DragID {
    let answer = handle(.beginDrag(anchor), at: now)
    try answer.check()
    guard case .began(let drag) = answer else { throw UnexpectedAnswer(answer: answer) }
    return drag
  }

  mutating func drag(_ drag: DragID, to transform: Transform, at now: Instant) throws {
    try handle(.drag(drag, to: transform), at: now).check()
  }

  mutating func endDrag(_ drag: DragID, at now: Instant) throws { try handle(.endDrag(drag), at: now).check() }

  mutating func share(_ package: MapPackage, at now: Instant) throws -> MapID {
    let answer = handle(.share(package, anchors: [], with: nil), at: now)
    guard case .shared(let map) = answer else { throw UnexpectedAnswer(answer: answer) }
    return map
  }
}

/// An input was answered by something that is no answer to it.
struct UnexpectedAnswer: Error {
  let answer: Answer
}
