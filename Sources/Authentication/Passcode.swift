/// The passcode of a room: a short secret that its peers have agreed on, and that admits devices which know it.
///
/// It never leaves this process: two peers prove it to each other with CPace (draft-irtf-cfrg-cpace), so that who listens,
/// or stands between them, learns nothing that can be tested offline. Each attempt tests one guess, and a room accepts 20
/// wrong ones.
public struct Passcode: Sendable {
  /// The fewest characters of a passcode.
  public static let leastLength = 6
  /// The most characters of a passcode.
  public static let mostLength = 64

  let bytes: SecretBytes

  /// A passcode of 6 to 64 printable ASCII characters, compared character by character.
  ///
  /// ASCII alone, since the same text can have several forms in Unicode; in ASCII it is its own form NFKC.
  /// - Throws: ``Defect``.
  public init(_ text: String) throws(Defect) {
    var bytes = Array(text.utf8)
    defer { bytes.wipe() }
    try self.init(utf8: bytes)
  }

  /// The same from an array, which the caller can overwrite afterwards.
  public init(utf8 bytes: [UInt8]) throws(Defect) {
    try Self.check(bytes)
    self.bytes = SecretBytes(copying: bytes)
  }

  /// The same from memory of the caller's.
  public init(utf8 bytes: UnsafeRawBufferPointer) throws(Defect) {
    try Self.check(bytes)
    self.bytes = SecretBytes(copying: bytes)
  }

  /// The bucket of this passcode, 0 to 15, among those of the rooms of one service.
  ///
  /// A room tells it to everybody, so that those of most other passcodes need not try theirs. It lets a guesser leave out fifteen
  /// of sixteen passcodes, and no more.
  package func bucket(for service: String) -> UInt8 {
    HMACSHA256.tag(over: Array("sharedworld room \(service)".utf8), key: bytes)[0] >> 4
  }

  private static func check(_ bytes: some RandomAccessCollection<UInt8>) throws(Defect) {
    if let place = bytes.enumerated().first(where: { !(0x20...0x7e).contains($0.element) }) {
      throw .notPrintable(place: place.offset + 1)
    }
    guard bytes.count >= Self.leastLength else { throw .tooShort }
    guard bytes.count <= Self.mostLength else { throw .tooLong }
  }

  /// Why a text is not a passcode.
  @nonexhaustive
  public enum Defect: Error, Hashable, Sendable, CustomStringConvertible {
    /// It has fewer than 6 characters.
    case tooShort
    /// It has more than 64 characters.
    case tooLong
    /// A character, counted from 1, is not printable ASCII.
    case notPrintable(place: Int)

    /// The fault, and the remedy.
    public var description: String {
      switch self {
      case .tooShort: "the passcode is too short; use at least \(Passcode.leastLength) characters"
      case .tooLong: "the passcode is too long; use at most \(Passcode.mostLength) characters"
      case .notPrintable(let place):
        "character \(place) of the passcode is not printable ASCII; use letters, digits, punctuation and blanks"
      }
    }
  }
}

extension Passcode {
  /// The strength of ``generatedText(using:)`` (bits).
  public static let generatedBits = 40

  /// 32 characters that are not mistaken for each other (Crockford's base 32).
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

  /// A text for a new passcode, such as `7KQF-3M9X`: 40 random bits.
  public static func generatedText(using random: inout some RandomNumberGenerator) -> String {
    let characters = (0..<8).map { _ in alphabet[Int((random.next() as UInt8) & 31)] }
    return String(characters[..<4]) + "-" + String(characters[4...])
  }

  /// The same with the random numbers of the system.
  public static func generatedText() -> String {
    var random = SystemRandomNumberGenerator()
    return generatedText(using: &random)
  }
}

/// The code of a room: a passcode of words, which people read to each other.
extension Passcode {
  /// A new code of 40 random bits, such as `kitten-lemon-violin-acorn`.
  package static func generatedCode(using random: inout some RandomNumberGenerator) -> String {
    let words = (0..<generatedBits / CodeWords.bits).map { _ in
      CodeWords.all[Int((random.next() as UInt16) & (1 << CodeWords.bits - 1))]
    }
    return words.joined(separator: "-")
  }

  /// The same with the random numbers of the system.
  public static func generatedCode() -> String {
    var random = SystemRandomNumberGenerator()
    return generatedCode(using: &random)
  }

  /// A code as it is compared: its letters in lower case, and one hyphen for whatever is between two words.
  ///
  /// So it makes no difference how somebody types a code that was read out: `Kitten lemon, violin acorn` is
  /// `kitten-lemon-violin-acorn`. Characters that are not ASCII stay, and are refused as those of every passcode.
  package static func normalized(code: String) -> String {
    code.lowercased().split { $0.isASCII && !$0.isLetter && !$0.isNumber }.joined(separator: "-")
  }
}
