package import Basics

/// An invitation to join the sender's session.
package struct Invite: Sendable, Equatable, FrameBody {
  /// Bytes of the longest one: two numbers, and a context behind its length.
  package static let largest = 12 + 2 + ProtocolLimits.invitationContext

  /// The sender's number of this invitation, random.
  package var number: UInt64
  /// How long the sender waits for the answer (milliseconds).
  package var wait: UInt32
  /// Data of the inviting app; untrusted.
  package var context: [UInt8]

  package init(number: UInt64, wait: UInt32, context: [UInt8]) {
    self.number = number
    self.wait = wait
    self.context = context
  }

  package func write(to writer: inout ByteWriter) {
    writer.write(number)
    writer.write(wait)
    writer.writeBlob(context)
  }

  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    number = try reader.read(UInt64.self)
    wait = try reader.read(UInt32.self)
    context = try reader.readBlob(limit: ProtocolLimits.invitationContext)
  }
}

/// The one answer to an invitation.
package struct InviteAnswer: Sendable, Equatable, FrameBody {
  /// Bytes of the longest one: a number, the decision, and a reason behind its length.
  package static let largest = 9 + 2 + ProtocolLimits.reason

  /// The invitation's number.
  package var number: UInt64
  /// The decision, or the news that there can be none.
  package enum Decision: Sendable, Equatable {
    /// The receiver joins.
    case accept
    /// It does not, for a reason that people read.
    case decline(reason: String)
    /// Too many invitations wait for its app: ask again in a moment.
    case busy
  }

  /// The decision.
  package var decision: Decision

  package init(number: UInt64, decision: Decision) {
    self.number = number
    self.decision = decision
  }

  package func write(to writer: inout ByteWriter) {
    writer.write(number)
    switch decision {
    case .accept: writer.write(UInt8(1))
    case .decline(let reason):
      writer.write(UInt8(0))
      writer.writeString(PlainText.cleaned(reason).utf8Prefix(ProtocolLimits.reason))
    case .busy: writer.write(UInt8(2))
    }
  }

  package init(reading reader: inout ByteReader) throws(DecodingFailure) {
    number = try reader.read(UInt64.self)
    let offset = reader.offset
    switch try reader.readByte() {
    case 0: decision = .decline(reason: try reader.readString(limit: ProtocolLimits.reason))
    case 1: decision = .accept
    case 2: decision = .busy
    default: throw .unknownKind(offset: offset)
    }
  }
}

extension String {
  /// The longest prefix of whole characters with at most `limit` bytes of UTF-8.
  package func utf8Prefix(_ limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var size = 0
    return String(
      prefix { character in
        size += character.utf8.count
        return size <= limit
      })
  }
}

/// The one answer to an invitation.
public enum InvitationDecision: Hashable, Sendable {
  /// Join the inviter's session.
  case accept
  /// Stay out; the inviter is told the reason (at most 255 bytes of UTF-8).
  case decline(reason: String)
}
