/// TXT records that were heard a moment before the browser of a back-end reports their service; both come in one message.
struct EarlyTexts {
  /// How long a record is kept.
  static let patience: Duration = .seconds(10)
  /// The most records at a time; more come in a flood alone, where services are asked instead.
  static let maximum = 256

  private var texts: [ServiceInstance: (data: [UInt8], heard: ContinuousClock.Instant)] = [:]

  /// Keeps a record.
  mutating func add(_ data: [UInt8], of instance: ServiceInstance, at now: ContinuousClock.Instant) {
    if texts.count >= Self.maximum { texts = texts.filter { now < $0.value.heard + Self.patience } }
    guard texts.count < Self.maximum || texts[instance] != nil else { return }
    texts[instance] = (data, now)
  }

  /// The record of a service, which is no longer kept.
  mutating func take(_ instance: ServiceInstance, at now: ContinuousClock.Instant) -> [UInt8]? {
    guard let text = texts.removeValue(forKey: instance), now < text.heard + Self.patience else { return nil }
    return text.data
  }
}
