"""Makes Documentation/Pictures/windows.png, the picture of README.md: two worldviews of one session, side by side.

Run it by hand, with the Python that has Selenium: .build/browser-python/bin/python Tests/Browser/picture.py PICTURE.
"""

import base64
import pathlib
import sys
import tempfile

from lab import Page, Program, worldmap

SIZE = (1000, 700)
#: Places in the picture of the first page where anchors are set (CSS pixels).
TAPS = ((300, 400), (250, 500), (420, 470))


def pictures():
    """The pages of two members of a session, as PNG."""
    with tempfile.TemporaryDirectory() as folder:
        room = pathlib.Path(folder) / "room.worldmap"
        worldmap("generate", "--points", "60000", "--seed", "7", room)
        kitchen = Program("kitchen", "--map", room)
        porch = Program("porch", "--connect", f"127.0.0.1:{kitchen.port}")
        pages = Page(), Page()
        try:
            for page, program in zip(pages, (kitchen, porch)):
                page.size(*SIZE)
                page.open(program)
                page.until(lambda page=page: page.text("#peer-count") == "2", "both peers are there")
                page.wait_for_map()
            for x, y in TAPS:
                count = len(pages[0].anchors())
                pages[0].click(x, y)
                for page in pages:
                    page.until(lambda page=page, count=count: len(page.anchors()) > count, "the anchor is there")
            for page in pages:
                for name in page.anchors():
                    page.spot(name)
            return [page.driver.get_screenshot_as_png() for page in pages]
        finally:
            for page in pages:
                page.close()
            porch.stop()
            kitchen.stop()


def main():
    images = [base64.b64encode(picture).decode() for picture in pictures()]
    page = Page()
    try:
        page.size(2 * SIZE[0] + 12, SIZE[1])
        page.driver.get("about:blank")
        page.script("""
            document.body.style.cssText = "margin: 0; display: flex; gap: 12px; background: #fff";
            return Promise.all(arguments[0].map((image) => {
              const img = document.body.appendChild(new Image());
              img.src = "data:image/png;base64," + image;
              return img.decode();
            }));""", images)
        page.driver.save_screenshot(sys.argv[1])
    finally:
        page.close()


if __name__ == "__main__":
    main()
