"""The parts of the C interface that the package does not use, each with the reason."""

#: Functions that the package does not call.
UNBOUND: dict[str, str] = {
    "sw_status_name": "`Code` has the names",
    "sw_session_start": "sw_session_start_async does it without a thread",
    **dict.fromkeys(("sw_host", "sw_join"), "the fields `room` and `code` of a configuration do the same without a thread"),
    "sw_session_await_event": "the iterator of events waits without a thread",
    "sw_session_wait": "SW_EVENT_DONE says the same without a thread",
    "sw_diagnose": "sw_diagnose_async does it without a thread",
}
