import SharedWorld
import TestSupport
import Testing

/// Carrot's scribbles: several devices draw into one room, and every one of them sees all strokes.
///
/// Its Go server routed messages by endpoint to all clients of a session. Here the peers are the session.
@Suite("Scribbles", .endsHangs)
struct Scribbles {
  /// What a pen does, sent to the endpoint `draw/` and its colour.
  enum Pen: Codable, Hashable, Sendable {
    case down(SIMD3<Float>, width: Float)
    case move([SIMD3<Float>])
    case up
  }

  /// One device: its canvas holds the strokes of everybody, its own too.
  actor Canvas {
    struct Stroke: Hashable { var width: Float; var points: [SIMD3<Float>] }

    let session: Session
    private(set) var strokes: [String: [Stroke]] = [:]
    private(set) var finished = 0

    init(_ session: Session) { self.session = session }

    /// Draws here, and for the others in their own room: the transform is the place of the tip.
    func draw(_ pen: Message<Pen>, color: String) async throws {
      apply(pen, color: color)
      try await session.messages.send(pen, to: .all, at: "draw/" + color)
    }

    /// Applies what the others draw until `count` strokes of theirs are finished.
    func follow(_ pens: MessageStream<Pen>, until count: Int) async {
      for await pen in pens {
        guard let color = pen.endpoint.split(separator: "/").last else { continue }
        apply(pen.message, color: String(color))
        if pen.object == .up { finished += 1 }
        if finished == count { return }
      }
    }

    private func apply(_ pen: Message<Pen>, color: String) {
      let tip = pen.transform ?? .identity
      switch pen.object {
      case .down(let point, let width):
        strokes[color, default: []].append(Stroke(width: width, points: [tip.act(on: point)]))
      case .move(let points):
        guard let last = strokes[color]?.indices.last else { return }
        strokes[color]?[last].points += points.map(tip.act(on:))
      case .up: break
      }
    }
  }

  @Test("three devices draw at once, and all end with the same picture")
  func together() async throws {
    try await Peers.joined(3) { sessions in
      let canvases = sessions.map(Canvas.init)
      let streams = sessions.map { $0.messages.of(Pen.self, at: "draw/*") }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (canvas, pens) in zip(canvases, streams) {
          group.addTask { await canvas.follow(pens, until: 2 * 5) }
        }
        for (canvas, color) in zip(canvases, ["red", "green", "blue"]) {
          group.addTask {
            for number in 0..<5 {
              let tip = Transform(translation: [Float(number), 1, 0])
              try await canvas.draw(Message(.down([0, 0, 0], width: 0.01), transform: tip), color: color)
              try await canvas.draw(Message(.move([[0.1, 0, 0], [0.2, 0, 0]]), transform: tip), color: color)
              try await canvas.draw(Message(.up, transform: tip), color: color)
            }
          }
        }
        try await group.waitForAll()
      }
      let pictures = [await canvases[0].strokes, await canvases[1].strokes, await canvases[2].strokes]
      #expect(pictures[0] == pictures[1] && pictures[1] == pictures[2])
      #expect(pictures[0].mapValues(\.count) == ["red": 5, "green": 5, "blue": 5])
      #expect(pictures[0]["blue"]?.last?.points == [[4, 1, 0], [4.1, 1, 0], [4.2, 1, 0]])
    }
  }
}
