"""How the points come to the page: small, once, with numbers, and no longer than a machine has time for."""

import unittest

from lab import WorldviewsTest, worldmap

#: Counts the bytes of the answers that a page reads, by path.
COUNT = """
    window.read = {};
    const ask = window.fetch;
    window.fetch = async (path, options) => {
      const answer = await ask(path, options);
      window.read[path] = (window.read[path] ?? 0) + Number(answer.headers.get("Content-Length") ?? 0);
      return answer;
    };
"""


class PointsTest(WorldviewsTest):
    """One worldview with maps of this package."""

    def counted(self, page):
        """Every page that is loaded from now on counts what it reads."""
        script = page.command("Page.addScriptToEvaluateOnNewDocument", source=COUNT)
        self.addCleanup(page.command, "Page.removeScriptToEvaluateOnNewDocument", identifier=script["identifier"])
        return lambda: page.script("return window.read['/points'] ?? 0")

    def test_a_million_points_are_less_than_three_and_a_half_megabytes_and_come_once(self):
        large = self.folder / "million.worldmap"
        worldmap("generate", "--points", "1000000", large)
        page = self.one
        read = self.counted(page)
        self.start(page, "anna", "--map", large)
        page.wait_for_map()
        count = page.view("view.count")
        self.assertGreater(count, 950_000)
        print(f"  {read():,} bytes for {count:,} points", flush=True)
        self.assertLess(read(), 3.4 * count)
        self.assertGreater(read(), count)
        # The browser keeps them by the map's id.
        page.driver.refresh()
        page.wait_for_map()
        self.assertEqual((page.view("view.count"), read()), (count, 0))
        large.unlink()

    def test_a_still_picture_is_refined_for_two_seconds_at_most_where_a_processor_draws(self):
        page = self.one
        self.start(page, "anna", "--map", self.room)
        page.wait_for_map()
        page.until(lambda: page.view("view.isComplete"), "all points are drawn")
        # As on a machine that draws a hundred points in a frame.
        took = page.driver.execute_async_script("""
            const done = arguments[0];
            import("/stage.js").then(({ view }) => {
              const draw = view.drawPoints;
              view.drawPoints = function (...all) { this.budget = 100; draw.apply(this, all); };
              const start = performance.now();
              view.redraw();
              const look = () => {
                if (view.isComplete || performance.now() - start > 20000) return done(performance.now() - start);
                requestAnimationFrame(look);
              };
              requestAnimationFrame(look);
            });""")
        self.assertLess(page.view("view.drawn"), 60_000)
        # It ends by itself, and not before the time; a busy machine comes back to it late.
        self.assertTrue(1900 < took < 20000, took)

    def test_progress_is_said_in_megabytes(self):
        large = self.folder / "progress.worldmap"
        worldmap("generate", "--points", "400000", large)
        page = self.one
        self.start(page, "anna")
        page.script("""
            window.said = new Set();
            new MutationObserver(() => window.said.add(document.querySelector("#loading-text").textContent))
              .observe(document.querySelector("#loading-text"), { childList: true, characterData: true, subtree: true });""")
        page.find("#file").send_keys(str(large))
        page.until(lambda: "400,000 points" in page.text("#map"), "the map is shown")
        said = page.script("return [...window.said]")
        sending = [text for text in said if text.startswith("sending progress.worldmap")]
        loading = [text for text in said if text.startswith("loading 400,000 points")]
        self.assertTrue(any(" of " in text and "MB" in text for text in sending), said)
        self.assertTrue(any(" of " in text and "MB" in text for text in loading), said)
        large.unlink()


if __name__ == "__main__":
    unittest.main()
