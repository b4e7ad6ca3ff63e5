import AnchorReplication
import Basics
@testable import PeerProtocol
import Testing
import WorldModel

@Suite("Where frames lie")
struct FrameSolutionTests {
  private static let people = (0..<6).map { number in
    NodeID(peer: PeerID(SHA256Digest(hashing: [UInt8(number)])), incarnation: UInt64(number) + 1)
  }

  /// The first frame of a person.
  private static func frame(_ person: Int) -> WorldFrame { WorldFrame(owner: people[person].actor, number: 1) }

  /// A book in which these people have declared one frame each.
  private static func book(_ count: Int) -> FrameBook {
    var book = FrameBook()
    for number in 0..<count {
      let declaration = FrameDeclaration(
        number: 1, isShared: false, clock: 10, sequence: 1, sessionTime: UInt64(number))
      book.set(DeclarationList([declaration]), of: people[number])
    }
    return book
  }

  private static func measurement(
    _ source: WorldFrame, _ target: WorldFrame, x: Float, by observer: Int, version: UInt64 = 1,
    position: Double = 0.01,
    at time: UInt64 = 0
  ) throws -> FrameMeasurement {
    let estimate = try #require(
      FrameEstimate(Transform(translation: [x, 0, 0]), center: .zero, position: position, orientation: 0.001))
    return FrameMeasurement(
      key: FrameMeasurement.Key(source: source, target: target, observer: people[observer].actor), version: version,
      sessionTime: time, estimate: estimate)
  }

  /// Adds a measurement of the frames of two people, of both of them.
  private static func confirm(_ one: Int, _ other: Int, x: Float, in book: inout FrameBook) throws {
    for observer in [one, other] {
      book.set(try measurement(frame(one), frame(other), x: x, by: observer))
    }
  }

  private static func x(_ book: FrameBook, from source: WorldFrame, to target: WorldFrame) -> Float? {
    FrameSolution(book, .all).relation(from: source, to: target)?.motion.transform.translation.x
  }

  @Test("frames that nothing connects have no relation, not that of equal frames")
  func unknown() {
    #expect(Self.x(Self.book(2), from: Self.frame(0), to: Self.frame(1)) == nil)
    #expect(Self.x(Self.book(2), from: Self.frame(0), to: Self.frame(0)) == 0)
  }

  @Test("a path composes, in both directions, and its variances add up")
  func composition() throws {
    var book = Self.book(3)
    try Self.confirm(0, 1, x: 2, in: &book)
    try Self.confirm(1, 2, x: 3, in: &book)
    #expect(Self.x(book, from: Self.frame(0), to: Self.frame(2)) == 5)
    #expect(Self.x(book, from: Self.frame(2), to: Self.frame(0)) == -5)
    let relation = try #require(FrameSolution(book, .all).relation(from: Self.frame(0), to: Self.frame(2)))
    #expect(abs(relation.position - 2e-4) < 1e-9)
  }

  @Test("the surer of two paths is taken")
  func leastVariance() throws {
    var book = Self.book(3)
    for observer in [0, 2] {
      let rough = try Self.measurement(Self.frame(0), Self.frame(2), x: 5.05, by: observer, position: 0.2)
      book.set(rough)
    }
    try Self.confirm(0, 1, x: 2, in: &book)
    try Self.confirm(1, 2, x: 3, in: &book)
    #expect(Self.x(book, from: Self.frame(0), to: Self.frame(2)) == 5)
    #expect(FrameSolution(book, .all).contradictions.isEmpty)
  }

  @Test("a measurement of others moves nothing that the owners confirm, however sure it says it is, and is held back")
  func liar() throws {
    var book = Self.book(3)
    try Self.confirm(0, 1, x: 2, in: &book)
    let lies = try [
      Self.measurement(Self.frame(0), Self.frame(1), x: 50, by: 2, position: 0),
      Self.measurement(Self.frame(0), Self.frame(2), x: 70, by: 2, position: 0),
      Self.measurement(Self.frame(1), Self.frame(2), x: 90, by: 2, position: 0),
    ]
    for lie in lies { book.set(lie) }
    #expect(Self.x(book, from: Self.frame(0), to: Self.frame(1)) == 2)
    let contradictions = FrameSolution(book, .all).contradictions
    #expect(contradictions.contains(lies[0].key))
    // Of its own frame one of the two words stands, and the other one is held back.
    #expect(contradictions.count == 2)
  }

  @Test("owners who contradict each other beyond 5 sigma align nothing: nobody knows who is right")
  func contradiction() throws {
    var book = Self.book(2)
    for (observer, x) in [(0, 2 as Float), (1, 2.05)] {
      book.set(try Self.measurement(Self.frame(0), Self.frame(1), x: x, by: observer))
    }
    #expect(Self.x(book, from: Self.frame(0), to: Self.frame(1)) != nil)
    let far = try Self.measurement(Self.frame(0), Self.frame(1), x: 2.2, by: 1, version: 2)
    book.set(far)
    #expect(Self.x(book, from: Self.frame(0), to: Self.frame(1)) == nil)
    #expect(FrameSolution(book, .all).contradictions.count == 2)
    // A device drifts: what was measured ten minutes apart may differ by more.
    let late = try Self.measurement(Self.frame(0), Self.frame(1), x: 2.2, by: 1, version: 3, at: 600_000)
    book.set(late)
    #expect(Self.x(book, from: Self.frame(0), to: Self.frame(1)) != nil)
  }

  @Test("a measurement that is hardly one places nothing")
  func uncertain() throws {
    var book = Self.book(2)
    for observer in [0, 1] {
      let rough = try Self.measurement(Self.frame(0), Self.frame(1), x: 2, by: observer, position: 1.1)
      book.set(rough)
    }
    #expect(Self.x(book, from: Self.frame(0), to: Self.frame(1)) == nil)
  }

  @Test("the order of arrival changes nothing, over random books")
  func order() throws {
    var random = SeededRandom(seed: 14)
    for _ in 0..<50 {
      // One in each register, which knows the later one.
      var measurements: [FrameMeasurement] = []
      for number in 0..<12 {
        let (one, other) = (random.below(5), random.below(5))
        guard one != other else { continue }
        let measurement = try Self.measurement(
          Self.frame(one), random.below(4) == 0 ? .shared : Self.frame(other), x: Float(random.below(100)) / 100,
          by: [one, other, 5][random.below(3)], version: UInt64(number) + 1)
        measurements.removeAll { $0.key == measurement.key }
        measurements.append(measurement)
      }
      var books = [Self.book(5), Self.book(5)]
      for measurement in measurements { books[0].set(measurement) }
      for measurement in measurements.shuffled(using: &random) { books[1].set(measurement) }
      #expect(books[0].registers == books[1].registers)
      let (one, other) = (FrameSolution(books[0], .all), FrameSolution(books[1], .all))
      #expect(one.contradictions == other.contradictions)
      for frame in one.frames {
        #expect(one.motion(from: frame, to: .shared) == other.motion(from: frame, to: .shared))
      }
    }
  }

  @Test("what was written before the oldest declaration that is left is in a frame that nobody knows")
  func forgotten() {
    let declarations = (1...ProtocolLimits.framesOfAuthor + 2).map { number in
      FrameDeclaration(
        number: UInt32(number), isShared: false, clock: UInt64(number) * 10, sequence: 1, sessionTime: 0)
    }
    var book = FrameBook()
    book.set(DeclarationList(declarations), of: Self.people[0])
    let author = Self.people[0].actor
    #expect(book.declarations.count == ProtocolLimits.framesOfAuthor)
    #expect(book.frame(of: author, clock: 25) == nil)
    #expect(book.frame(of: author, clock: 45) == declarations[3].frame(of: author))
    // Of an author whose declarations found no room nothing is known.
    book.set(nil, of: Self.people[0], isKnown: false)
    #expect(book.frame(of: author, clock: 45) == nil)
  }
}
