import FoundationEssentials
package import SharedWorld

/// A tap on the page: place an anchor where it hits, or move one there.
package struct TapRequest: Decodable, Equatable, Sendable {
  /// The point of the screen: (0, 0) is the top left corner, (1, 1) the bottom right.
  package let x: Float
  package let y: Float
  /// Where the page's camera is and what it looks at (metres).
  package let eye: [Float]
  package let target: [Float]
  /// The direction that is up in the picture; nil is y.
  let up: [Float]?
  /// In picture heights.
  package let focalLength: Float
  /// Width over height.
  package let aspectRatio: Float
  /// The lowest and the highest corner of what is shown (metres); nil when everything is.
  let clip: [[Float]]?
  /// The name of the new anchor.
  package let name: String?
  /// The anchor that is to be moved instead.
  package let anchor: String?
  /// The name of the corner that the user touches instead, for a device to touch it too.
  let corner: String?

  /// The point of the screen.
  package var point: SIMD2<Float> { [x, y] }

  /// The page's camera.
  package var camera: PinholeCamera {
    var camera = PinholeCamera(
      eye: SIMD3(eye), target: SIMD3(target), focalLength: focalLength, aspectRatio: aspectRatio)
    guard let up, let ahead = (SIMD3(target) - SIMD3(eye)).unit, let right = ahead.cross(SIMD3(up)).unit else {
      return camera
    }
    camera.pose = Transform(
      columns: (SIMD4(right, 0), SIMD4(right.cross(ahead), 0), SIMD4(-ahead, 0), SIMD4(SIMD3(eye), 1)))
    return camera
  }

  /// The box of what is shown.
  package var box: BoundingBox? {
    clip.map { BoundingBox(minimum: SIMD3($0[0]), maximum: SIMD3($0[1])) }
  }

  /// Refuses numbers that make no camera.
  fileprivate func validate() throws(HTTPFailure) {
    let vectors = [eye, target] + (up.map { [$0] } ?? []) + (clip ?? [])
    let numbers = vectors.flatMap { $0 } + [x, y, focalLength, aspectRatio]
    guard vectors.allSatisfy({ $0.count == 3 }), clip?.count ?? 2 == 2, numbers.allSatisfy(\.isFinite),
      (0.01...100).contains(focalLength), (0.01...100).contains(aspectRatio)
    else { throw HTTPFailure(400, "the tap's numbers make no camera") }
  }
}

/// The axis that the user wants to be up in the map in view.
struct UpRequest: Decodable, Equatable, Sendable {
  let axis: String
}

/// A line for all members.
struct SayRequest: Decodable, Equatable, Sendable {
  let text: String
}

/// The token of the address, for the key.
package struct OpenRequest: Decodable, Equatable, Sendable {
  package let token: String
}

/// A new name for an anchor.
package struct RenameRequest: Decodable, Equatable, Sendable {
  package let anchor: String
  package let name: String
}

/// An anchor to remove, or to bring back.
package struct AnchorRequest: Decodable, Equatable, Sendable {
  package let anchor: String
}

/// The user's answer to the question whether the session's map takes the place of one that was not sent.
struct ShowMapRequest: Decodable, Equatable, Sendable {
  /// The session's map.
  let map: String
  let isShown: Bool
}

/// A peer that is removed, or about which the user wants to read no more.
struct PeerRequest: Decodable, Equatable, Sendable {
  let peer: String
}

/// Another part for a peer.
struct RoleRequest: Decodable, Equatable, Sendable {
  let peer: String
  let role: String
}

/// Whether newcomers are turned away.
struct LockRequest: Decodable, Equatable, Sendable {
  let isLocked: Bool
}

/// An invitation of this page's users that is withdrawn.
struct WithdrawRequest: Decodable, Equatable, Sendable {
  let number: Int
}

/// The user's answer to an invitation.
struct AnswerRequest: Decodable, Equatable, Sendable {
  /// The id of the peer that invites.
  let peer: String
  let accept: Bool
}

/// The user's answer to a code.
struct CodeRequest: Decodable, Equatable, Sendable {
  /// The id of the peer.
  let peer: String
  /// Whether its screen shows the same.
  let isSame: Bool
}

/// A peer to invite: what the user typed, or the id of a service in sight.
struct InviteRequest: Decodable, Equatable, Sendable {
  /// An invitation link, or `HOST:PORT`.
  let text: String?
  /// A service in sight.
  let candidate: String?
}

/// The passcode that the user typed.
struct PasscodeRequest: Decodable, Equatable, Sendable {
  let passcode: String
}

/// An anchor in the user's hand.
struct DragRequest: Decodable, Equatable, Sendable {
  let anchor: String
  /// Where it is (metres); it keeps its orientation.
  let place: [Float]
  /// Whether it is let go there.
  let isEnd: Bool
}

/// A browser that wants to be a member of its own.
struct DeviceRequest: Decodable, Equatable, Sendable {
  /// Its secret, of which its key is made.
  let secret: String
  let name: String
}

/// Where a browser looks from: what its camera is, or the device itself.
struct PoseRequest: Decodable, Equatable, Sendable {
  /// Sixteen numbers, column by column; nil where it shows nothing any more.
  let pose: [Float]?
}

/// The place of the map under the pointer of a page.
struct PointRequest: Decodable, Equatable, Sendable {
  /// Where it is (metres); nil where the page points nowhere any more.
  let place: [Float]?
}

/// Whether a device has a world of its own.
struct FrameRequest: Decodable, Equatable, Sendable {
  let isOwn: Bool
}

/// Where a device has found an anchor to be.
struct PlaceRequest: Decodable, Equatable, Sendable {
  /// The id, which the page has made.
  let anchor: String
  /// The name; empty where the user typed none.
  let name: String
  /// Sixteen numbers, column by column.
  let transform: [Float]
}

/// A point of the room that a user touches.
struct TouchRequest: Decodable, Equatable, Sendable {
  let name: String
  /// Where it is (metres).
  let position: [Float]
}

extension Transform {
  /// A transform of the page: sixteen numbers, column by column.
  init(page numbers: [Float]) throws(SessionError) {
    guard numbers.count == 16 else { throw SessionError(.invalidArgument, "a transform has sixteen numbers") }
    let columns = stride(from: 0, to: 16, by: 4).map { SIMD4(numbers[$0..<$0 + 4]) }
    self.init(columns: (columns[0], columns[1], columns[2], columns[3]))
  }
}

extension HTTPRequest {
  /// The body read as JSON.
  package func json<T: Decodable>(_ type: T.Type = T.self) throws(HTTPFailure) -> T {
    do {
      return try JSONDecoder().decode(type, from: Data(body))
    } catch {
      throw HTTPFailure(400, "the body is not the JSON that \(path) takes")
    }
  }

  /// The body read as a tap.
  package func tap() throws(HTTPFailure) -> TapRequest {
    let tap: TapRequest = try json()
    try tap.validate()
    return tap
  }
}
