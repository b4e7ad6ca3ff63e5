/// The tally of a simulated network, to see that a kind of run really has what it is meant to have.
package struct NetworkTally: Sendable, Equatable {
  /// Connections that came about.
  package var connections = 0
  /// Dials that failed.
  package var refusals = 0
  /// Packets that arrived where their connection was gone.
  package var lost = 0
  /// Packets that waited for a broken path.
  package var held = 0
  /// Packets that others, sent later over other connections, overtook.
  package var overtaken = 0

  package init() {}

  package static func += (left: inout Self, right: Self) {
    left.connections += right.connections
    left.refusals += right.refusals
    left.lost += right.lost
    left.held += right.held
    left.overtaken += right.overtaken
  }
}
