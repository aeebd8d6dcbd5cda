// Node's `http` and `https` for web_servers.py: `node node_server.js ORDER`, a JSON object.
"use strict";

const fs = require("node:fs");
const http = require("node:http");
const https = require("node:https");
const path = require("node:path");

const order = JSON.parse(process.argv[2]);

function answer(request, response) {
  const url = new URL(request.url, "http://server.test");
  response.setHeader("Answer-To", url.searchParams.get("id"));
  response.setHeader("Content-Type", "text/plain");
  // Without a Content-Length, both kinds of answers are chunked.
  if (request.method === "POST") {
    request.pipe(response);
    return;
  }
  const file = path.join(order.directory, url.pathname);
  fs.createReadStream(file, { highWaterMark: 1000 + (file.length % 7) * 3001 }).pipe(response);
}

const options = { keepAliveTimeout: order.keepAliveMilliseconds };
if (order.certificate) {
  options.cert = fs.readFileSync(order.certificate);
  options.key = fs.readFileSync(order.key);
}
const server = (order.certificate ? https : http).createServer(options, answer);
server.maxRequestsPerSocket = order.requestsPerConnection;
server.listen(order.port, "127.0.0.1");
