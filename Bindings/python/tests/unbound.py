"""The parts of the C interface that the package does not use, each with the reason."""

from sharedworld._abi_enums import EventType

#: Functions that the package does not call.
UNBOUND: dict[str, str] = {
    "sw_status_name": "`Code` has the names",
    "sw_session_start": "sw_session_start_async does it without a thread",
    **dict.fromkeys(("sw_host", "sw_join"), "the fields `room` and `code` of a configuration do the same without a thread"),
    "sw_session_await_event": "the iterator of events waits without a thread",
    "sw_session_wait": "SW_EVENT_DONE says the same without a thread",
    "sw_session_decode_map": "not bound yet; `Session.map` decodes the map where it is asked for",
    "sw_link_peer": "not bound yet; an invitation of a link goes to its key alone",
    **dict.fromkeys(
        ("sw_session_candidates", "sw_candidate_list_count", "sw_candidate_list_get", "sw_candidate_list_destroy"),
        "not bound yet; the events CandidateFound and CandidateLost name candidates"),
    **dict.fromkeys(
        ("sw_session_diagnose", "sw_diagnose", "sw_diagnose_async", "sw_diagnosing_fd", "sw_diagnosing_finish",
         "sw_diagnosing_cancel", "sw_diagnosis_can_find_peers", "sw_diagnosis_count", "sw_diagnosis_get",
         "sw_diagnosis_destroy"), "not bound yet; `worldpeer doctor` says the same"),
    **dict.fromkeys(
        ("sw_anchor_list_content", "sw_snapshot_anchor_content", "sw_session_place_with", "sw_session_set_kind"),
        "not bound yet; kinds of anchors have no class, and payloads come with events"),
    "sw_session_set_interest": "not bound yet; every live pose is told",
    "sw_map_hit_test": "not bound yet",
    **dict.fromkeys(
        ("sw_session_open_stream", "sw_session_accept_streams", "sw_event_take_stream", "sw_stream_fd",
         "sw_stream_read", "sw_stream_write", "sw_stream_finish", "sw_stream_reset", "sw_stream_reset_code",
         "sw_stream_destroy"), "streams are not bound yet"),
}

#: Events without a class: nothing that is bound makes them come.
UNBOUND_EVENTS: dict[int, str] = {EventType.STREAM: "streams are not bound yet"}
