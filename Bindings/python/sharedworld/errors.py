"""What can go wrong."""

from ._abi_enums import Code


class SharedWorldError(Exception):
    """A call failed; the text is a sentence for people that says what to do."""

    def __init__(self, code: Code, message: str, word: str | None = None) -> None:
        super().__init__(message or code.name.lower().replace("_", " "))
        self.code = code
        #: Of REQUEST_FAILED, the word for programs with which the other program has refused.
        self.word = word
