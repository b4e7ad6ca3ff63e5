"""What Scripts/languages.py cannot follow from a rule: names that differ between languages, and the reasons of gaps."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Names:
    """How Swift and Python call a function of C; none is the name by the rule."""

    swift: tuple[str, ...] = ()
    python: tuple[str, ...] = ()


@dataclass(frozen=True)
class Gap:
    """The languages that do not have a feature, and why."""

    languages: tuple[str, ...]
    reason: str


#: How C hands things out and takes them back, which the others do by themselves.
PLUMBING = re.compile(
    r"_(count|get|destroy|fd|init)$|sw_(abi|last_error|status|text|start|diagnosing|snapshot|statistics|event)_"
    r"|sw_session_(start_async|config_init|wait|next_event|cancel)$|sw_diagnose_async$|sw_diagnosis_")

NAMES: dict[str, Names] = {
    "sw_identity_load_or_create": Names(("PeerIdentity.loadOrCreate",), ("Identity.load_or_create",)),
    "sw_identity_peer_id": Names(("PeerIdentity.peerID",), ("Identity.peer_id",)),
    "sw_session_start": Names(("Session.withSession", "Session.start"), ("Session",)),
    "sw_join": Names(("Session.join",), ("join",)),
    "sw_host": Names(("Session.host",), ("host",)),
    "sw_session_stop": Names(("SessionHandle.stop",), ("Session",)),
    "sw_session_host": Names(("Session.state",)),
    "sw_session_kick": Names(("Session.Peers.remove",)),
    "sw_session_creator": Names(("Session.Peers.creator",)),
    "sw_session_answer_question": Names(
        ("Session.Configuration.hosting.requestHandler", "Session.Configuration.ownershipHandler")),
    "sw_session_answer_code": Names(("Session.Configuration.authentication.codeHandler",)),
    "sw_passcode_generate": Names(("Passcode.generatedText",), ("generate_passcode",)),
    "sw_known_peers_list": Names(("PinStore.pins",), ("known_peers",)),
    "sw_known_peers_remove": Names(("PinStore.remove",), ("remove_known_peer",)),
    "sw_session_role": Names(("Session.Peers.role", "Session.Peers.roleTime"), ("Session.role", "Session.role_time")),
    "sw_session_invite": Names(
        (), ("Session.invite", "Session.invite_candidate", "Session.invite_link", "Session.invite_known")),
    "sw_session_keep_inviting": Names((), ("Session.keep_inviting", "Session.keep_inviting_candidate")),
    "sw_link_peer": Names(("InvitationLink.peer",), ("link_peer",)),
    "sw_session_answer": Names(("Session.Configuration.invitations.incoming",)),
    "sw_session_candidates": Names(("Session.state",)),
    "sw_diagnose": Names(("NetworkDiagnosis.run",), ("diagnose",)),
    "sw_session_send": Names(("Session.send", "Session.Messages.sendNow"), ("Session.send", "Session.send_now")),
    "sw_session_join_group": Names(("Session.Messages.join(group:)",)),
    "sw_session_leave_group": Names(("Session.Messages.leave(group:)",)),
    "sw_session_send_object": Names(("Session.send", "Session.Messages.sendNow")),
    "sw_session_read_objects": Names(("Session.Messages.of",)),
    "sw_session_serve_requests": Names(("Session.Messages.requests",)),
    "sw_session_respond": Names(("RequestStream.answer",)),
    "sw_session_refuse": Names(("RequestStream.answer",)),
    "sw_session_cancel_resource": Names(("Session.Files.cancel",)),
    "sw_session_fetch_attachment": Names(("Session.Files.fetch",)),
    "sw_session_offer_file": Names(("Session.Files.send",)),
    "sw_session_offer_bytes": Names(("Session.Files.send",)),
    "sw_session_accept_resource": Names(("Session.Files.accept",)),
    "sw_session_decline_resource": Names(("Session.Files.decline",)),
    "sw_session_attach_file": Names(("Session.Files.attach",)),
    "sw_session_attach_bytes": Names(("Session.Files.attach",)),
    "sw_session_accept_streams": Names(("Session.Streams.incoming",)),
    "sw_stream_reset_code": Names(("SessionError.cause",), ("SharedWorldError",)),
    "sw_session_peers": Names(("Session.state",)),
    "sw_session_place_with": Names(("Session.place",), ("Session.place",)),
    "sw_anchor_list_content": Names(("Anchor.kind", "Anchor.payload"), ("Anchor.kind", "Anchor.payload")),
    "sw_map_create": Names(("WorldMap.cloud",), ("Map.from_points",)),
    "sw_map_load": Names(("WorldMap.init",)),
    "sw_map_save": Names(("WorldMap.write",)),
    "sw_map_provider": Names(("WorldMap.provider",)),
    "sw_map_mapping": Names(("WorldMap.mappingStatus", "WorldMap.buildingProgress")),
    "sw_map_copy_points": Names(("WorldMap.cloud",), ("Map.points", "Map.identifiers")),
    "sw_map_anchors": Names(("WorldMap.anchors",), ("Map.anchors", "Map.anchor_count")),
    "sw_map_hit_test": Names(("HitTest.results",)),
    "sw_session_share_map": Names(("Session.share",)),
    "sw_session_begin_undo_history": Names(("UndoHistory.record", "Session.World.perform")),
    **dict.fromkeys(
        ("sw_undo_history_place", "sw_undo_history_move", "sw_undo_history_remove", "sw_undo_history_record_move"),
        Names(("UndoHistory.record",))),
    "sw_session_map": Names(("Session.Maps.latest",)),
    "sw_session_decode_map": Names(("Session.Maps.latest",)),
    "sw_session_alignment": Names(("Session.Frames.alignment", "Session.Frames.alignmentOfShared")),
    "sw_session_align": Names(("Session.Frames.align", "Session.Frames.alignToShared")),
    "sw_session_snapshot": Names(("Session.snapshot", "Session.makeSnapshot")),
    "sw_session_await_event": Names(("Session.events",), ("Session.next_event", "Session.fileno")),
}

GAPS: dict[str, Gap] = {
    "Session.World.changes": Gap(("C", "Python"), "the events of anchors say the same."),
    "Session.World.restore": Gap(("C", "Python"), "a history brings anchors back."),
    "Session.World.drags": Gap(("C", "Python"), "a view has them."),
    "Session.Maps.capture": Gap(("C", "Python"), "a program that shares a capture keeps no map of its own."),
    **dict.fromkeys(
        ("event done", "event object", "event request", "event request_withdrawn", "event room", "event host_requested",
         "event ownership_requested", "event log", "event stream"),
        Gap(("Swift",), "a call that waits, a sequence or a handler says it.")),
    **dict.fromkeys(
        ("setting coder", "setting authenticator", "setting authenticator_timeout", "setting middleware", "setting transport"),
        Gap(("C", "Python"), "the session's thread would call back into the program.")),
}

#: Names without a row: constants, what the language asks for, parts of what a row has.
ELSEWHERE: set[str] = {
    "Drag.anchor", "PeerStream.limit", "PeerStream.makeAsyncIterator", "PeerStream.name", "PeerStream.nameLimit",
    "PeerStream.peer", "PeerStream.window", "Session.executor", "Session.localPeer",
    "Session.unownedExecutor", "Session.version", "Session.Frames.realignmentBound", "Session.Frames.touchPrefix",
    "UndoHistory.limit", "Session.handle", "Stream.close", "translation"}

#: The events of Swift that C calls otherwise.
EVENTS: dict[str, tuple[str, ...]] = {
    "code_shown": ("code",), "invitation_received": ("invitation",), "lock_changed": ("locked", "unlocked"),
    "unreliable_message": ("message",)}

#: The settings of Swift that C calls otherwise.
SETTINGS: dict[str, tuple[str, ...]] = {
    "storage.folder": ("storage",), "storage.grace_time": ("grace_time_s",),
    "storage.map_cache": ("map_cache", "map_cache_limit"),
    "discovery.mode": ("discovery",), "discovery.advertising": ("advertises_name", "info", "hides_device"),
    "discovery.announcements": ("announces", "announce_port", "probes"),
    "invitations.incoming": ("invitations",), "invitations.outgoing": ("invite_policy",),
    "invitations.places": ("place",), "invitations.timeout": ("invite_timeout_ms",),
    "authentication.code_handler": ("shows_codes",), "authentication.passcode": ("passcode", "passcode_file"),
    "authentication.trust": ("trust", "known_peers", "admitted"),
    "hosting.priority": ("host_priority",), "hosting.request_handler": ("asks_host",),
    "limits.members": ("member_limit",), "limits.map_memory": ("map_memory_limit",),
    "limits.attachments": ("attachment_count_limit",), "limits.attachment_bytes": ("attachment_size_limit",),
    "listen": ("listen_host", "listen_port"), "ownership_handler": ("asks_ownership",), "code": ("code", "room"),
    "realignment_interval": ("realign_interval_ms",)}
