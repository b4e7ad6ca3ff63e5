import Testing

@testable import ServiceDiscovery

@Suite struct ServiceTableTests {
  @Test func countsReportsPerInterfaceAndVersion() throws {
    var table = ServiceTable()
    let lamp = try instance("lamp")
    let record = try info("1")
    // IPv4 and IPv6 on interface 2, IPv4 on interface 3.
    #expect(table.add(lamp, interface: 2) == true)
    #expect(table.add(lamp, interface: 2) == false)
    #expect(table.add(lamp, interface: 3) == false)
    #expect(table.setInfo(record, of: lamp) == [.found(lamp, record)])
    #expect(table.remove(lamp, interface: 2) == [])
    #expect(table.remove(lamp, interface: 3) == [])
    #expect(table.contains(lamp))
    #expect(table.remove(lamp, interface: 2) == [.lost(lamp)])
    #expect(!table.contains(lamp))
  }

  @Test func ignoresWithdrawalsOfWhatWasNeverReported() throws {
    var table = ServiceTable()
    let lamp = try instance("lamp")
    #expect(table.remove(lamp, interface: 2) == [])
    #expect(table.add(lamp, interface: 2) == true)
    #expect(table.remove(lamp, interface: 9) == [])
    #expect(table.contains(lamp))
  }

  @Test func findsAServiceOnceItsRecordIsKnown() throws {
    var table = ServiceTable()
    let lamp = try instance("lamp")
    #expect(table.setInfo(try info("1"), of: lamp) == [])
    #expect(table.add(lamp, interface: 2) == true)
    #expect(table.setInfo(try info("1"), of: lamp) == [.found(lamp, try info("1"))])
    #expect(table.setInfo(try info("1"), of: lamp) == [])
    #expect(table.setInfo(try info("2"), of: lamp) == [.updated(lamp, try info("2"))])
  }

  @Test func doesNotLoseWhatWasNotFound() throws {
    var table = ServiceTable()
    let lamp = try instance("lamp")
    #expect(table.add(lamp, interface: 2) == true)
    #expect(table.remove(lamp, interface: 2) == [])
  }

  @Test func leavesOutItself() throws {
    let lamp = try instance("lamp")
    var table = ServiceTable(own: lamp)
    #expect(table.add(lamp, interface: 2) == true)
    #expect(table.setInfo(try info("1"), of: lamp) == [])
    #expect(table.removeAll() == [])
  }

  @Test func findsWhoeverHasTakenItsName() throws {
    let (lamp, renamed) = (try instance("lamp"), try instance("lamp #2"))
    var table = ServiceTable(own: lamp)
    for name in [lamp, renamed] {
      #expect(table.add(name, interface: 2) == true)
      _ = table.setInfo(try info("1"), of: name)
    }
    #expect(table.setOwn(renamed) == [.lost(renamed), .found(lamp, try info("1"))])
    #expect(table.setOwn(renamed) == [])
    #expect(table.remove(lamp, interface: 2) == [.lost(lamp)])
    #expect(table.remove(renamed, interface: 2) == [])
  }

  @Test func losesEverythingInAFixedOrder() throws {
    var table = ServiceTable()
    for name in ["c", "a", "b"] {
      #expect(table.add(try instance(name), interface: 1) == true)
      _ = table.setInfo(try info("1"), of: try instance(name))
    }
    #expect(table.removeAll() == [.lost(try instance("a")), .lost(try instance("b")), .lost(try instance("c"))])
    #expect(table.instances.isEmpty)
  }

  @Test func countsEveryNameOfAFlood() throws {
    var table = ServiceTable()
    for index in 0..<5_000 { #expect(table.add(try instance("\(index)"), interface: 1) == true) }
    #expect(table.add(try instance("one more"), interface: 1) == true)
    #expect(table.add(try instance("7"), interface: 2) == false)
    #expect(table.remove(try instance("7"), interface: 1) == [])
    #expect(table.contains(try instance("7")))
  }
}
