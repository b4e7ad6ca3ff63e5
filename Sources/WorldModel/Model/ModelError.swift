/// Why a value cannot be part of a world.
@nonexhaustive
public enum ModelError: Error, Hashable, Sendable {
  /// A component is NaN or infinite; the text names the field.
  case notFinite(String)
  /// A component is subnormal: not zero, yet below the smallest normal Float; the text names the field.
  case subnormal(String)
  /// The matrix is not a rotation and a translation; each element may be off by 0.001.
  case notRigid(String)
  /// The named field has more bytes, elements or metres than its limit.
  case overLimit(field: String, limit: Int)
  /// The named field must not be empty.
  case empty(field: String)
  /// The named field is negative where it must not be, or outside its range.
  case outOfRange(field: String)
  /// The named text holds control characters, or characters that turn a line around.
  case controlCharacters(field: String)
  /// Two anchors share this id.
  case duplicateAnchor(AnchorID)
  /// Two points share this identifier.
  case duplicatePoint(UInt64)
  /// A channel does not have one element a point; the text names it.
  case unevenChannel(String)
}

extension ModelError: CustomStringConvertible {
  /// A sentence that names the field and its defect.
  public var description: String {
    switch self {
    case .notFinite(let field): "\(field) is not a finite number"
    case .subnormal(let field): "\(field) is subnormal (not zero, yet smaller than any normal Float)"
    case .notRigid(let why): "the transform is not rigid: \(why)"
    case .overLimit(let field, let limit): "\(field) is over its limit of \(limit)"
    case .empty(let field): "\(field) is empty"
    case .outOfRange(let field): "\(field) is out of range"
    case .controlCharacters(let field):
      "\(field) has characters that steer a terminal or turn a line around; leave them out"
    case .duplicateAnchor(let id): "two anchors have the id \(id)"
    case .duplicatePoint(let identifier): "two points have the identifier \(identifier)"
    case .unevenChannel(let channel): "the channel \(channel) does not have one element for each point"
    }
  }
}
