"""What domains bring to the tests of a hub that has every domain, beside those in `harness/whole_hub.py`.

A file `Tests/XApp/Acceptance/whole.py` is found here. It has

    NAME                  the key of the section and the name of the description in protocol/openapi
    section(stage)        the section, as a value that is written as JSON
    caller(hub)           headers of a caller that may do everything, and an id of something that is the caller's
    BESIDE                by operation, what a query has to have besides the parameter that a test tries

Its tests are beside it, in files `test_*.py`.
"""

import functools
import importlib.util
from pathlib import Path
from types import ModuleType

TESTS = Path(__file__).parents[2]


@functools.cache
def domains() -> list[ModuleType]:
    return [_loaded(path) for path in sorted(TESTS.glob("*/Acceptance/whole.py"))]


def _loaded(path: Path) -> ModuleType:
    specification = importlib.util.spec_from_file_location(f"whole_{path.parts[-3]}", path)
    assert specification and specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module
