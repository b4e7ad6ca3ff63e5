import Basics
import BasicsLinux

/// Runs the look-ups of a back-end: a few at a time, each with its deadline.
///
/// It is confined to the thread of its back-end, which calls ``expire(at:)`` whenever ``deadline`` has passed. Look-ups
/// end only there, never inside an answer, so that no question is closed from its own callback.
final class Resolver {
  /// How a look-up ends.
  typealias Completion = @Sendable (Result<[SocketAddress], DiscoveryError>) -> Void

  private struct Job {
    let id: Int
    var resolution: Resolution
    let deadline: ContinuousClock.Instant
    /// When the answers suffice; `nil` before the first usable answer.
    var settlement: ContinuousClock.Instant?
    /// Empty while the job waits for its turn.
    var queries: [any RecordQuery] = []
    let completion: Completion

    var end: ContinuousClock.Instant { min(deadline, settlement ?? deadline) }
  }

  private var jobs: [Job] = []
  private let maximumRunning: Int
  private let ask: AskForRecords

  /// Runs at most `maximumRunning` look-ups at once, the others in order of arrival.
  init(maximumRunning: Int, ask: @escaping AskForRecords) {
    self.maximumRunning = maximumRunning
    self.ask = ask
  }

  /// Begins the look-up of `instance`, known as `id`.
  func begin(
    _ id: Int, _ instance: ServiceInstance, deadline: ContinuousClock.Instant, _ completion: @escaping Completion
  ) {
    let resolution = Resolution(instance: instance, loopbackInterface: InterfaceAddress.loopbackIndex)
    jobs.append(Job(id: id, resolution: resolution, deadline: deadline, completion: completion))
    startWaiting()
  }

  /// Ends the look-up `id`, if it still runs.
  func cancel(_ id: Int) {
    guard let index = jobs.firstIndex(where: { $0.id == id }) else { return }
    finish(jobs.remove(at: index), .failure(.cancelled))
    startWaiting()
  }

  /// When ``expire(at:)`` must be called next.
  var deadline: ContinuousClock.Instant? { jobs.map(\.end).min() }

  /// Completes every look-up whose deadline has passed, with the answers it has.
  func expire(at now: ContinuousClock.Instant) {
    for job in jobs where job.end <= now {
      jobs.removeAll { $0.id == job.id }
      let endpoints = job.resolution.endpoints
      finish(job, endpoints.isEmpty ? .failure(.resolutionTimedOut(job.resolution.instance)) : .success(endpoints))
    }
    startWaiting()
  }

  /// Closes the questions and restarts all look-ups when ``resume()`` is called, because the back-end has lost its
  /// connection.
  func suspend() {
    for index in jobs.indices {
      for query in jobs[index].queries { query.close() }
      jobs[index].queries = []
    }
  }

  /// Puts the questions again.
  func resume() { startWaiting() }

  /// Ends every look-up with `error`.
  func failAll(_ error: DiscoveryError) {
    let failed = jobs
    jobs = []
    for job in failed { finish(job, .failure(error)) }
  }

  private func startWaiting() {
    let waiting = jobs.filter(\.queries.isEmpty)
    for job in waiting.prefix(max(0, maximumRunning - (jobs.count - waiting.count))) {
      let query = ask(job.resolution.instance.recordName, .service) { [weak self] data, _ in
        self?.takeLocation(data, job: job.id)
      }
      guard let query, let index = jobs.firstIndex(where: { $0.id == job.id }) else { return }
      jobs[index].queries.append(query)
    }
  }

  private func takeLocation(_ data: [UInt8], job id: Int) {
    guard let index = jobs.firstIndex(where: { $0.id == id }) else { return }
    let host = jobs[index].resolution.addLocation(data)
    settle(index)
    guard let host else { return }
    for type in [RecordType.address, .address6] {
      let query = ask(host, type) { [weak self] data, interface in
        self?.takeAddress(data, of: host, interface: interface, job: id)
      }
      if let query { jobs[index].queries.append(query) }
    }
  }

  private func takeAddress(_ data: [UInt8], of host: String, interface: UInt32, job id: Int) {
    guard let index = jobs.firstIndex(where: { $0.id == id }) else { return }
    jobs[index].resolution.addAddress(data, of: host, interface: interface)
    settle(index)
  }

  private func settle(_ index: Int) {
    guard jobs[index].settlement == nil, jobs[index].resolution.isUsable else { return }
    jobs[index].settlement = ContinuousClock.now + Resolution.grace
  }

  private func finish(_ job: Job, _ result: Result<[SocketAddress], DiscoveryError>) {
    for query in job.queries { query.close() }
    job.completion(result)
  }
}
