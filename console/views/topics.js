// Topics: a map of all topics with subscribers, and one topic with its history, subscribers and a form to publish.

import { html, useRef, useState } from "../vendor/preact-htm.js";
import { Canvas, Empty, Loaded, Refused, Table, colour } from "../lib/parts.js";
import { useLoaded, useQuery, useStream } from "../lib/hooks.js";
import { count, json } from "../lib/format.js";
import { call, load } from "../lib/session.js";
import { squarify } from "../lib/treemap.js";

const HEIGHT = 320;
const HEAD = 20;
const CELLS_MAX = 400;
const HISTORY = 50;
const ROWS = 100;

/** Topics by namespace, the largest first: `[{name, weight, topics: [{topic, subscribers}]}]`. */
export function grouped(topics) {
  const groups = new Map();
  for (const each of topics) {
    const name = each.topic.split(":", 1)[0];
    const group = groups.get(name) ?? { name, weight: 0, topics: [] };
    group.topics.push(each);
    group.weight += Math.max(1, each.subscribers);
    groups.set(name, group);
  }
  for (const group of groups.values()) group.topics.sort((a, b) => b.subscribers - a.subscribers);
  return [...groups.values()].sort((a, b) => b.weight - a.weight);
}

/** The cells of the map: `[{topic, subscribers, x, y, width, height}]`, and the boxes of the namespaces. */
export function layout(topics, width, height) {
  const groups = grouped(topics);
  const boxes = squarify(groups.map((group) => group.weight), { x: 0, y: 0, width, height });
  const cells = groups.flatMap((group, index) => {
    const box = boxes[index];
    const head = box.height > 2 * HEAD ? HEAD : 0;
    const inner = { x: box.x + 1, y: box.y + head, width: box.width - 2, height: box.height - head - 1 };
    const places = squarify(group.topics.map((each) => Math.max(1, each.subscribers)), inner);
    return group.topics.map((each, number) => ({ ...each, ...places[number] }));
  });
  return { cells, groups: groups.map((group, index) => ({ name: group.name, ...boxes[index] })) };
}

function TopicMap({ topics, chosen, choose }) {
  const cells = useRef([]);
  const draw = (context, width, height) => {
    const found = layout(topics.slice(0, CELLS_MAX), width, height);
    cells.current = found.cells;
    const rateMax = Math.max(0, ...found.cells.map(({ rate }) => rate));
    context.font = "13px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (const group of found.groups) {
      context.fillStyle = colour("--soft");
      if (group.width > 40 && group.height > 2 * HEAD) {
        context.fillText(clipped(context, group.name, group.width - 10), group.x + 5, group.y + HEAD / 2 + 1);
      }
    }
    for (const cell of found.cells) {
      const isChosen = cell.topic === chosen;
      context.fillStyle = colour(isChosen ? "--accent" : "--raised");
      context.strokeStyle = colour("--line");
      const inner = [cell.x + 1, cell.y + 1, Math.max(0, cell.width - 2), Math.max(0, cell.height - 2)];
      context.fillRect(...inner);
      if (!isChosen && cell.rate > 0) {
        context.globalAlpha = 0.3 * (Math.log1p(cell.rate) / Math.log1p(rateMax));
        context.fillStyle = colour("--series-2");
        context.fillRect(...inner);
        context.globalAlpha = 1;
      }
      context.strokeRect(cell.x + 1.5, cell.y + 1.5, Math.max(0, cell.width - 3), Math.max(0, cell.height - 3));
      if (cell.width < 36 || cell.height < 22) continue;
      context.fillStyle = colour(isChosen ? "--accent-text" : "--text");
      const name = cell.topic.slice(cell.topic.indexOf(":") + 1);
      context.fillText(clipped(context, name, cell.width - 12), cell.x + 6, cell.y + 14);
      if (cell.height > 40) context.fillText(count(cell.subscribers), cell.x + 6, cell.y + 31);
    }
  };
  const pick = ([x, y]) => {
    const cell = cells.current.find((each) =>
      x >= each.x && x < each.x + each.width && y >= each.y && y < each.y + each.height);
    if (cell) choose(cell.topic);
  };
  return html`<${Canvas} label="Topics by namespace; the area of each is its number of subscribers, the colour its rate" height=${HEIGHT}
    draw=${draw} inputs=${[topics, chosen]} onPick=${pick} />`;
}

function clipped(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let end = text.length;
  while (end > 0 && context.measureText(`${text.slice(0, end)}…`).width > width) end -= 1;
  return end === 0 ? "" : `${text.slice(0, end)}…`;
}

/** Publications per second by topic, of the busiest topics; none where the key may not read them. */
async function rates(signal) {
  try {
    const { topics } = await load("/api/topics?limit=1000", { signal });
    return new Map(topics.map(({ topic, publications }) => [topic, publications]));
  } catch (problem) {
    if (problem.status === 403 || problem.status === 404) return new Map();
    throw problem;
  }
}

async function channels(signal) {
  const [{ channels }, busy] = await Promise.all([call("channels", {}, { signal }), rates(signal)]);
  return Object.entries(channels)
    .map(([topic, { num_clients: subscribers }]) => ({ topic, subscribers, rate: busy.get(topic) ?? 0 }))
    .sort((a, b) => b.subscribers - a.subscribers || (a.topic < b.topic ? -1 : 1));
}

