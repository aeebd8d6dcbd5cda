// Connections: those of this node by age and queue, and one of them to look at or to end. A worker loads and draws
// them.

import { html, useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { Action, Badge, Empty, Loaded, Table, colour } from "../lib/parts.js";
import { useLoaded, useQuery } from "../lib/hooks.js";
import { bytes, count, duration } from "../lib/format.js";
import { call, session } from "../lib/session.js";
import { COUNT_MAX, kind } from "../lib/connections.js";
import { HEIGHT } from "../lib/swarm.js";
import { worker } from "../lib/worker.js";

const SECONDS = 2;
// A list of 10,000 takes the hub 60 ms.
const MANY = 2000;
const SECONDS_OF_MANY = 5;
const COLOURS = ["--line", "--soft", "--text", "--bad"];

function Chosen({ row, reload }) {
  const end = async () => {
    await call("disconnect", { user: row.user, client: row.id });
    reload();
    return "The connection was ended.";
  };
  return html`<section class="pane" aria-live="polite"><h2>${row.user === "" ? "Without a user" : row.user}</h2>
    <p><code>${row.id}</code> from <code>${row.address}</code> ${row.slow && html`<${Badge} state="bad">slow<//>`}</p>
    <p><a href=${`explain?${new URLSearchParams({ client: row.id })}`}>Why did it miss a message?</a>
      <${Action} label="Disconnect" kind="danger" act=${end}
        question="End this connection? The client may come back." /></p>
  </section>`;
}

/** The worker of the view, from its first rendering to its last. */
function useWorker() {
  const [own] = useState(() => worker("swarm-worker.js"));
  useEffect(() => own.close, [own]);
  return own;
}

/** The picture, which the worker draws after each answer. */
function Swarm({ thread, value, chosen, choose }) {
  const element = useRef(null);
  const sent = useRef(false);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(element.current.parentElement);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (width === 0) return;
    const canvas = sent.current ? undefined : element.current.transferControlToOffscreen();
    sent.current = true;
    const colours = Object.fromEntries(
      [...COLOURS, ...value.kinds.map((each) => each.colour)].map((name) => [name, colour(name)]),
    );
    const picture = { canvas, width, height: HEIGHT, ratio: devicePixelRatio || 1, colours, chosen };
    thread.ask("draw", picture, canvas ? [canvas] : []);
  }, [width, value, chosen]);
  const pick = async (event) => {
    const box = element.current.getBoundingClientRect();
    const id = await thread.ask("pick", [event.clientX - box.left, event.clientY - box.top]);
    if (id !== null) choose(id);
  };
  return html`<div class="canvas"><canvas ref=${element} role="img" onClick=${pick}
    aria-label=${`${value.count} of ${value.total} connections by age and queued bytes. The table has the first.`}
    style=${{ width: "100%", height: `${HEIGHT}px` }}></canvas></div>`;
}

function List({ thread, found, value, chosen, choose }) {
  const row = [...value.rows, value.row].find((each) => each?.id === chosen);
  return html`<${Swarm} thread=${thread} value=${value} chosen=${chosen} choose=${choose} />
    <ul class="legend">${value.kinds.map((each) => html`<li key=${each.name}>
      <i style=${{ background: `var(${each.colour})` }}></i>${each.name}: ${each.count}</li>`)}
      <li>red ring: slow</li></ul>
    ${row && html`<${Chosen} row=${row} reload=${found.reload} />`}
    <${Table} caption=${`${value.rows.length} of ${value.total} connections, the fullest queues first`} rows=${value.rows}
      keyOf=${({ id }) => id} columns=${[
        { name: "Client", value: (each) => html`<button type="button" aria-pressed=${String(each.id === chosen)}
          onClick=${() => choose(each.id)}>${each.id}</button>` },
        { name: "User", value: (each) => each.user },
        { name: "Address", value: (each) => each.address },
        { name: "Protocol", value: kind },
        { name: "Age", number: true, value: (each) => duration(Math.round(each.age)) },
        { name: "Topics", number: true, value: (each) => count(each.channels) },
        { name: "Queue", number: true, value: (each) => bytes(each.queued) },
        { name: "Sent", number: true, value: (each) => bytes(each.sent) },
        { name: "Round trip", number: true, value: (each) => duration(each.round_trip) },
        { name: "Dropped", number: true, value: (each) => count(each.dropped) },
      ]} />`;
}

export default function Connections() {
  const [user, setUser] = useQuery("user");
  const [topic, setTopic] = useQuery("topic");
  const [chosen, choose] = useQuery("client");
  const parameters = { limit: COUNT_MAX, ...(user !== "" && { user }), ...(topic !== "" && { channel: topic }) };
  const thread = useWorker();
  const [seconds, setSeconds] = useState(SECONDS);
  const get = async () => {
    const value = await thread.ask("load", { session: session(), parameters, chosen });
    setSeconds(value.count > MANY ? SECONDS_OF_MANY : SECONDS);
    return value;
  };
  const found = useLoaded(get, [user, topic, chosen], seconds);
  const none = ({ total }) => total === 0 && html`<${Empty} title="No connection of this node matches.">
    <p><a href="try">Try it</a> opens one.</p><//>`;
  const field = (label, id, value, set) => html`<label class="grow" for=${id}>${label}<input id=${id} value=${value}
    spellcheck="false" autocomplete="off" onChange=${(event) => set(event.target.value.trim())} /></label>`;
  return html`<div class="row">${field("User", "user", user, setUser)}${field("Topic", "topic", topic, setTopic)}</div>
    <${Loaded} from=${found} empty=${none}>
      ${(value) => html`<${List} thread=${thread} found=${found} value=${value} chosen=${chosen} choose=${choose} />`}<//>`;
}
