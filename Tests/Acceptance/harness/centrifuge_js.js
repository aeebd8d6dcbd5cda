// Reads a topic with centrifuge-js, and prints what its application is told, as one JSON text per line.
//
//   node centrifuge_js.js SDK.cjs websocket|http_stream|sse HUB_URL TOPIC OPTIONS
//
// OPTIONS is the JSON text of the subscription's options, with `token` for a connection token, which
// then has to subscribe to the topic. It ends with its standard input.
"use strict";

const [sdk, transport, hub, topic, text] = process.argv.slice(2);
const { Centrifuge } = require(require("node:path").resolve(sdk));
const { token, ...options } = JSON.parse(text);

const base = transport === "websocket" ? hub.replace(/^http/, "ws") : hub;
const settings = {
  emulationEndpoint: `${hub}/emulation`,
  minReconnectDelay: 10,
  maxReconnectDelay: 50,
};
if (token) settings.token = token;
// Node.js has neither before version 22 and 25; Debian's packages node-ws and node-eventsource do.
if (typeof WebSocket === "undefined") settings.websocket = webSocket(require("ws"));
if (typeof EventSource === "undefined") settings.eventsource = require("eventsource");

// Node.js would end at a request whose connection is cut; a browser logs it.
process.on("unhandledRejection", () => {});

// Browsers make each event of a WebSocket a task of its own. This one emits all that is in one piece of
// TCP at once, with the end behind it, before centrifuge-js has handled the first: it then drops the
// reply to a subscribe command, but takes the offsets of the publications behind it.
function webSocket(Base) {
  return class extends Base {
    emit(...event) {
      setImmediate(() => super.emit(...event));
      return true;
    }
  };
}

function print(what) {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}

function subscribed({ wasRecovering, recovered }) {
  print({ subscribed: { wasRecovering, recovered } });
}

const client = new Centrifuge(
  [{ transport, endpoint: `${base}/connection/${transport}` }],
  settings,
);
client.on("disconnected", ({ code, reason }) => print({ disconnected: { code, reason } }));
if (token) {
  client.on("subscribed", subscribed);
  client.on("publication", ({ offset }) => print({ offset }));
} else {
  const subscription = client.newSubscription(topic, options);
  subscription.on("subscribed", subscribed);
  subscription.on("publication", ({ offset }) => print({ offset }));
  subscription.on("unsubscribed", ({ code, reason }) => print({ unsubscribed: { code, reason } }));
  subscription.subscribe();
}
client.connect();

process.stdin.on("end", () => process.exit(0)).resume();