function Live({ topic, onEvent }) {
  const stream = useStream([topic], onEvent);
  const { state, problem, account } = stream;
  if (state === "refused") return html`<p class="soft">Not live: ${problem.message}</p>`;
  const { events = 0, repeated = 0, gaps = 0, connections = 1 } = account ?? {};
  const resumed = Math.max(0, connections - 1);
  const text = `${state === "open" ? "Live" : "Connecting"}: ${count(events)} events, ${count(repeated)} twice, `
    + `${count(gaps)} gaps, resumed ${count(resumed)} times`;
  return html`<p class="soft" role="status">${text}</p>`;
}

export function Publish({ topic }) {
  const [state, setState] = useState({ text: '{"text":"hello"}', outcome: null, problem: null });
  const submit = async (event) => {
    event.preventDefault();
    try {
      const data = JSON.parse(state.text);
      const { offset, epoch } = await call("publish", { channel: topic, data });
      const outcome = epoch ? `Published with offset ${offset}.` : "Published; the topic keeps no history.";
      setState({ ...state, outcome, problem: null });
    } catch (problem) {
      const text = problem instanceof SyntaxError ? `This is not JSON: ${problem.message}` : problem.message;
      setState({ ...state, outcome: null, problem: { status: problem.status ?? 400, message: text } });
    }
  };
  return html`<form onSubmit=${submit}>
    <label class="field" for="payload">JSON to publish</label>
    <textarea id="payload" spellcheck="false" value=${state.text}
      onInput=${(event) => setState({ ...state, text: event.target.value })}></textarea>
    <div class="row"><button type="submit" class="primary">Publish</button>
      <span role="status" class="outcome">${state.outcome}</span></div>
    ${state.problem && html`<${Refused} problem=${state.problem} />`}
  </form>`;
}

function Topic({ topic, close }) {
  const history = useLoaded(
    (signal) => call("history", { channel: topic, limit: HISTORY, reverse: true }, { signal }), [topic],
  );
  const presence = useLoaded((signal) => call("presence", { channel: topic }, { signal }), [topic], 5);
  return html`<section class="pane" aria-label=${`Topic ${topic}`}>
    <h2><code>${topic}</code></h2>
    <div class="row"><${Live} topic=${topic} onEvent=${history.reload} />
      <button type="button" class="quiet" onClick=${close}>Close</button></div>
    <div class="panes">
      <div><h3>Newest publications</h3>
        <${Loaded} from=${history} empty=${(value) => value.publications.length === 0
          && html`<${Empty} title="Nothing is kept."><p>Publish something, or give the namespace a history.</p><//>`}>
          ${(value) => html`<p class="soft">Position ${value.offset}, epoch <code>${value.epoch}</code></p>
            <${Table} caption="Newest publications" rows=${value.publications} keyOf=${(row) => row.offset} columns=${[
              { name: "Offset", number: true, value: (row) => html`<a
                href=${`explain?${new URLSearchParams({ topic, offset: row.offset })}`}>${row.offset}</a>` },
              { name: "Data", value: (row) => html`<code>${json(row.data, 300)}</code>` },
              { name: "Tags", value: (row) => html`<code>${row.tags ? json(row.tags, 200) : ""}</code>` },
            ]} />`}
        <//></div>
      <div><h3>Publish</h3><${Publish} topic=${topic} />
        <h3>Subscribers</h3>
        <${Loaded} from=${presence} empty=${(value) => Object.keys(value.presence).length === 0
          && html`<${Empty} title="No client of the client protocol is subscribed." />`}>
          ${(value) => html`<${Table} caption="Clients of the client protocol"
          rows=${Object.values(value.presence)} keyOf=${(row) => row.client} columns=${[
            { name: "Client", value: (row) => html`<a href=${`explain?${new URLSearchParams({ topic, client: row.client })}`}>
              <code>${row.client}</code></a>` },
            { name: "User", value: (row) => row.user },
          ]} />`}<//></div>
    </div>
  </section>`;
}

export default function Topics() {
  const found = useLoaded(channels, [], 2);
  const [chosen, choose] = useQuery("topic");
  const [name, setName] = useState(chosen);
  const open = (event) => {
    event.preventDefault();
    if (name.trim() !== "") choose(name.trim());
  };
  return html`<form class="row" onSubmit=${open}>
      <label class="grow">Topic<input value=${name} placeholder="chat:hello" spellcheck="false" autocomplete="off"
        onInput=${(event) => setName(event.target.value)} /></label>
      <button type="submit">Show</button></form>
    ${chosen !== "" && html`<${Topic} key=${chosen} topic=${chosen} close=${() => choose("")} />`}
    <${Loaded} from=${found} empty=${(topics) => topics.length === 0
      && html`<${Empty} title="No topic has subscribers.">
        <p>Subscribe to one: <code>curl -N '${new URL("../events?topics=chat:hello", document.baseURI).href}'</code></p><//>`}>
      ${(topics) => html`<h2>${count(topics.length)} topics with subscribers</h2>
        <${TopicMap} topics=${topics} chosen=${chosen} choose=${choose} />
        <${Table} caption="Topics with subscribers" rows=${topics} keyOf=${(row) => row.topic} limit=${ROWS} columns=${[
          { name: "Topic", value: (row) => html`<a href=${`topics?${new URLSearchParams({ topic: row.topic })}`}>
            <code>${row.topic}</code></a>` },
          { name: "Subscribers", number: true, value: (row) => count(row.subscribers) },
          { name: "Publications per second", number: true, value: (row) => count(row.rate) },
        ]} />`}
    <//>`;
}
