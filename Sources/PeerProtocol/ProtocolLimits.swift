/// Every limit of the protocol, in one place.
///
/// All are checked before memory is reserved.
package enum ProtocolLimits {
  /// The versions of the wire this build speaks.
  package static let versions: ClosedRange<UInt16> = 1...1

  /// Bytes of a frame's body before the peer is admitted: an invitation's context and its head.
  package static let strangerFrame = 4 * 1024 + 512
  /// Bytes of a frame's body once the peer is admitted: an anchor's payload and its head.
  package static let memberFrame = 64 * 1024 + 1024
  /// Bytes of one piece of a map chunk, so that a frame of bulk data fits one TLS record.
  package static let bulkPiece = 16 * 1024 - 128
  /// Bytes of a frame's body on a link that carries pieces of maps alone.
  package static let bulkFrame = 16 * 1024
  /// A map of which at least so many bytes are still to be asked for gets a connection of its own.
  package static let bulkWorth = 1024 * 1024
  /// Bytes the node hands to a link before it waits for the driver to report it writable again.
  package static let transmitWindow = 64 * 1024
  /// Bytes of control frames that may wait on one link; a peer that reads slower than that is let go.
  ///
  /// Such a link is read nevertheless: two members that hand each other all they have would otherwise wait for each other.
  package static let controlQueue = 4 * 1024 * 1024
  /// The same for a stranger: it has little to ask.
  package static let strangerControlQueue = 16 * 1024
  /// Frames of a stranger after its hello, up to its admission.
  package static let strangerFrames = 256
  /// Invitations that a stranger may make on one link.
  package static let strangerInvitations = 4

  /// Wrong passcodes after which no stranger may try one.
  package static let wrongPasscodes = 20
  /// Comparisons of codes under way that others have begun, and one an address.
  package static let codesOfStrangers = 4
  /// Comparisons of codes that others may begin in a second.
  package static let codesOfStrangersASecond = 1
  /// Bytes that a driver sends at once; those of all that it sends on a link, so that they fit ``strangerControlQueue``; and how
  /// often it sends on a link.
  package static let handshakeData = 4 * 1024
  package static let handshakeBytes = 12 * 1024
  package static let handshakeSteps = 16
  /// Devices, and addresses, of which a failed comparison or a wrong passcode is remembered.
  static let penalties = 1024

  /// Bytes of UTF-8 in a peer's name.
  package static let peerName = 63
  /// Bytes of UTF-8 in the reason of a refusal or a goodbye.
  package static let reason = 255
  /// Bytes of an invitation's context.
  package static let invitationContext = 4 * 1024
  /// Invitations of others that may wait for an answer, and one a device.
  package static let pendingInvitations = 16
  /// Of them those of one address, or of one IPv6 network (/64).
  package static let pendingInvitationsOfSource = 2
  /// The longest an invitation may wait.
  package static let invitationWait: Duration = .seconds(60)
  /// Links of strangers held at once.
  package static let strangerLinks = 32
  /// The time a new link has to say hello.
  package static let helloTime: Duration = .seconds(2)
  /// The time a stranger has, after hello, to invite or to be recognised as a member.
  package static let strangerTime: Duration = .seconds(10)

  /// Members of a session, oneself included.
  package static let members = 64
  /// Roster entries remembered, those who left included.
  package static let roster = 1024
  /// Of them peers that are out and that one member alone says were ever here.
  package static let departuresOfTeller = 256
  /// Bytes of what a node keeps in order to come back; a full roster has less than 300 each, the statements of an owned session
  /// hardly more than 140 each.
  package static let record = 1024 * 1024
  /// Dials under way to addresses at which no member was ever linked.
  package static let unprovenDials = 16
  /// Those of them that may make both sides compute: begun within ``ProtocolTimes/dialDelay``, or answered within a second.
  package static let authenticatingDials = 8
  /// Such dials to one machine in a second; on the loopback interface, to one port.
  package static let dialsToHost = 4
  /// Signatures of removals that one member hands on and that are checked, a second.
  static let removalWitnesses = 64
  /// Charters of one link; each may need a few signatures to be checked.
  static let charters = 16
  /// Addresses remembered of a peer.
  package static let addresses = 8

  /// Bytes of raw map in one chunk.
  package static let chunk = 256 * 1024
  /// Chunks of a map.
  package static let chunks = 64 * 1024
  /// Bytes of an encoded map.
  package static let map = 512 * 1024 * 1024
  /// Bytes of memory that one byte of a map on the network may become when it is decoded.
  ///
  /// Scans and reconstructions become 2 to 7, encoded without loss; a file of equal points becomes thousands.
  package static let mapExpansion = 128
  /// Bytes of memory that a map may become whatever its size on the network.
  package static let smallMap = 16 * 1024 * 1024
  /// The highest epoch or revision of a map, so that counting on never overflows.
  package static let counter: UInt64 = 1 << 62
  /// Chunks of a map that one source owes at a time.
  package static let outstandingChunks = 8
  /// Chunks of a map that have arrived and wait to be proven; while there are more nothing is asked for.
  package static let uncheckedChunks = 16
  /// Maps that one peer may fetch from this one at a time.
  package static let uploads = 4
  /// Bytes of a resource.
  package static let resource = chunks * chunk
  /// Resources that one member has offered to another and that have not ended.
  package static let resourcesOfPeer = 16
  /// Resources that one node offers, and that are offered to it, at a time.
  package static let resources = 64
  /// Resources that a node fetches at a time.
  static let resourcesFetched = 8
  /// Attachments of one start of a member that stand.
  package static let attachments = 16
  /// Removals of others' attachments that are kept of one member, the latest ones, and of all that are no members.
  static let removalsOfMember = 128
  static let removalsOfStrangers = 1024
  /// Attachments that a node fetches at a time.
  static let attachmentsFetched = 4
  /// Ended offers that a receiver remembers, so that it can repeat its word.
  static let resourcesEnded = 256
  /// Chunks of a resource that are asked for, or arrived and are being proven and written.
  static let resourceRequests = 32
  /// Verified chunks after which a member that is still fetching tells the others what it has.
  static let chunksBetweenTells = 8
  /// Maps that one member may announce in a second beyond those that are known here; the latest of the rest waits for
  /// the next exchange of vectors.
  package static let announcements = 8
  /// Chunks named in one manifest frame.
  package static let manifestNames = 450
  /// Parts of manifests that one member gets of maps in a second, and as many of resources; the longest manifest has 146.
  package static let manifestRequests = 512
  /// Bytes of one part of a snapshot or of a version vector, with its head.
  package static let statePart = 32 * 1024
  /// Bytes of a version vector with its digest.
  package static let vector = 128 * 1024
  /// Subjects of one sender whose latest pose is remembered: its device and what it drags.
  package static let ephemeralSlots = 32
  /// Ephemeral updates taken from one link in a second, those that it passes on included; more are dropped.
  package static let ephemeralRate = 4096
  /// Anchors a node drags at a time.
  package static let drags = 16
  /// Processes that are members no more, or never were, whose declarations of frames are kept.
  static let frameAuthors = 1024
  /// Declarations of one process that are kept, the latest ones.
  package static let framesOfAuthor = 16
  /// Measurements between frames of one observer that are kept, the latest ones.
  package static let measurementsOfObserver = 32
  /// Those of all observers that are members no more, or never were.
  static let measurementsOfStrangers = 1024
  /// Members that pass on a frame that is for another one.
  package static let hops = 8
  /// Requests for ownership that wait at a node, of its own app and of each other one.
  package static let ownershipRequests = 256
  /// Bytes of an app message.
  package static let message = 60 * 1024
  /// Bytes that every message counts besides its own, so that empty ones are bounded too.
  package static let messageCost = 64
  /// Cost of the messages that one receiver has not acknowledged, and of those of one sender that an app has not read.
  package static let messageWindow = 1024 * 1024
  /// Cost of the messages that all receivers together have not acknowledged; a quarter of it is for critical ones alone.
  ///
  /// A quarter holds every window of critical messages, so that the others never hold those up. A message to several
  /// receivers counts for each: that bounds what is retained, whichever of them acknowledges last.
  package static let messageTotal = 64 * 1024 * 1024
  /// Cost of delivered messages after which the receiver reports at once, unless an eighth of the window is less.
  ///
  /// A report costs both ends as much as twenty messages: an eighth of the window leaves the sender room meanwhile.
  package static let messagesToReport = 128 * 1024
  /// Cost of the messages to one receiver that are on their way through members.
  package static let relayedFlight = 64 * 1024
  /// Starts of senders whose chains are remembered; those of members are never forgotten for others.
  static let messageSenders = 256

  /// Bytes of an unreliable message, and of UTF-8 in its key.
  package static let unreliableMessage = 16 * 1024
  package static let unreliableKey = 63
  /// Keys of one sender of which the last message is remembered, and unreliable messages that wait for one receiver or, to be
  /// passed on, on one link.
  package static let unreliableKeys = 256
  /// Cost of unreliable messages of a member that wait until the app is told of it (bytes).
  static let earlyUnreliable = 64 << 10

  /// Groups that a member is in, and bytes of UTF-8 in the name of one.
  package static let groups = 16
  package static let groupName = 63

  /// Streams that one peer has opened to another and that have not ended, those included that wait to be accepted.
  package static let streamsOfPeer = 16
  /// Bytes of UTF-8 in the name of a stream.
  package static let streamName = 255
  /// Bytes of a stream that may be on their way or wait to be read by an app.
  package static let streamWindow = 256 * 1024
  /// Bytes of a stream in one message, so that streams to one peer take turns.
  package static let streamPart = 16 * 1024
  /// Bytes of UTF-8 in the code of an error of the other side's app.
  package static let errorCode = 64
  /// Bytes of UTF-8 in its message.
  package static let errorMessage = 1024

  /// The cost of a message (bytes).
  package static func cost(ofMessage bytes: [UInt8]) -> Int { cost(ofMessage: bytes.count) }

  /// The cost of a message of so many bytes (bytes).
  static func cost(ofMessage count: Int) -> Int { count + messageCost }
}

