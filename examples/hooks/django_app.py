"""Answers the hooks of a hub. ROOMS is in place of your sessions and your database."""

import os

from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from standardwebhooks import Webhook, WebhookVerificationError

ROOMS = {"alice": ["chat:board", "chat:team"], "bob": ["chat:team"], "carol": []}
WEBHOOK = Webhook(os.environ["HOOK_SECRET"])


@csrf_exempt  # The signature proves that the hub asks.
def hook(request, event):
    try:
        question = WEBHOOK.verify(request.body, request.headers)
    except (WebhookVerificationError, ValueError):
        return HttpResponse(status=401)
    return JsonResponse(answer(event, question, request.COOKIES.get("session")))


def answer(event, question, session):
    rooms = ROOMS.get(question.get("user"), [])
    match event, question:
        case "connect", _ if session in ROOMS:
            return {"result": {"user": session}}
        case "connect", _:
            return {"disconnect": {"code": 4501, "reason": "sign in first"}}
        case "subscribe" | "publish", {"channel": room} if room not in rooms:
            return {"error": {"code": 1001, "message": "members only"}}
        case "subscribe", _:
            return {"result": {}}
        case "publish", {"user": user, "data": {"text": str(text)} as data} if text.strip():
            return {"result": {"data": data | {"author": user}}}
        case "publish", _:
            return {"error": {"code": 1000, "message": "the text is empty"}}
        case "rpc", {"method": "chat.rooms"}:
            return {"result": {"data": {"rooms": rooms}}}
    return {"error": {"code": 1002, "message": "not available"}}


settings.configure(ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF=__name__)
urlpatterns = [path("hooks/<event>", hook)]
if __name__ == "__main__":
    execute_from_command_line(["", "runserver", "--noreload", os.environ.get("PORT", "3000")])
