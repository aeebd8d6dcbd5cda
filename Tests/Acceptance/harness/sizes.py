"""How large an attack is: small in each run of the acceptance tests, full in `make abuse`."""

import os

IS_FULL = os.environ.get("ABUSE") == "full"


def size(name: str, *, small: int, full: int) -> int:
    """The size of an attack. The environment variable `name` sets another one."""
    return int(os.environ.get(name) or (full if IS_FULL else small))
