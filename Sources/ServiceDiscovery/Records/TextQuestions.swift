/// The TXT questions of a browser: a few at a time, until every service has answered, and again at a slow pace.
///
/// Where places suffice each question stays open, and a changed record is heard at once. Where they do not, a question gives its
/// place to one that waits as soon as it is answered, or after ``patience``, and is asked again: when it was answered after
/// ``refresh``, else sooner at first, for answers get lost. So no number of services keeps another one from being asked.
///
/// A service whose record is heard beside the back-end is not asked for as long as it is heard: of 30 peers on a network each would
/// ask for the records of 29 others, which are announced to all. It is confined to the thread of its back-end.
final class TextQuestions {
  /// How long a question without an answer keeps a place that another one waits for.
  static let patience: Duration = .seconds(2)
  /// How long a question rests that was answered.
  static let refresh: Duration = .seconds(10)
  /// How long a question rests the first time that it was not answered; each further time doubles it, up to ``refresh``.
  static let firstRest: Duration = .seconds(1)
  /// How long a question rests whose answer is heard without it: longer than a service is silent that is alive
  /// (``LivenessTable/lifetime``).
  static let hearing: Duration = LivenessTable.lifetime + .seconds(10)
  /// How long a record is listened for before it is asked for (milliseconds).
  ///
  /// A responder announces the name of a service at once and its record after it has probed for 750 ms (RFC 6762 §8.1). Each peer
  /// draws another time, so that the answer to the first one serves all.
  static let listening: ClosedRange<Double> = 1000...1400
  /// The pauses after the back-end has refused a question grow from the first to the second.
  static let pauses = (first: Duration.milliseconds(250), last: Duration.seconds(4))

  private struct Open {
    let query: any RecordQuery
    /// When its place is another one's, if one waits.
    var turnEnds: ContinuousClock.Instant
    /// How long the question rests after this turn if nobody answers.
    let rest: Duration
    var isAnswered = false
  }

  /// A service that was never asked.
  private struct Fresh {
    let instance: ServiceInstance
    /// When it is asked.
    let due: ContinuousClock.Instant
  }

  /// A service that was asked or heard.
  private struct Rest {
    let instance: ServiceInstance
    /// When it is asked again.
    let due: ContinuousClock.Instant
    /// How long it rests the next time if nobody answers.
    let next: Duration
  }

  private let places: Int
  private let ask: AskForRecords
  private let onAnswer: (ServiceInstance, [UInt8]) -> Void
  /// How long this peer listens before it asks.
  private let listeningTime: Duration
  private var open: [ServiceInstance: Open] = [:]
  /// Services that were never asked, in the order in which they are due.
  private var fresh: [Fresh] = []
  /// Whether the last of them is asked next, not the first.
  private var takesNewest = false
  /// Services that were asked, in the order in which they are due again.
  private var resting: [Rest] = []
  private var pause = pauses.first
  private var pauseEnds: ContinuousClock.Instant?

  /// Keeps at most `places` questions open and listens for `listeningTime` before it asks; `onAnswer` gets every record that is
  /// seen.
  init(
    places: Int, listeningFor listeningTime: Duration, ask: @escaping AskForRecords,
    onAnswer: @escaping (ServiceInstance, [UInt8]) -> Void
  ) {
    self.places = places
    self.listeningTime = listeningTime
    self.ask = ask
    self.onAnswer = onAnswer
  }

  /// When ``expire(at:)`` must be called next.
  var deadline: ContinuousClock.Instant? {
    guard let next = [fresh.first?.due, resting.first?.due].compactMap(\.self).min() else { return nil }
    let place = open.count < places ? nil : open.values.map(\.turnEnds).min()
    return [next, place, pauseEnds].compactMap(\.self).max()
  }

  /// Begins to ask for the record of a service.
  func begin(_ instance: ServiceInstance, at now: ContinuousClock.Instant) {
    fresh.append(Fresh(instance: instance, due: now + listeningTime))
    fill(at: now)
  }

