import SharedWorld

/// The texts of the sample's message bar.
enum MessageBar {
  static func text(
    _ tracking: MultiuserExperience.Tracking, peers: [Peer], mapProvider: Peer?, isEmpty: Bool
  ) -> String {
    switch (tracking, mapProvider) {
    case (.normal, _) where isEmpty && peers.isEmpty:
      "Move around to map the environment, or wait to join a shared session."
    case (.normal, nil) where !peers.isEmpty: "Connected with \(peers.map(\.name).joined(separator: ", "))."
    case (.normal, _): ""
    case (.notAvailable, _): "Tracking unavailable."
    case (.limited(.excessiveMotion), _): "Tracking limited - Move the device more slowly."
    case (.limited(.insufficientFeatures), _):
      "Tracking limited - Point the device at an area with visible surface detail, or improve lighting conditions."
    case (.limited(.initializing), let provider?), (.limited(.relocalizing), let provider?):
      "Received map from \(provider.name)."
    case (.limited(.relocalizing), nil):
      "Resuming session — move to where you were when the session was interrupted."
    case (.limited(.initializing), nil): "Initializing AR session."
    }
  }
}
