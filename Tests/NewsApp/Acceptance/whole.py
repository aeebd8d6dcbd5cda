"""The news in a hub that has every domain."""

NAME = "news"
# Many tests share one user.
REQUESTS_PER_MINUTE = 100_000
# Of a query at least one of several parameters is needed, which a description cannot say.
BESIDE = {"listHeadlines": {"language": "en"}, "searchArticles": {"q": "rates"}}


def section(stage):
    return {"requests_per_minute": REQUESTS_PER_MINUTE, "interpretations_per_minute": REQUESTS_PER_MINUTE}


def caller(hub):
    """In development everyone is user 1 who says nothing else."""
    return {"X-User-ID": "kari"}, "1"
