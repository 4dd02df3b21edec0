"""The same display where no kernel is: an exported page is alive, an untrusted notebook shows the still picture."""

import nbformat
import pytest

from tests.browser.conftest import KERNEL, reader

pytestmark = pytest.mark.browser
SHOWN = "shown"


@pytest.fixture
def stored(shown, tmp_path):
    """A notebook as it is committed: with the output, without widget state."""
    bundle = shown._repr_mimebundle_()[0]
    output = nbformat.v4.new_output(
        "execute_result", {k: bundle[k] for k in ("text/html", "text/plain")}, execution_count=1
    )
    cell = nbformat.v4.new_code_cell("shown", outputs=[output], execution_count=1)
    path = tmp_path / "stored.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell], metadata=KERNEL), path)
    return path


def test_an_exported_page_is_alive_without_kernel_and_network(stored, shown, tmp_path, chromium):
    from nbconvert import HTMLExporter

    text, _ = HTMLExporter(mathjax_url="", require_js_url="").from_filename(str(stored))
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    with reader(chromium) as page:
        page.goto((tmp_path / "page.html").as_uri())
        frame = page.frame_locator("iframe")
        assert frame.locator(".say").inner_text() == shown.finding()
        frame.locator("input[type=range]").press("End")
        shown.window = 3
        assert frame.locator(".say").inner_text() == shown.finding()


def test_an_untrusted_notebook_shows_the_still_picture(lab, stored):
    page = lab.open(stored)
    picture = page.locator(".jp-OutputArea img")
    picture.wait_for()
    assert picture.evaluate("image => image.naturalWidth") == 760
    assert page.locator(".jp-OutputArea iframe").count() == 0
    page.close()
