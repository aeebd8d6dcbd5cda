// Programs that do what the view Try it does, as text. They have placeholders, TOKEN and KEY, and never a credential.

export const LANGUAGES = [["curl", "curl"], ["javascript", "JavaScript"], ["python", "Python"], ["swift", "Swift"]];

/** A text as an argument of a POSIX shell. */
export function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A text as a literal of JavaScript, Python and Swift. */
const literal = (text) => JSON.stringify(text);

/** The addresses of a hub: `address` ends with a slash. */
function addresses(address, topics) {
  const query = `topics=${topics.map(encodeURIComponent).join(",")}`;
  const socket = address.replace(/^http/, "ws");
  return {
    events: `${address}events?${query}`,
    cloudEvents: `${socket}events?${query}`,
    socket: `${socket}connection/websocket`,
    stream: `${address}connection/http_stream`,
    publish: `${address}api/publish`,
  };
}

const READERS = {
  centrifuge: (to, topics, hasToken) => {
    const token = hasToken ? { token: "TOKEN" } : {};
    const lines = [
      { id: 1, connect: token },
      ...topics.map((channel, index) => ({ id: index + 2, subscribe: { channel } })),
    ].map((command) => JSON.stringify(command));
    const names = topics.map(literal).join(", ");
    return {
      curl: `# The same protocol over HTTP; it ends when a ping is not answered.
curl -N ${quoted(to.stream)} \\
  --data-binary ${quoted(lines.join("\n"))}`,
      javascript: `import { Centrifuge } from "centrifuge";

const client = new Centrifuge(${literal(to.socket)}${hasToken ? ', { token: "TOKEN" }' : ""});
for (const topic of [${names}]) {
  const subscription = client.newSubscription(topic);
  subscription.on("publication", ({ data, offset }) => console.log(topic, offset, data));
  subscription.subscribe();
}
client.connect();`,
      python: `import asyncio
from centrifuge import Client, SubscriptionEventHandler  # pip install centrifuge-python

class Events(SubscriptionEventHandler):
    async def on_publication(self, event):
        print(event.pub.offset, event.pub.data)

async def main():
    client = Client(${literal(to.socket)}${hasToken ? ', token="TOKEN"' : ""})
    await client.connect()
    for topic in [${names}]:
        await client.new_subscription(topic, events=Events()).subscribe()
    await asyncio.Future()

asyncio.run(main())`,
      swift: `import SwiftCentrifuge  // github.com/centrifugal/centrifuge-swift

final class Events: CentrifugeClientDelegate, CentrifugeSubscriptionDelegate {
    func onPublication(_ subscription: CentrifugeSubscription, _ event: CentrifugePublicationEvent) {
        print(event.offset, String(decoding: event.data, as: UTF8.self))
    }
}

let events = Events()
let client = CentrifugeClient(
    endpoint: ${literal(to.socket)},
    config: CentrifugeClientConfig(${hasToken ? 'token: "TOKEN"' : ""}), delegate: events)
for topic in [${names}] {
    try client.newSubscription(channel: topic, delegate: events).subscribe()
}
client.connect()`,
    };
  },
  events: (to, topics, hasToken) => ({
    curl: `curl -N ${hasToken ? "-H 'Authorization: Bearer TOKEN' " : ""}${quoted(to.events)}`,
    javascript: `const stream = new EventSource(${literal(to.events + (hasToken ? "&token=TOKEN" : ""))});
for (const topic of [${topics.map(literal).join(", ")}]) {
  stream.addEventListener(topic, ({ data, lastEventId }) => console.log(topic, lastEventId, JSON.parse(data)));
}
stream.addEventListener("gap", ({ data }) => console.warn("some are missing", data));`,
    python: `import httpx  # pip install httpx

url = ${literal(to.events)}
headers = {${hasToken ? '"Authorization": "Bearer TOKEN"' : ""}}
with httpx.stream("GET", url, headers=headers, timeout=60) as response:
    response.raise_for_status()
    for line in response.iter_lines():
        if line.startswith("data: "):
            print(line.removeprefix("data: "))`,
    swift: `import Foundation

var request = URLRequest(url: URL(string: ${literal(to.events)})!)
${hasToken ? 'request.setValue("Bearer TOKEN", forHTTPHeaderField: "Authorization")\n' : ""}request.timeoutInterval = 60
let (bytes, _) = try await URLSession.shared.bytes(for: request)
for try await line in bytes.lines where line.hasPrefix("data: ") {
    print(line.dropFirst(6))
}`,
  }),
  cloudevents: (to, topics, hasToken) => {
    const address = to.cloudEvents + (hasToken ? "&token=TOKEN" : "");
    return {
      curl: `# curl opens no WebSocket in Debian 12; websocat does.
websocat --protocol cloudevents.json ${quoted(address)}`,
      javascript: `const socket = new WebSocket(${literal(address)}, "cloudevents.json");
socket.addEventListener("message", ({ data }) => {
  const event = JSON.parse(data);
  console.log(event.hubtopic, event.hubcursor, event.type, event.data);
});`,
      python: `import json
from websockets.sync.client import connect  # pip install websockets

with connect(${literal(address)}, subprotocols=["cloudevents.json"]) as socket:
    for message in socket:
        event = json.loads(message)
        print(event.get("hubtopic"), event["type"], event["data"])`,
      swift: `import Foundation

let url = URL(string: ${literal(address)})!
let socket = URLSession.shared.webSocketTask(with: url, protocols: ["cloudevents.json"])
socket.resume()
while case .string(let text) = try await socket.receive() {
    print(text)
}`,
    };
  },
};

/**
 * Programs that read topics: `{curl, javascript, python, swift}`.
 *
 * @param protocol `centrifuge`, `events` or `cloudevents`.
 */
export function readers(protocol, address, topics, hasToken) {
  return READERS[protocol](addresses(address, topics), topics, hasToken);
}

/** Programs that publish a greeting on a topic by the server API. */
export function publishers(address, topic) {
  const to = addresses(address, [topic]).publish;
  const body = JSON.stringify({ channel: topic, data: { text: "hello" } });
  const fields = `{"channel": ${literal(topic)}, "data": {"text": "hello"}}`;
  return {
    curl: `curl ${quoted(to)} -H 'X-API-Key: KEY' \\\n  -d ${quoted(body)}`,
    javascript: `const response = await fetch(${literal(to)}, {
  method: "POST",
  headers: { "X-API-Key": "KEY" },
  body: JSON.stringify(${fields}),
});
console.log(await response.json());`,
    python: `import httpx  # pip install httpx

response = httpx.post(
    ${literal(to)},
    headers={"X-API-Key": "KEY"},
    json=${fields},
)
print(response.json())`,
    swift: `import Foundation

var request = URLRequest(url: URL(string: ${literal(to)})!)
request.httpMethod = "POST"
request.setValue("KEY", forHTTPHeaderField: "X-API-Key")
request.httpBody = Data(#"${body}"#.utf8)
let (answer, _) = try await URLSession.shared.data(for: request)
print(String(decoding: answer, as: UTF8.self))`,
  };
}
