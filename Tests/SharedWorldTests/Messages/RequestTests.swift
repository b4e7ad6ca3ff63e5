import Synchronization
import TestSupport
import Testing

@testable import SharedWorld

@Suite("Requests", .endsHangs)
struct RequestTests {
  struct Question: Codable, Sendable {
    var text: String
  }

  /// Runs `body` while bob answers.
  private static func answering<Answer: Codable & Sendable>(
    _ handler: @escaping @Sendable (ReceivedMessage<Question>) async throws -> Answer,
    _ body: @Sendable (Session, PeerID) async throws -> Void
  ) async throws {
    try await TestSessions.joined { alice, bob in
      let questions = bob.messages.requests(Question.self, at: "quiz/*")
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await questions.answer(handler) }
        try await body(alice, bob.localPeer.id)
        group.cancelAll()
      }
    }
  }

  /// The code with which a request fails.
  private static func failure(
    _ alice: Session, _ bob: PeerID, at endpoint: String = "quiz/1", timeout: Duration = .seconds(60)
  ) async -> SessionError? {
    do throws(SessionError) {
      let _: Int = try await alice.messages.request(Question(text: "x"), from: bob, at: endpoint, timeout: timeout)
      return nil
    } catch {
      return error
    }
  }

  @Test("are answered, each by its own answer, with placements and fields both ways")
  func answered() async throws {
    try await TestSessions.joined { alice, bob in
      let questions = bob.messages.requests(Question.self, at: "quiz/*")
      let bobID = bob.localPeer.id
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          await questions.answer { question in
            Message(question.object.text.count, transform: question.transform, fields: ["from": question.endpoint])
          }
        }
        try await withThrowingTaskGroup(of: (Int, Int).self) { asking in
          for length in 0..<40 {
            asking.addTask {
              let question = Question(text: String(repeating: "x", count: length))
              return (
                length, try await alice.messages.request(question, from: bobID, at: "quiz/1", timeout: .seconds(60))
              )
            }
          }
          for try await (length, answer) in asking { #expect(answer == length) }
        }
        let there = Transform(translation: [1, 2, 3])
        let answer: Message<Int> = try await alice.messages.request(
          Message(Question(text: "ab"), transform: there), from: bobID, at: "quiz/2", timeout: .seconds(60))
        #expect(answer.object == 2 && answer.transform == there && answer.fields == ["from": "quiz/2"])
        group.cancelAll()
      }
    }
  }

  @Test("whose answer is too long fail on both sides with the size that would do")
  func longAnswer() async throws {
    try await TestSessions.joined { alice, bob in
      let questions = bob.messages.requests(Question.self, at: "quiz/*")
      async let answering: Void = questions.answer { _ in String(repeating: "x", count: 61 * 1024) }
      let error = await #expect(throws: SessionError.self) {
        let _: String = try await alice.messages.request(Question(text: "x"), from: bob.localPeer.id, at: "quiz/1")
      }
      #expect(error?.code == .requestFailed && (error?.cause as? RemoteError)?.code == "limit-exceeded")
      let problem = try await bob.first { if case .problem(let problem) = $0 { problem } else { nil } }
      #expect(problem.code == .limitExceeded)
      #expect(problem.message.contains("quiz/1") && problem.message.contains("61440"))
      await bob.leave()
      await answering
    }
  }

  @Test("fail with the error of the handler, if it is meant for the other side")
  func errors() async throws {
    struct Secret: Error {}
    try await Self.answering({ question -> Int in
      if question.endpoint == "quiz/busy" { throw RemoteError("busy", "try later") }
      throw Secret()
    }) { alice, bob in
      let busy = await Self.failure(alice, bob, at: "quiz/busy")
      #expect(busy?.code == .requestFailed && busy?.cause as? RemoteError == RemoteError("busy", "try later"))
      let other = await Self.failure(alice, bob)
      #expect(other?.code == .requestFailed)
      #expect((other?.cause as? RemoteError)?.code == "failed")
    }
  }

  @Test("fail at once when nothing answers, when the question or the answer is another thing, or nobody is there")
  func unanswered() async throws {
    try await Self.answering({ question in "no number" }) { alice, bob in
      #expect(await Self.failure(alice, bob, at: "elsewhere")?.code == .unhandled)
      #expect(await Self.failure(alice, bob)?.code == .undecodable)
      #expect(await Self.failure(alice, alice.localPeer.id)?.code == .unknownPeer)
      struct Question: Codable { var number = 1 }
      let error = await #expect(throws: SessionError.self) {
        let _: Int = try await alice.messages.request(Question(), from: bob, at: "quiz/1", timeout: .seconds(60))
      }
      #expect(error?.code == .undecodable)
    }
  }

  @Test("time out, and are cancelled; the handler's task is cancelled too")
  func cancelled() async throws {
    let (news, teller) = AsyncStream.makeStream(of: String.self)
    let pause: @Sendable (ReceivedMessage<Question>) async throws -> Int = { question in
      teller.yield("begun")
      do { try await Task.sleep(for: .seconds(600)) } catch { teller.yield("cancelled") }
      throw CancellationError()
    }
    try await Self.answering(pause) { alice, bob in
      var told = news.makeAsyncIterator()
      #expect(await Self.failure(alice, bob, timeout: .milliseconds(300))?.code == .requestTimedOut)
      #expect(await told.next() == "begun")
      #expect(await told.next() == "cancelled")
      let asking = Task { await Self.failure(alice, bob) }
      #expect(await told.next() == "begun")
      asking.cancel()
      #expect(await asking.value?.code == .cancelled)
      #expect(await told.next() == "cancelled")
    }
  }

  @Test("fail when the one that was asked leaves, or this session ends")
  func ended() async throws {
    try await TestSessions.joined { alice, bob in
      try await Session.withSession(as: TestSessions.identity("carol"), configuration: TestSessions.configuration()) {
        carol in
        let id = try await alice.join(carol.address).id
        let (news, teller) = AsyncStream.makeStream(of: Void.self)
        let streams = [carol.messages.requests(Question.self), bob.messages.requests(Question.self)]
        await withTaskGroup(of: Void.self) { group in
          for stream in streams {
            group.addTask {
              await stream.answer { _ -> Int in
                teller.yield()
                try await Task.sleep(for: .seconds(600))
                return 0
              }
            }
          }
          var begun = news.makeAsyncIterator()
          async let first = Self.failure(alice, id)
          await begun.next()
          await carol.leave()
          // Its acknowledgement of the request may come no more.
          let codes: [SessionError.Code?] = [.notConnected, .notDelivered]
          #expect(codes.contains(await first?.code))
          async let second = Self.failure(alice, bob.localPeer.id)
          await begun.next()
          await alice.leave()
          #expect(await second?.code == .ended)
          group.cancelAll()
        }
      }
    }
  }

  @Test("fail as unhandled when the stream that holds them is released, or stops to be answered")
  func released() async throws {
    try await TestSessions.joined { alice, bob in
      let bobID = bob.localPeer.id
      var questions: RequestStream<Question>? = bob.messages.requests(Question.self)
      async let error = Self.failure(alice, bobID)
      // The request stands in the mailbox behind nothing.
      try await until { bob.hub.messages.unread(of: alice.localPeer.id) > 0 }
      #expect(questions != nil)
      questions = nil
      #expect(await error?.code == .unhandled)
    }
  }

  @Test("no more handlers run side by side than are allowed, and all requests are answered")
  func sideBySide() async throws {
    let running = Mutex((now: 0, most: 0))
    let handler: @Sendable (ReceivedMessage<Question>) async throws -> Int = { _ in
      running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      for _ in 0..<20 { await Task.yield() }
      running.withLock { $0.now -= 1 }
      return 1
    }
    try await Self.answering(handler) { alice, bob in
      let sum = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<100 {
          group.addTask {
            try await alice.messages.request(Question(text: ""), from: bob, at: "quiz/1", timeout: .seconds(600))
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(sum == 100)
      #expect(running.withLock { $0.most } <= RequestStream<Question>.answersAtOnce)
    }
  }
}
