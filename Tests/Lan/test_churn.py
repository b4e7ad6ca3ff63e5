"""Twelve processes under churn agree in the end."""

import os
import random
import time
import unittest

import figures
from churn import Churn
from lan_test import LanTest

#: How long things change (seconds).
SECONDS = float(os.environ.get("CHURN_SECONDS") or 300)
#: What happens; the same number, the same actions.
SEED = int(os.environ.get("CHURN_SEED") or random.randrange(1_000_000))
SEATS = 12


class ChurnTest(LanTest):
    def test_twelve_processes_agree_after_churn(self):
        print(f"\n  {SECONDS:g} s of churn; to do the same again: CHURN_SEED={SEED}", flush=True)
        churn = Churn(self, SEED, SEATS)
        churn.run(SECONDS)
        status = self.agree_after(churn)
        churn.check_anchors({anchor["id"] for anchor in churn.peers[0].ask("anchors")["anchors"]})
        counts = ", ".join(f"{action} {count}" for action, count in churn.counts.items())
        print(f"  {counts}; {len(churn.peers)} peers and {status['anchors']} anchors are left", flush=True)

    def agree_after(self, churn):
        """Mends everything, waits until those that live agree, and notes how long that took; gives their status."""
        mended = time.monotonic()
        churn.settle()
        status = self.agree(churn.peers)
        figures.note(f"churn of {SECONDS:g} s ends → all agree (seed {SEED})", time.monotonic() - mended, "s")
        return status


if __name__ == "__main__":
    unittest.main()
