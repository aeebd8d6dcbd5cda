// Try it: connect to topics as a client does, see the frames of both directions, publish, and take the code along.

import { html, useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { Badge, Empty, Refused, Table } from "../lib/parts.js";
import { useQuery } from "../lib/hooks.js";
import { bytes, clock } from "../lib/format.js";
import { hubURL } from "../lib/session.js";
import { follow } from "../lib/stream.js";
import { Chart, Legend, TimeAxis, scale } from "../lib/chart.js";
import { LANGUAGES, publishers, readers } from "../lib/samples.js";
import { claims, mayMakeTokens, signed } from "../lib/token.js";
import { Publish } from "./topics.js";

const FRAMES_MAX = 200;
const TEXT_MAX = 600;
const PROTOCOLS = [
  ["centrifuge", "Client protocol (Centrifuge JSON, WebSocket)"],
  ["events", "Event stream"],
  ["cloudevents", "CloudEvents (WebSocket)"],
];
const LIFETIMES = [[600, "10 minutes"], [3600, "1 hour"], [86_400, "1 day"]];

/** The topics of a list with commas or spaces, each once. */
export function topicsOf(text) {
  return [...new Set(text.split(/[\s,]+/).filter((topic) => topic !== ""))].slice(0, 100);
}

/** The first messages of a client of the client protocol. `tokens` are by topic; "" is the connection's. */
export function opening(topics, tokens) {
  const token = (name) => (tokens[name] ? { token: tokens[name] } : {});
  return [
    { id: 1, connect: { ...token(""), name: "console" } },
    ...topics.map((channel, index) => ({ id: index + 2, subscribe: { channel, ...token(channel) } })),
  ].map((command) => JSON.stringify(command));
}

/** Whether a message of the client protocol is a ping, which the client has to answer with the same. */
export const isPing = (text) => text.trim() === "{}";

/** A list of frames with one more in front, of a bounded length. */
export function withFrame(frames, direction, text, now) {
  const number = (frames[0]?.number ?? 0) + 1;
  const size = new TextEncoder().encode(text).length;
  const frame = { number, direction, text: text.slice(0, TEXT_MAX), isCut: text.length > TEXT_MAX, size, time: now };
  return [frame, ...frames].slice(0, FRAMES_MAX);
}

function openSocket(address, subprotocol, take, first) {
  const socket = subprotocol ? new WebSocket(address, subprotocol) : new WebSocket(address);
  const send = (text) => {
    socket.send(text);
    take.frame("sent", text);
  };
  socket.addEventListener("open", () => {
    take.state("open", "Connected.");
    first.forEach(send);
  });
  socket.addEventListener("message", ({ data }) => {
    const text = String(data);
    take.frame("received", text);
    if (!subprotocol && isPing(text)) send("{}");
  });
  socket.addEventListener("close", ({ code, reason }) => {
    const refused = code === 1006 && " The hub may have refused the handshake: the event stream has the reason.";
    take.state("closed", `Closed with ${code}${reason ? `: ${reason}` : ""}.${refused || ""}`);
  });
  return { send, close: () => socket.close(1000) };
}

/** Connects by a protocol. `take.frame(direction, text)` and `take.state(state, text)` are called meanwhile. */
function connect({ protocol, topics, as, tokens }, take) {
  const socketAddress = (path) => hubURL(path).replace(/^http/, "ws");
  if (protocol === "centrifuge") {
    return openSocket(socketAddress("/connection/websocket"), null, take, opening(topics, tokens));
  }
  const query = new URLSearchParams({ topics: topics.join(",") });
  if (protocol === "cloudevents") {
    if (tokens[""]) query.set("token", tokens[""]);
    return openSocket(socketAddress(`/events?${query}`), "cloudevents.json", take, []);
  }
  const abort = new AbortController();
  const headers = tokens[""] ? { Authorization: `Bearer ${tokens[""]}` } : {};
  const note = (type) => (data) => take.frame("received", `event: ${type}\ndata: ${JSON.stringify(data)}`);
  take.frame("sent", `GET /events?${query}`);
  follow(topics, {
    event: ({ topic, data, id }) => take.frame("received", `id: ${id}\nevent: ${topic}\ndata: ${JSON.stringify(data)}`),
    gap: note("gap"),
    unsubscribed: note("unsubscribed"),
    state: (state, problem) => {
      const isOver = state === "refused" || state === "ended";
      const text = { open: "Connected.", waiting: "Connecting again …", ended: "The stream ended." }[state];
      take.state(isOver ? "closed" : state, problem?.message ?? text ?? "Connecting …");
    },
  }, { headers, key: as === "key", signal: abort.signal });
  return {
    send: null,
    close: () => {
      abort.abort();
      take.state("closed", "Closed.");
    },
  };
}

function useConnection() {
  const [state, setState] = useState({ state: "closed", text: "", frames: [], send: null });
  const current = useRef(null);
  useEffect(() => () => current.current?.close(), []);
  const open = (options) => {
    current.current?.close();
    const mine = {};
    const change = (next) => current.current === mine && setState((before) => ({ ...before, ...next(before) }));
    current.current = mine;
    setState({ state: "connecting", text: "Connecting …", frames: [], send: null });
    const take = {
      frame: (direction, text) => change(({ frames }) => ({ frames: withFrame(frames, direction, text, Date.now()) })),
      state: (state, text) => change(() => ({ state, text })),
    };
    Object.assign(mine, connect(options, take));
    change(() => ({ send: mine.send }));
  };
  return { ...state, open, close: () => current.current?.close() };
}

const HEIGHT = 130;
const MIDDLE = 55;

/** The frames as bars: received above the line, sent below it; the height grows with the logarithm of the size. */
function Frames({ frames }) {
  const times = frames.map((frame) => frame.time);
  const span = [Math.min(...times), Math.max(...times)];
  if (span[1] - span[0] < 10_000) span[1] = span[0] + 10_000;
  const size = (frame) => Math.max(3, Math.min(45, Math.log2(frame.size + 1) * 3.4));
  const label = `${frames.length} frames by time: received ones above the line, sent ones below it`;
  return html`<${Chart} label=${label} height=${HEIGHT}>${(width) => {
    const x = scale(span, [12, width - 12]);
    return html`<${TimeAxis} span=${span} x=${x} top=${4} bottom=${HEIGHT - 22} width=${width} />
      <line class="rule" x1="0" x2=${width} y1=${MIDDLE} y2=${MIDDLE} />
      ${frames.map((frame) => html`<rect key=${frame.number} class=${frame.direction} x=${x(frame.time) - 2} width="4"
        y=${frame.direction === "received" ? MIDDLE - size(frame) - 1 : MIDDLE + 1} height=${size(frame)} rx="1">
        <title>${frame.direction}, ${bytes(frame.size)}</title></rect>`)}`;
  }}<//>
  <${Legend} items=${[["received", "received from the hub"], ["sent", "sent by this page"]]} />`;
}

function TokenMaker({ topics, take }) {
  const [state, setState] = useState({ secret: "", user: "42", seconds: 600, more: "", each: false, problem: null });
  const set = (name) => (event) => setState({ ...state, [name]: event.target.value });
  if (!mayMakeTokens(location, globalThis.crypto?.subtle)) {
    return html`<p class="hint">Make one with <code>varde token create</code>. This page makes tokens only for a hub on
      the same machine.</p>`;
  }
  const make = async (event) => {
    event.preventDefault();
    try {
      const more = state.more.trim() === "" ? {} : JSON.parse(state.more);
      const now = Math.floor(Date.now() / 1000);
      const seconds = Number(state.seconds);
      const one = (topic) => signed(claims({ ...state, topic, more, seconds }, now), state.secret);
      const tokens = { "": await one("") };
      if (state.each) for (const topic of topics) tokens[topic] = await one(topic);
      take(tokens);
      setState({ ...state, secret: "", problem: null });
    } catch (problem) {
      setState({ ...state, problem: { status: 400, message: `No token was made: ${problem.message}` } });
    }
  };
  return html`<form onSubmit=${make}><div class="row">
      <label>Secret of tokens.secrets<input type="password" required minlength="32" autocomplete="off"
        value=${state.secret}
        onInput=${set("secret")} /></label>
      <label>User<input value=${state.user} autocomplete="off" onInput=${set("user")} /></label>
      <label>Valid for<select value=${state.seconds} onChange=${set("seconds")}>
        ${LIFETIMES.map(([seconds, text]) => html`<option key=${seconds}
          value=${seconds}>${text}</option>`)}</select></label>
      <label class="grow">More claims (JSON)<input value=${state.more} placeholder='{"aud":"app"}' spellcheck="false"
        autocomplete="off" onInput=${set("more")} /></label>
      <button type="submit">Make a token</button></div>
    <label class="check"><input type="checkbox" checked=${state.each}
      onChange=${(event) => setState({ ...state, each: event.target.checked })} /> Also a subscription token for each
      topic</label>
    <p class="hint">The page signs with the secret and forgets it. Use the secret of a hub of development only.</p>
    ${state.problem && html`<${Refused} problem=${state.problem} />`}</form>`;
}

function Command({ send }) {
  const [text, setText] = useState('{"id":100,"rpc":{"method":"hub.topics","data":{}}}');
  const submit = (event) => {
    event.preventDefault();
    send(text);
  };
  return html`<form onSubmit=${submit}><label class="field" for="command">Command of the client protocol</label>
    <textarea id="command" spellcheck="false" value=${text}
      onInput=${(event) => setText(event.target.value)}></textarea>
    <div class="row"><button type="submit">Send</button></div></form>`;
}

function Copy({ text }) {
  const [outcome, setOutcome] = useState("");
  const copy = () => navigator.clipboard.writeText(text)
    .then(() => setOutcome("Copied."), () => setOutcome("The browser refuses it: select the text."));
  // A page without TLS has no clipboard.
  return navigator.clipboard && html`<span class="action"><button type="button" onClick=${copy}>Copy</button>
    <span role="status" class="outcome">${outcome}</span></span>`;
}

function Code({ protocol, topics, hasToken }) {
  const [language, setLanguage] = useQuery("code", "curl");
  const address = hubURL("/");
  const name = LANGUAGES.some(([known]) => known === language) ? language : "curl";
  const parts = [
    ["Read", readers(protocol, address, topics, hasToken)[name]],
    ["Publish from a back end", publishers(address, topics[0])[name]],
  ];
  return html`<h2>The same as code</h2>
    <div class="row" role="group" aria-label="Language">${LANGUAGES.map(([id, title]) => html`<button key=${id}
      type="button"
      aria-pressed=${id === name} onClick=${() => setLanguage(id)}>${title}</button>`)}</div>
    <div class="panes">${parts.map(([title, text]) => html`<div key=${title}>
      <div class="row"><h3>${title}</h3><${Copy} text=${text} /></div><pre tabindex="0">${text}</pre></div>`)}</div>`;
}

export default function TryIt() {
  const [protocol, setProtocol] = useQuery("protocol", "centrifuge");
  const [text, setText] = useQuery("topics", "chat:hello");
  const [as, setAs] = useQuery("as", "anonymous");
  const [tokens, setTokens] = useState({ "": "" });
  const connection = useConnection();
  const topics = topicsOf(text);
  const known = PROTOCOLS.some(([name]) => name === protocol) ? protocol : "centrifuge";
  const who = [["anonymous", "nobody"], ["token", "a token"]];
  if (known === "events") who.push(["key", "this page's key"]);
  const isOpen = connection.state !== "closed";
  const toggle = (event) => {
    event.preventDefault();
    if (isOpen) return connection.close();
    connection.open({ protocol: known, topics, as, tokens: as === "token" ? tokens : {} });
  };
  const options = (all) => all.map(([value, title]) => html`<option key=${value} value=${value}>${title}</option>`);
  const kind = { open: "good", closed: "" }[connection.state] ?? "warn";
  return html`<form class="row" onSubmit=${toggle}>
      <label>Protocol<select value=${known} disabled=${isOpen} onChange=${(event) => setProtocol(event.target.value)}>
        ${options(PROTOCOLS)}</select></label>
      <label class="grow">Topics<input value=${text} disabled=${isOpen} spellcheck="false" autocomplete="off"
        onInput=${(event) => setText(event.target.value)} /></label>
      <label>Connect as<select value=${as} disabled=${isOpen} onChange=${(event) => setAs(event.target.value)}>
        ${options(who)}</select></label>
      <button type="submit" class="primary"
        disabled=${topics.length === 0}>${isOpen ? "Disconnect" : "Connect"}</button>
    </form>
    ${as === "token" && html`<div class="pane"><label class="field">Connection token<input value=${tokens[""]}
        spellcheck="false" autocomplete="off"
          onInput=${(event) => setTokens({ "": event.target.value.trim() })} /></label>
      ${Object.keys(tokens).length > 1 && html`<p
        class="soft">With tokens for ${Object.keys(tokens).length - 1} topics.</p>`}
      <${TokenMaker} topics=${topics} take=${setTokens} /></div>`}
    <p role="status"><${Badge} state=${kind}>${connection.state}<//> ${connection.text}</p>
    ${connection.frames.length === 0
      ? html`<${Empty} title="No frames yet."><p>Connect, then publish something below or from another program.</p><//>`
      : html`<${Frames} frames=${connection.frames} />
        <${Table} caption="Frames, newest first" rows=${connection.frames} keyOf=${(row) => row.number} columns=${[
          { name: "Time", number: true, value: ({ time }) => `${clock(time)}.${String(time % 1000).padStart(3, "0")}` },
          { name: "Direction", value: (row) => row.direction },
          { name: "Size", number: true, value: (row) => bytes(row.size) },
          { name: "Text", value: (row) => html`<code class="lines">${row.text}${row.isCut ? " …" : ""}</code>` },
        ]} />`}
    ${topics.length > 0 && html`<div class="panes">
        <div><h2>Publish on <code>${topics[0]}</code></h2><${Publish} topic=${topics[0]} /></div>
        ${connection.state === "open" && connection.send && known === "centrifuge" && html`<div><h2>Send a command</h2>
          <${Command} send=${connection.send} /></div>`}</div>
      <${Code} protocol=${known} topics=${topics} hasToken=${as === "token"} />`}`;
}
