"""The film app as its document shows it: its own types decode every answer of a hub that is configured as the demo."""

import json
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from film_contract import Transcript  # noqa: E402

from harness.described import DescribedHub  # noqa: E402
from harness.film_app import DEVELOPMENT  # noqa: E402
from harness.processes import REPOSITORY  # noqa: E402
from harness.settings import ENVIRONMENT  # noqa: E402

# Films that a catalogue knows next to nothing of, and one that it knows everything of.
MORE_FILMS = [
    {"id": "bare", "title": "Bare"},
    {"id": "year", "title": "Only a Year", "year": 1924},
    {
        "id": "whole",
        "title": "Whole",
        "year": 1999,
        "genres": ["Drama"],
        "release_date": "1999-03-31",
        "runtime_minutes": 90,
        "overview": "Everything is known.",
        "poster_url": "https://images.example/w500/whole.jpg",
        "tmdb_id": 603,
    },
]


def demo_section() -> str:
    """The lines of `activity` of the demo's configuration, with the catalogue's place."""
    text = (REPOSITORY / "demo/varde.yaml").read_text()
    assert re.search(r"^development: true$", text, re.MULTILINE)
    section = re.search(r"^activity:\n(?:  .*\n)+", text, re.MULTILINE)
    assert section
    return section[0]


def film_hub(stage, catalogue: Path):
    section = demo_section().replace("demo/catalogue.json", str(catalogue))
    hub = stage.hub(environment=ENVIRONMENT)
    hub.configure(f"development: true\n{section}")
    hub.start()
    return hub


class App:
    """Requests as the document has them; every answer goes into the transcript."""

    def __init__(self, hub: DescribedHub, transcript: Transcript, name: str) -> None:
        self._hub = hub
        self._transcript = transcript
        login = {"provider": DEVELOPMENT, "token": name, "user_identifier": name}
        answer = transcript.add("login", hub.ask("POST", "/auth/login", login))
        self.id = answer["user"]["user_id"]
        self._headers = {"Authorization": f"Bearer {answer['access_token']}"}

    def ask(self, kinds, method, path, body=None, status=200):
        answer = self._hub.ask(method, path, body, status=status, headers=self._headers)
        for kind in kinds.split():
            self._transcript.add(kind, answer)
        return answer

    def look(self, films: list[int]) -> None:
        """Everything that the document has to be read."""
        for film in films:
            self.ask("movie", "GET", f"/movies/{film}")
            self.ask("explanation", "GET", f"/movies/{film}/explanation")
            self.ask("reviews page", "GET", f"/movies/{film}/reviews")
        self.ask("recommendations page", "GET", "/feed/recommendations?limit=100")
        self.ask("recommendations page", "GET", "/feed/recommendations?limit=20&offset=20")
        self.ask("activities page", "GET", "/feed/activities?limit=20&offset=0")
        self.ask("friends page", "GET", "/friends")
        self.ask("search page", "GET", "/movies/search?q=the&genres=Drama&limit=20&offset=0")
        self.ask("search page", "GET", "/movies/search?q=nothinglikethis")
        self.ask("search page", "GET", "/movies/search?q=bare")
        self.ask("profile", "GET", f"/users/{self.id}")
        self.ask("error", "GET", "/movies/999999", status=404)


@pytest.fixture
def hub(stage, tmp_path):
    catalogue = json.loads((REPOSITORY / "demo/catalogue.json").read_text())
    catalogue["films"] += MORE_FILMS
    file = tmp_path / "films.json"
    file.write_text(json.dumps(catalogue))
    return DescribedHub(film_hub(stage, file).port, "activity")


FILMS = [1, 101, 102, 103]


def test_unmodified_app_decodes_every_answer_for_a_new_user(hub):
    transcript = Transcript()
    kari = App(hub, transcript, "Kari")
    kari.look(FILMS)
    assert kari.ask("movie", "GET", "/movies/101")["release_date"] is None
    transcript.assert_app_decodes_everything()


def test_unmodified_app_decodes_every_answer_of_users_with_friends(hub):
    transcript = Transcript()
    people = [App(hub, transcript, name) for name in ("Kari", "Ola", "Siri", "Per")]
    kari, ola, siri, per = people
    for one, other in [(kari, ola), (ola, siri)]:
        request = one.ask("", "POST", "/friends/requests", {"user_id": other.id})
        other.ask("", "POST", f"/friends/requests/{request['request_id']}/accept")
    whole = {"rating": 5, "comment": "Amazing movie!", "is_review": True}
    ola.ask("rate", "POST", "/movies/103/rate", whole)
    ola.ask("rate", "POST", "/movies/1/rate", {"rating": 1})
    siri.ask("rate", "POST", "/movies/101/rate", {"rating": 4, "comment": None, "is_review": False})
    for person in people:
        person.ask("", "POST", "/movies/102/watchlist", {"action": "add"})
        started = {"event_type": "started", "progress_percent": 25}
        person.ask("", "POST", "/movies/103/watch", started)
    ola.ask("", "POST", "/movies/101/watch", {"event_type": "completed"})
    for person in people:
        person.look(FILMS)
        for other in people:
            person.ask("profile", "GET", f"/users/{other.id}")
    assert kari.ask("friends", "GET", "/friends")["suggestions"][0]["user_id"] == siri.id
    assert len(kari.ask("activities", "GET", "/feed/activities")["activities"]) == 5
    average = ola.ask("explanation", "GET", "/movies/101/explanation")["social_signals"]
    assert average["friend_ratings_avg"] == 4
    kari.ask("error", "POST", "/movies/1/rate", {"rating": 6}, status=400)
    kari.ask("error", "POST", "/friends/requests", {"user_id": ola.id}, status=409)
    transcript.assert_app_decodes_everything()
