import Basics
import PeerTransport
import ServiceDiscovery
import TestSupport
import Testing

@testable import SharedWorld

@Suite("What an advertisement says")
struct DiscoveryRecordTests {
  private func text(_ key: String, in info: DiscoveryInfo) -> String? {
    info[key].map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("the record is the documented one, and is read back")
  func isRead() throws {
    var record = DiscoveryRecord(showing: "kitchen")
    (record.asksForPasscode, record.bucket) = (true, 11)
    record.standing = .locked
    record.appInfo = ["game": "chess", "a": ""]
    let info = try record.info()
    #expect(info.keys == ["auth", "st", "v", "n", "r", "a", "game"])
    #expect(text("r", in: info) == "b")
    #expect(["auth", "st", "n", "game"].map { text($0, in: info) } == ["passcode", "locked", "kitchen", "chess"])
    #expect(DiscoveryRecord(reading: DiscoveryInfo(parsing: info.encoded)) == record)
  }

  @Test("what says nothing or nonsense is an open session without a name")
  func isLenient() {
    var record = DiscoveryRecord()
    record.version = nil
    #expect(DiscoveryRecord(reading: DiscoveryInfo()) == record)
    let nonsense = ["st=ajar", "auth=", "v=one", "n=", "r=+1"].flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    #expect(DiscoveryRecord(reading: DiscoveryInfo(parsing: nonsense)) == record)
  }

  @Test(
    "a name of 63 bytes is shown whole, a longer one is cut between characters",
    arguments: [
      "آشپزخانه\u{200c}ها", "रसोई\u{200d}घर", "👩\u{200d}🔬 lab", String(repeating: "é", count: 31),
      String(repeating: "k", count: 63),
    ])
  func names(name: String) throws {
    #expect(DiscoveryRecord(reading: try DiscoveryRecord(showing: name).info()).shownName == name)
    let long = name + String(repeating: "👩\u{200d}🔬", count: 6)
    let cut = try #require(DiscoveryRecord(reading: try DiscoveryRecord(showing: long).info()).shownName)
    #expect(cut.utf8.count <= 63 && long.hasPrefix(cut) && cut.hasPrefix(name))
  }

  @Test(
    "what no advertisement can carry is refused",
    arguments: [
      ["v": "9"], ["ST": "open"], ["much too long": ""], ["": "x"], ["a=b": ""],
      ["w": String(repeating: "x", count: 300)],
      ["a": "1", "A": "2"], ["id": "x"], ["K": "x"], ["n": "x"], ["auth": "x"], ["r": "x"],
    ])
  func refused(info: [String: String]) async {
    var record = DiscoveryRecord()
    record.appInfo = info
    #expect(throws: DiscoveryError.self) { try record.info() }
    var configuration = TestSessions.configuration()
    configuration.discovery.advertising.info = info
    let error = await #expect(throws: SessionError.self) {
      try await Session.withSession(as: TestSessions.identity("a"), configuration: configuration) { _ in }
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test("a device has one service name for each service, which only its key gives")
  func lastingName() throws {
    let (service, other) = (try ServiceType("sharedworld"), try ServiceType("other"))
    let (one, two) = (try TestSessions.identity("a"), try TestSessions.identity("a"))
    let name = try DiscoveryRecord.lastingName(of: one, service: service)
    #expect(try DiscoveryRecord.lastingName(of: one, service: service) == name)
    #expect(try DiscoveryRecord.lastingName(of: one, service: other) != name)
    #expect(try DiscoveryRecord.lastingName(of: two, service: service) != name)
  }

  @Test("the service name of the key in the protocol's chapter is the one printed there")
  func namesVector() throws {
    let digest = try TLSIdentity(seed: Array(0..<32)).derivedDigest(for: "sharedworld service name sharedworld")
    #expect("sw-" + String(digest.words[0], radix: 36) == "sw-errkjhgupkv4")
  }
}

@Suite("Browser and advertiser", .endsHangs)
struct BrowserTests {
  @Test("a browser finds an advertised service by its id, with the shown name made safe, and loses it when it stops")
  func findsAndLoses() async throws {
    let service = "swb-\(UInt32.random(in: 0..<100_000))"
    let advertiser = try Advertiser(service: service, port: 4711, name: "kit\u{202e}chen\n", discovery: .embedded)
    var names: [String?] = []
    for await event in try Browser(service: service, discovery: .embedded) {
      switch event {
      case .found(let candidate) where candidate.id == advertiser.id:
        names.append(candidate.name)
        advertiser.stop()
      case .lost(let candidate) where candidate.id == advertiser.id:
        #expect(names.first == "kit\u{fffd}chen\u{fffd}")
        return
      default: continue
      }
    }
    Issue.record("the browser ended before the service did")
  }

  @Test("a service type that DNS-SD does not allow is refused")
  func refusesServiceTypes() {
    for type in ["", "-a", "a--b", "has space", "far-too-long-for-a-type", "123"] {
      #expect(throws: SessionError.self) { try Browser(service: type) }
      #expect(throws: SessionError.self) { try Advertiser(service: type, port: 1) }
    }
  }
}
