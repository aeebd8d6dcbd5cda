"""The news in a hub that has every domain."""

NAME = "news"
# Many tests share one user.
REQUESTS_PER_MINUTE = 100_000
# These queries need at least one of several parameters, which OpenAPI cannot express.
BESIDE = {"listHeadlines": {"language": "en"}, "searchArticles": {"q": "rates"}}


def section(stage):
    return {"requests_per_minute": REQUESTS_PER_MINUTE, "interpretations_per_minute": REQUESTS_PER_MINUTE}


def caller(hub):
    """In development, a request without a user is user 1's."""
    return {"X-User-ID": "kari"}, "1"
