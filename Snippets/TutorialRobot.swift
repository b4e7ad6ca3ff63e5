// The tutorial for a robot: it finds its place in the room's map, shows where it is, marks what it sees, and goes where it is
// sent.

import Foundation
import SharedWorld

// snippet.robot
/// What the robot's own software offers, in the robot's own frame: metres, y up, from where it was switched on.
protocol Robot: Sendable {
  /// Where it is, some 20 times a second.
  var poses: AsyncStream<Transform> { get }
  /// What its scanner has seen since it was switched on, each cloud larger than the one before.
  var clouds: AsyncStream<FeatureCloud> { get }
  /// What it has recognised.
  var sightings: AsyncStream<Anchor> { get }
  /// Drives there, and throws when it cannot.
  func drive(to place: Transform) async throws
}
// snippet.end

// snippet.order
/// An order; its place is the transform of the message.
struct Drive: Codable, Sendable {
  var name: String
}
// snippet.end

/// Takes part until the session ends.
func run(_ robot: some Robot, in session: Session) async throws {
  // snippet.begin
  try await session.frames.begin()
  // snippet.end
  let orders = session.messages.requests(Drive.self, at: "drive")
  await withThrowingTaskGroup(of: Void.self) { tasks in
    // snippet.align
    tasks.addTask {
      for await cloud in robot.clouds {
        // Fails while there is no map, or too little was seen of the place: the next cloud is larger.
        _ = try? await session.frames.keepAligned(by: MapScan(cloud))
      }
    }
    // snippet.end
    // snippet.pose
    tasks.addTask {
      for await pose in robot.poses { try await session.world.updatePose(pose) }
    }
    // snippet.end
    // snippet.mark
    tasks.addTask {
      for await sighting in robot.sightings {
        // Whoever asks the robot later where the cone is must not lose it with the robot.
        try await session.world.place(sighting, acknowledgement: .everyPresentMember)
      }
    }
    // snippet.end
    // snippet.answer
    tasks.addTask {
      await orders.answer { order in
        guard let place = order.transform else {
          throw RemoteError("not-aligned", "I do not know yet where I am in the map")
        }
        try await robot.drive(to: place)
        return "at \(order.object.name)"
      }
    }
    // snippet.end
    for await event in session.events { if case .ended = event { break } }
    tasks.cancelAll()
  }
}

/// What a person's program sends.
func send(_ robot: PeerID, to anchor: Anchor, in session: Session) async throws {
  // snippet.send
  let order = Message(Drive(name: anchor.name), transform: anchor.transform)
  let answer: Message<String> = try await session.messages.request(
    order, from: robot, at: "drive", timeout: .seconds(60))
  print(answer.object)
  // snippet.end
}
