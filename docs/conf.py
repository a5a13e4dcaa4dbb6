"""How the documentation is built: `make docs`, without network, warnings counting as errors."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "src"))  # the package beside these pages, not another that is installed
os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:2])  # for the gallery's worker processes

from site_tools import docstrings, reference  # noqa: E402

import noisekernel as nk  # noqa: E402

project = "noisekernel"
author = "the authors of noisekernel"
version = release = nk.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "reference/rooms/*.inc"]
suppress_warnings = ["config.cache"]  # the gallery's order is a function, which cannot be pickled

# Pages in Markdown. Headings can be linked to; a link to a file of the repository becomes a download.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

# The reference. Docstrings write code in single backticks.
default_role = "literal"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
maximum_signature_line_length = 120
autosummary_generate = False  # the pages of the reference are written by site_tools/reference.py
napoleon_numpy_docstring = False
napoleon_use_rtype = False

# Examples run while the site is built; one that fails is an error.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "site_tools.gallery.order",
    "download_all_examples": False,
    "show_signature": False,
    "remove_config_comments": True,
    "parallel": True,
    "min_reported_time": 0,
    "image_srcset": ["2x"],
}

html_theme = "furo"
html_title = "noisekernel"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False

reference.write(HERE / "reference" / "rooms")


def setup(app):
    # Before napoleon (priority 500), which turns "Args:" into fields.
    app.connect("autodoc-process-docstring", docstrings.to_restructured_text, priority=400)
