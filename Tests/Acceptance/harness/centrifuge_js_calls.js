// Carries out calls with centrifuge-js, and prints what its application is told, as one JSON text per line.
//
//   node centrifuge_js_calls.js SDK.cjs websocket|http_stream|sse HUB_URL DATA
//
// DATA is the JSON text of the connect command's data. A line of the standard input is a call: ["subscribe", topic],
// ["publish", topic, data] or ["rpc", method, data]. It ends with its standard input.
"use strict";

const [sdk, transport, hub, data] = process.argv.slice(2);
const { Centrifuge } = require(require("node:path").resolve(sdk));

const settings = { data: JSON.parse(data), emulationEndpoint: `${hub}/emulation`, minReconnectDelay: 50 };
// Node.js has neither before version 22 and 25; Debian's packages node-ws and node-eventsource do.
if (typeof WebSocket === "undefined") settings.websocket = require("ws");
if (typeof EventSource === "undefined") settings.eventsource = require("eventsource");

function print(what) {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}

function failed(call) {
  return ({ code, message, temporary }) => print({ [call]: { code, message, temporary } });
}

const base = transport === "websocket" ? hub.replace(/^http/, "ws") : hub;
const client = new Centrifuge([{ transport, endpoint: `${base}/connection/${transport}` }], settings);
client.on("connected", ({ data }) => print({ connected: data ?? null }));
client.on("disconnected", ({ code, reason }) => print({ disconnected: { code, reason } }));
client.on("subscribed", ({ channel }) => print({ subscribedByHub: channel }));

const calls = {
  subscribe(topic) {
    const subscription = client.newSubscription(topic);
    subscription.on("subscribed", ({ data }) => print({ subscribed: data ?? null }));
    subscription.on("unsubscribed", ({ code, reason }) => print({ unsubscribed: { code, reason } }));
    subscription.on("publication", ({ data, tags, info }) =>
      print({ publication: { data, tags, user: info?.user, info: info?.connInfo, topicInfo: info?.chanInfo } }),
    );
    subscription.subscribe();
  },
  publish(topic, data) {
    client.publish(topic, data).then(() => print({ published: true }), failed("published"));
  },
  rpc(method, data) {
    client.rpc(method, data).then(({ data }) => print({ answered: data }), failed("answered"));
  },
};

const input = require("node:readline").createInterface({ input: process.stdin });
input.on("line", (line) => {
  const [call, ...rest] = JSON.parse(line);
  calls[call](...rest);
});
input.on("close", () => process.exit(0));
client.connect();
