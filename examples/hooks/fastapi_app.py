"""Answers the hooks of a hub. ROOMS is in place of your sessions and your database."""

import json
import os

import uvicorn
from fastapi import FastAPI, Request, Response
from standardwebhooks import Webhook, WebhookVerificationError

ROOMS = {"alice": ["chat:board", "chat:team"], "bob": ["chat:team"], "carol": []}
WEBHOOK = Webhook(os.environ["HOOK_SECRET"])
app = FastAPI()


@app.post("/hooks/{event}")
async def hook(event: str, request: Request):
    try:
        question = WEBHOOK.verify(await request.body(), request.headers)
    except (WebhookVerificationError, ValueError):
        return Response(status_code=401)
    # JSON in ASCII: a client can send half of a surrogate pair, which UTF-8 cannot encode.
    body = json.dumps(answer(event, question, request.cookies.get("session")))
    return Response(body, media_type="application/json")


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


if __name__ == "__main__":
    uvicorn.run(app, port=int(os.environ.get("PORT", "3000")))
