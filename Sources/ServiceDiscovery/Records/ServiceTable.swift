/// The services on the network, derived from the raw reports of a browser.
///
/// A service is reported once per interface and IP version and withdrawn as often, so the reports are counted and it
/// is lost only with the last. It is found when its TXT record is known too, which every DNS-SD service has
/// (RFC 6763 §6). Our own instance is left out, whatever name it has at the moment.
///
/// Every name is counted, or those that came during a flood would stay unknown after it. Avahi bounds how many there are:
/// its cache has 4,096 records for each interface and IP version.
struct ServiceTable {
  private struct Row {
    /// How many reports stand, by interface.
    var reports: [UInt32: Int] = [:]
    var info: DiscoveryInfo?
  }

  private var rows: [ServiceInstance: Row] = [:]

  /// The names that are in the table, in alphabetical order.
  var instances: [ServiceInstance] {
    rows.keys.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// Our own instance: first the requested name, then the assigned one.
  private(set) var own: ServiceInstance?

  /// An empty table that leaves out `own`.
  init(own: ServiceInstance? = nil) { self.own = own }

  /// Counts one report of `instance` on an interface.
  ///
  /// Returns whether the instance is new, so that its TXT record must be asked for.
  mutating func add(_ instance: ServiceInstance, interface: UInt32) -> Bool {
    let isNew = rows[instance] == nil
    rows[instance, default: Row()].reports[interface, default: 0] += 1
    return isNew
  }

  /// Removes one report of `instance`; the instance is gone if ``contains(_:)`` is false afterwards.
  mutating func remove(_ instance: ServiceInstance, interface: UInt32) -> [DiscoveryEvent] {
    guard var row = rows[instance], let count = row.reports[interface] else { return [] }
    row.reports[interface] = count > 1 ? count - 1 : nil
    guard row.reports.isEmpty else {
      rows[instance] = row
      return []
    }
    rows[instance] = nil
    return row.info != nil && instance != own ? [.lost(instance)] : []
  }

  /// Notes the TXT record of `instance`: the service is found by its first one and updated by a different one.
  mutating func setInfo(_ info: DiscoveryInfo, of instance: ServiceInstance) -> [DiscoveryEvent] {
    guard let row = rows[instance], row.info != info else { return [] }
    rows[instance]?.info = info
    guard instance != own else { return [] }
    return [row.info == nil ? .found(instance, info) : .updated(instance, info)]
  }

  /// Notes the name under which we ourselves are on the network.
  ///
  /// After a conflict the former name belongs to another host, which is then found.
  mutating func setOwn(_ instance: ServiceInstance) -> [DiscoveryEvent] {
    guard instance != own else { return [] }
    let former = own
    own = instance
    var events: [DiscoveryEvent] = []
    if rows[instance]?.info != nil { events.append(.lost(instance)) }
    if let former, let info = rows[former]?.info { events.append(.found(former, info)) }
    return events
  }

  /// Whether any report of `instance` stands.
  func contains(_ instance: ServiceInstance) -> Bool { rows[instance] != nil }

  /// Empties the table, because the reporter can report no more.
  mutating func removeAll() -> [DiscoveryEvent] {
    let lost = instances.filter { rows[$0]?.info != nil && $0 != own }
    rows = [:]
    return lost.map(DiscoveryEvent.lost)
  }
}