/// The protocol's times.
package enum ProtocolTimes {
  /// How long a device and an address wait after a wrong passcode; it doubles with each further one.
  package static let passcodePause: Duration = .seconds(1)
  /// The longest such wait.
  package static let passcodePauseMost: Duration = .seconds(3600)
  /// The longest of these waits that a connection waits out; for a longer one it is refused.
  static let passcodeHold: Duration = .seconds(8)
  /// For how long a wrong passcode of this side at a peer that it has dialled counts: 20 are shown in that time.
  static let ownPasscodes: Duration = .seconds(4 * 3600)
  /// The longest that the drivers of two apps may take on a link.
  package static let handshakeMost: Duration = .seconds(60)
  /// How long two people may take to compare a code.
  package static let comparison: Duration = .seconds(60)
  /// How long a device and an address wait after a comparison that failed; it doubles with each further one.
  package static let codePause: Duration = .seconds(5)
  /// The longest such wait.
  package static let codePauseMost: Duration = .seconds(3600)
  /// A link on which nothing was sent for this long carries a ping.
  package static let ping: Duration = .seconds(1)
  /// A link on which something is sent all the time carries a ping this often: only a pong tells the round trip.
  package static let measurement: Duration = .seconds(5)
  /// A link on which nothing arrived for this long is dead.
  package static let silence: Duration = .seconds(4)
  /// A member may be without a link for this long before anybody is told.
  package static let reconnectNotice: Duration = .milliseconds(500)
  /// A member unreachable for this long is reported as lost; it stays admitted and may return.
  package static let lost: Duration = .seconds(10)
  /// A member whose every address refused is reported as lost after this long.
  package static let refused: Duration = .seconds(2)
  /// A record that is not believed is looked at again after this long at the earliest, at the pace of anti-entropy.
  package static let dispute: Duration = .seconds(2)
  /// A member that came into reach this recently may know of removals from the session that it comes from.
  static let removalSettling: Duration = .seconds(30)
  /// Nobody's clock is judged for this long after a member came into reach: sessions of different age that meet need
  /// a while to agree on one host and its time.
  package static let clockSettling: Duration = .seconds(10)
  /// A member's vectors, and its digests of statements, make a snapshot leave or a feed begin again at most this often.
  static let restartPause: Duration = .seconds(1)
  /// Measurements of others make this node place all frames at most this often.
  static let framePlacing: Duration = .milliseconds(500)
  /// A member's digests of frames and of words are compared, and answered, at most this often.
  static let digestAnswer: Duration = .seconds(1)
  /// Version vectors are exchanged this often.
  package static let antiEntropy: Duration = .seconds(5)
  /// Poses of one subject leave at most this often: 60 times a second with some jitter pass.
  package static let ephemeralPace: Duration = .milliseconds(8)
  /// A drag of which nothing was heard for this long is over.
  package static let ephemeralExpiry: Duration = .seconds(1)
  /// A dragged pose is made durable this often.
  static let dragDurable: Duration = .seconds(1)
  /// A question for an acknowledgement is repeated when there was no answer for this long.
  package static let acknowledgementRepeat: Duration = .milliseconds(500)
  /// A request for ownership is repeated when nothing came of it for this long.
  package static let ownershipRepeat: Duration = .milliseconds(500)
  /// The longest an owner may think about a request.
  static let ownershipWait: Duration = .seconds(60)
  /// The host looks this often for anchors whose lease is over, or whose owner is gone.
  package static let orphanLook: Duration = .seconds(1)
  /// The next address of a peer is tried when the one before has not answered for this long: the Connection Attempt Delay of
  /// RFC 8305 §5.
  static let dialStagger: Duration = .milliseconds(250)
  /// How long a dial that has reached somebody, or went to the last address, is left alone before another one is begun; and
  /// how long the peer with the higher id waits for the other one to dial.
  package static let dialTurn: Duration = .seconds(1)
  /// The link of an accepted peer that has not admitted this node for this long ends.
  package static let admission: Duration = .seconds(10)
  /// An accepted peer that has not admitted this node for this long, as long as an invitation may last, is accepted no more.
  package static let acceptance: Duration = .seconds(60)
  /// Admissions that began before the session was locked or full may arrive for this long.
  package static let admissionSettling: Duration = .seconds(10)
  /// A busy peer is invited again after this long, then after twice as long, and so on.
  static let invitationRetry: Duration = .seconds(1)
  /// How long an invitation dials before its target counts as unreachable.
  package static let reach: Duration = .seconds(5)
  /// The first pause after every address failed; it doubles up to ``dialBackoffMost``.
  package static let dialBackoff: Duration = .milliseconds(250)
  /// The longest pause between two rounds of dialling.
  package static let dialBackoffMost: Duration = .seconds(4)
  /// The same for a member that was never linked: it may be invented.
  package static let dialBackoffOfUnknown: Duration = .seconds(16)
  /// News of a peer that is dialled counts once in this time.
  package static let news: Duration = .seconds(1)
  /// The same for a member that was never linked.
  package static let newsOfUnknown: Duration = .seconds(4)
  /// A dial that ``ProtocolLimits/unprovenDials`` or ``ProtocolLimits/dialsToHost`` delays is tried again after this long.
  static let dialDelay: Duration = .milliseconds(100)
  /// Peers that are dialled because of the same news are dialled this far apart on average.
  static let newsSpread: Duration = .milliseconds(20)
  /// A link that ends sooner than this after both sides admitted each other does not end the growth of dialling pauses.
  package static let lastingLink: Duration = .seconds(5)
  /// The chunks that a holder owes are asked of others when it has sent nothing for this long.
  package static let chunkTimeout: Duration = .seconds(30)
  /// A bulk link on which nothing moved for this long is closed.
  package static let bulkIdle: Duration = .seconds(10)
  /// A bulk link that failed is not tried again for this long.
  package static let bulkPause: Duration = .seconds(30)
  /// A message is acknowledged after this long at the latest.
  package static let messageReport: Duration = .milliseconds(20)
  /// Messages on their way through members leave again when nothing was acknowledged for this long; it doubles up to
  /// ``messageRepeatMost``.
  package static let messageRepeat: Duration = .milliseconds(250)
  package static let messageRepeatMost: Duration = .seconds(4)
  /// A directly linked receiver that has acknowledged nothing for this long is asked how far it has come.
  package static let messageQuestion: Duration = .seconds(2)
  /// An app has so long to answer the offer of a resource.
  static let resourceAnswer: Duration = .seconds(600)
  /// A resource of which nothing came for this long fails.
  static let resourceStall: Duration = .seconds(120)
  /// A resource fails when there was no direct link to the other peer for this long.
  static let resourceLink: Duration = .seconds(15)
  /// How far a map has come is told to all this often at most.
  package static let mapStatus: Duration = .milliseconds(250)
}
