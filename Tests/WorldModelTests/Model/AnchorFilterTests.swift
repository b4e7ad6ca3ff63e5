import Basics
import Testing
import WorldModel

@Suite("Anchor filters")
struct AnchorFilterTests {
  private let creator = PeerID(SHA256Digest(hashing: [1]))

  private var lamp: Anchor {
    var lamp = Anchor(name: "lamp 1", transform: Transform(translation: [3, 4, 0]))
    lamp.creator = creator
    return lamp
  }

  @Test("every condition that is set has to be met")
  func conditions() {
    #expect(AnchorFilter.all.matches(lamp))
    #expect(AnchorFilter(namePrefix: "lamp").matches(lamp))
    #expect(!AnchorFilter(namePrefix: "table").matches(lamp))
    #expect(AnchorFilter(creator: creator).matches(lamp))
    #expect(!AnchorFilter(creator: PeerID(SHA256Digest(hashing: [2]))).matches(lamp))
    #expect(AnchorFilter(owner: creator).matches(lamp, owner: creator))
    #expect(!AnchorFilter(owner: creator).matches(lamp) && AnchorFilter.all.matches(lamp, owner: creator))
    #expect(AnchorFilter(kind: .plain).matches(lamp))
    #expect(!AnchorFilter(kind: .image).matches(lamp))
    #expect(!AnchorFilter(namePrefix: "lamp", creator: creator, kind: .mesh).matches(lamp))
  }

  @Test("a region holds its surface", arguments: [(5.0, true), (4.99, false), (0, false)] as [(Float, Bool)])
  func region(_ radius: Float, _ isIn: Bool) {
    #expect(AnchorFilter(region: .init(center: .zero, radius: radius)).matches(lamp) == isIn)
  }
}
