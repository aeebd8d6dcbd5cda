// A back end for Varde that publishes messages and issues connection tokens.
//
// It needs Node.js 18 or later and no packages. It also serves the pages of ../browser-chat.
"use strict";

const crypto = require("node:crypto");
const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");

const HUB = process.env.VARDE_URL ?? "http://127.0.0.1:8000";
const API_KEY = required("VARDE_API_KEY");
const TOKEN_SECRET = required("VARDE_TOKEN_SECRET");
const PORT = Number(process.env.PORT ?? 3000);

const PAGES = path.join(__dirname, "..", "browser-chat");
const CENTRIFUGE_JS = "https://unpkg.com/centrifuge@5/dist/centrifuge.js";
const TOKEN_SECONDS = 600;
const BODY_BYTES_MAX = 16 * 1024;
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript" };

function required(name) {
  const value = process.env[name];
  if (!value) {
    console.error(`set ${name}`);
    process.exit(2);
  }
  return value;
}

// Publishes JSON in a topic, and returns its position.
async function publish(channel, data) {
  const response = await fetch(`${HUB}/api/publish`, {
    method: "POST",
    headers: { "X-API-Key": API_KEY, "Content-Type": "application/json" },
    body: JSON.stringify({ channel, data }),
    signal: AbortSignal.timeout(5000),
  });
  if (!response.ok) throw new Error(`publish: status ${response.status}`);
  // A request that the hub understood has status 200, even if the hub refused it.
  const { result, error } = await response.json();
  if (error) throw new Error(`publish: ${error.code} ${error.message}`);
  return result;
}

// A JSON Web Token (HS256), with which a client connects as this user.
function connectionToken(user) {
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { sub: user, exp: Math.floor(Date.now() / 1000) + TOKEN_SECONDS };
  const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  const signature = crypto.createHmac("sha256", TOKEN_SECRET).update(signed).digest("base64url");
  return `${signed}.${signature}`;
}

async function readBody(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) throw new Error("the body is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function answer(response, status, type, body, headers = {}) {
  response.writeHead(status, { "Content-Type": type, ...headers });
  response.end(body);
}

function answerJSON(response, value, status = 200) {
  answer(response, status, "application/json", JSON.stringify(value));
}

async function postMessage(request, response) {
  let message;
  try {
    message = JSON.parse(await readBody(request));
  } catch {
    return answerJSON(response, { error: "expected JSON of at most 16 KiB" }, 400);
  }
  const { room, user, text } = message ?? {};
  const isValid =
    /^[a-z0-9-]{1,32}$/.test(room) && typeof user === "string" &&
    typeof text === "string" && text.trim();
  if (!isValid) {
    return answerJSON(response, { error: "expected a room of a-z 0-9 -, a user and a text" }, 400);
  }
  try {
    answerJSON(response, await publish(`chat:${room}`, { user, text }));
  } catch (error) {
    console.error(error);
    answerJSON(response, { error: "the message was not published" }, 502);
  }
}

function getFile(name, response) {
  const file = path.join(PAGES, name === "/" ? "index.html" : path.basename(name));
  const type = TYPES[path.extname(file)];
  if (!type || !fs.existsSync(file)) return answerJSON(response, { error: "not found" }, 404);
  answer(response, 200, type, fs.readFileSync(file));
}

const server = http.createServer(async (request, response) => {
  const url = new URL(request.url, "http://localhost");
  const route = `${request.method} ${url.pathname}`;
  if (route === "POST /messages") {
    await postMessage(request, response);
  } else if (route === "GET /config") {
    answerJSON(response, { hub: HUB });
  } else if (route === "GET /token") {
    // A real back end takes the user from its session, never from the request.
    answer(response, 200, "text/plain", connectionToken(url.searchParams.get("user") ?? ""));
  } else if (route === "GET /centrifuge.js" && !fs.existsSync(path.join(PAGES, "centrifuge.js"))) {
    answer(response, 302, "text/plain", "", { Location: CENTRIFUGE_JS });
  } else if (request.method === "GET") {
    getFile(url.pathname, response);
  } else {
    answerJSON(response, { error: "not found" }, 404);
  }
});

server.listen(PORT, "127.0.0.1", () => console.log(`http://localhost:${PORT}/`));
