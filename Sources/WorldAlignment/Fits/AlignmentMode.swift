/// The knowledge of the directions of two frames.
public enum AlignmentMode: Hashable, Sendable, CaseIterable {
  /// Both have y straight up, as devices with an accelerometer do: a turn about y and a translation are sought.
  case gravity
  /// Any rotation is sought.
  case free
}
