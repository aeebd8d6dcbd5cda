// Answers the hooks of a hub. ROOMS is in place of your sessions and your database.
const { createHmac, timingSafeEqual } = require("node:crypto");
const { createServer } = require("node:http");

const ROOMS = {
  __proto__: null, alice: ["chat:board", "chat:team"], bob: ["chat:team"], carol: [],
};
const KEY = Buffer.from((process.env.HOOK_SECRET ?? "").replace("whsec_", ""), "base64");
if (KEY.length < 24) throw new Error("HOOK_SECRET: expected whsec_ and base64");

function isGenuine(headers, body) {
  const [id, time] = [headers["webhook-id"], headers["webhook-timestamp"]];
  const mac = createHmac("sha256", KEY).update(`${id}.${time}.`).update(body).digest("base64");
  const expected = Buffer.from(`v1,${mac}`);
  const given = (headers["webhook-signature"] ?? "").split(" ").map((text) => Buffer.from(text));
  return Math.abs(Date.now() / 1000 - time) <= 300
    && given.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}

function answer(event, { user, channel, data, method }, session) {
  const rooms = ROOMS[user] ?? [];
  const error = (code, message) => ({ error: { code, message } });
  if (event === "connect" && session in ROOMS) return { result: { user: session } };
  if (event === "connect") return { disconnect: { code: 4501, reason: "sign in first" } };
  if (event === "rpc" && method === "chat.rooms") return { result: { data: { rooms } } };
  if (event !== "subscribe" && event !== "publish") return error(1002, "not available");
  if (!rooms.includes(channel)) return error(1001, "members only");
  if (event === "subscribe") return { result: {} };
  if (typeof data?.text !== "string" || !data.text.trim()) return error(1000, "the text is empty");
  return { result: { data: { ...data, author: user } } };
}

createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk)).on("end", () => {
    const body = Buffer.concat(chunks);
    if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
    const session = /(?:^|; )session=([^;]*)/.exec(request.headers.cookie)?.[1];
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(answer(request.url.split("/")[2], JSON.parse(body), session)));
  });
}).listen(process.env.PORT ?? 3000, "127.0.0.1");
