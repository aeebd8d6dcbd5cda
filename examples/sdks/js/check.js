// Runs centrifuge-js against a hub: connect, subscribe, publish, recover after a restart.
//
//   node check.js SDK.cjs websocket|http_stream|sse HUB_URL CHANNEL
//
// It prints one line for each step. After "ready" it expects the hub to be killed, to start again
// and to publish {"n":3}; after that it ends with status 0.
"use strict";

const [sdk, transport, hub, channel] = process.argv.slice(2);
const { Centrifuge } = require(require("node:path").resolve(sdk));

const paths = { websocket: "websocket", http_stream: "http_stream", sse: "sse" };
const base = transport === "websocket" ? hub.replace(/^http/, "ws") : hub;
const options = {
  emulationEndpoint: `${hub}/emulation`,
  minReconnectDelay: 100,
  maxReconnectDelay: 500,
};
// Node.js has neither before version 22 and 25; Debian's packages node-ws and node-eventsource do.
if (typeof WebSocket === "undefined") options.websocket = require("ws");
if (typeof EventSource === "undefined") options.eventsource = require("eventsource");

// Node.js would end at a request that fails while the hub is away; a browser logs it.
process.on("unhandledRejection", (error) => console.log(`request failed: ${error?.message}`));

function fail(reason) {
  console.log(`failed: ${reason}`);
  process.exit(1);
}

const client = new Centrifuge(
  [{ transport, endpoint: `${base}/connection/${paths[transport]}` }],
  options,
);
const seen = [];
const subscription = client.newSubscription(channel, { recoverable: true });

subscription.on("subscribed", ({ wasRecovering, recovered }) => {
  console.log(wasRecovering ? `resubscribed, recovered ${recovered}` : "subscribed");
  if (wasRecovering && !recovered) fail("not recovered");
  if (!wasRecovering) publish().catch((error) => fail(error.message ?? JSON.stringify(error)));
});
subscription.on("publication", ({ data, offset }) => {
  if (seen.includes(data.n)) fail(`publication ${data.n} came twice`);
  seen.push(data.n);
  console.log(`publication ${data.n} at offset ${offset}`);
  if (seen.join() === "1,2,3") {
    client.disconnect();
    console.log("passed");
    process.exit(0);
  }
});
client.on("connected", ({ transport }) => console.log(`connected by ${transport}`));
client.on("error", ({ error }) => console.log(`error ${error.code}: ${error.message}`));
client.on("disconnected", ({ code, reason }) => {
  if (code !== 0) fail(`disconnected with ${code}: ${reason}`);
});

async function publish() {
  await subscription.publish({ n: 1 });
  await client.publish(channel, { n: 2 });
  const { publications } = await subscription.history({ limit: 10 });
  console.log(`history has ${publications.length}`);
  if (seen.join() !== "1,2") fail(`received ${seen.join()}`);
  console.log("ready");
}

subscription.subscribe();
client.connect();
setTimeout(() => fail("not done within 60 s"), 60_000);
