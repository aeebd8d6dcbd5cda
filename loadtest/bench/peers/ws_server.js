// node `ws` as its documentation broadcasts: a message from /publish goes to all others. With the word echo every
// message goes back to its sender.
const { WebSocketServer } = require("/usr/share/nodejs/ws");

const [port, mode] = process.argv.slice(2);
const server = new WebSocketServer({
  host: "127.0.0.1",
  port: Number(port),
  backlog: 4096,
  perMessageDeflate: false,
});
const subscribers = new Set();

server.on("connection", (socket, request) => {
  if (mode === "echo") {
    socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary }));
  } else if (request.url === "/publish") {
    socket.on("message", (data, isBinary) => {
      for (const subscriber of subscribers) subscriber.send(data, { binary: isBinary });
    });
  } else {
    subscribers.add(socket);
    socket.on("close", () => subscribers.delete(socket));
  }
});