  /// Lets a service rest whose record was heard: it is not asked for before ``hearing`` has passed in silence.
  func hear(_ instance: ServiceInstance, at now: ContinuousClock.Instant) {
    end(instance)
    rest(instance, for: Self.hearing, next: Self.firstRest, from: now)
  }

  /// Asks for the record of a service no longer.
  func end(_ instance: ServiceInstance) {
    if let question = open.removeValue(forKey: instance) {
      question.query.close()
    } else if let index = fresh.firstIndex(where: { $0.instance == instance }) {
      fresh.remove(at: index)
    } else {
      resting.removeAll { $0.instance == instance }
    }
  }

  /// Asks for nothing any more.
  func endAll() {
    for question in open.values { question.query.close() }
    open = [:]
    fresh = []
    resting = []
    (pause, pauseEnds) = (Self.pauses.first, nil)
  }

  /// Gives places to the services that wait for one.
  ///
  /// Questions are closed here alone, never from the callback of an answer.
  func expire(at now: ContinuousClock.Instant) {
    if let pauseEnds, pauseEnds <= now { self.pauseEnds = nil }
    guard pauseEnds == nil else { return }
    let wanted = countOfDue(at: now) + resting.prefix { $0.due <= now }.count - (places - open.count)
    // Most turns of the thread's loop have nothing to do here.
    if wanted > 0 { endTurns(of: wanted, at: now) }
    fill(at: now)
  }

  /// Takes the places of up to so many questions that have had their turn, the first first.
  private func endTurns(of count: Int, at now: ContinuousClock.Instant) {
    let over = open.filter { $0.value.turnEnds <= now }.sorted { $0.value.turnEnds < $1.value.turnEnds }
    for (instance, question) in over.prefix(count) {
      question.query.close()
      open[instance] = nil
      rest(instance, question, from: now)
    }
  }

  /// Lets a service rest whose question has had its turn.
  private func rest(_ instance: ServiceInstance, _ question: Open, from now: ContinuousClock.Instant) {
    let pause = question.isAnswered ? Self.refresh : question.rest
    let next = question.isAnswered ? Self.firstRest : min(question.rest * 2, Self.refresh)
    rest(instance, for: pause, next: next, from: now)
  }

  private func rest(
    _ instance: ServiceInstance, for pause: Duration, next: Duration, from now: ContinuousClock.Instant
  ) {
    let place = resting.firstIndex { now + pause < $0.due } ?? resting.endIndex
    resting.insert(Rest(instance: instance, due: now + pause, next: next), at: place)
  }

  private func fill(at now: ContinuousClock.Instant) {
    while open.count < places, pauseEnds == nil, let (instance, rest) = next(at: now) {
      let query = ask(instance.recordName, .text) { [weak self] data, _ in
        self?.answered(instance)
        self?.onAnswer(instance, data)
      }
      guard let query else {
        fresh.insert(Fresh(instance: instance, due: now), at: 0)
        pauseEnds = now + pause
        pause = min(pause * 2, Self.pauses.last)
        return
      }
      pause = Self.pauses.first
      open[instance] = Open(query: query, turnEnds: now + Self.patience, rest: rest)
    }
  }

  /// The service to ask next, and how long it rests if nobody answers.
  private func next(at now: ContinuousClock.Instant) -> (ServiceInstance, Duration)? {
    let count = countOfDue(at: now)
    if count > 0 {
      // In turn from both ends: neither those before a flood of forged services nor those after it wait behind all of it.
      defer { takesNewest.toggle() }
      return (fresh.remove(at: takesNewest ? count - 1 : 0).instance, Self.firstRest)
    }
    guard let first = resting.first, first.due <= now else { return nil }
    resting.removeFirst()
    return (first.instance, first.next)
  }

  /// The services that were never asked and are due.
  private func countOfDue(at now: ContinuousClock.Instant) -> Int {
    var (low, high) = (0, fresh.count)
    while low < high {
      let middle = (low + high) / 2
      if fresh[middle].due <= now { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// A question that is answered has had its turn.
  private func answered(_ instance: ServiceInstance) {
    open[instance]?.turnEnds = .now
    open[instance]?.isAnswered = true
  }
}
