/// What a value stores under a path of property names, such as `membership.kept.roster`; nil when there is no such property.
///
/// Organs keep their state to themselves; a test of a bound on memory looks inside nevertheless.
func stored(_ path: String, in value: Any) -> Any? {
  var value = value
  for name in path.split(separator: ".") {
    guard let child = Mirror(reflecting: value).children.first(where: { $0.label == String(name) }) else { return nil }
    value = child.value
  }
  return value
}
