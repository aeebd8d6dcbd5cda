// Activity: what users do as it reaches their friends, and the acts that still wait for their fan-out.

import { html, useEffect, useState } from "../vendor/preact-htm.js";
import { Empty, Figure, Loaded, Table } from "../lib/parts.js";
import { useLoaded, useMetrics, useQuery, useStream } from "../lib/hooks.js";
import { count, duration, moment } from "../lib/format.js";
import { call } from "../lib/session.js";
import { samples, total } from "../lib/metrics.js";
import { Axes, area, line, scale } from "../lib/chart.js";

const PREFIX = "hub_activity_";
const SECONDS = 2;
const RELOAD_SECONDS = 10;
const SAMPLES_MAX = 450;
const TOPICS_MAX = 50;
const HISTORY = 50;
const ENTRIES_MAX = 500;
const WIDTH = 900;
const BOX = { left: 50, right: WIDTH - 10, top: 10, bottom: 150 };
const ACTS = { rating: "rated", review: "reviewed", watched: "watched", started: "began to watch",
  watchlist: "wants to watch" };

/** The state of the fan-out in the metrics; null if the hub has none. */
export function fanOut(text, time) {
  const all = samples(text, PREFIX);
  const waiting = total(all, `${PREFIX}fanout_waiting`);
  if (waiting === null) return null;
  const acts = all.filter((each) => each.name === `${PREFIX}acts_total`)
    .map((each) => ({ kind: each.labels.kind, number: each.value })).sort((a, b) => b.number - a.number);
  return { time, waiting, oldest: total(all, `${PREFIX}fanout_oldest_seconds`) ?? 0, acts };
}

/** The acts of each second between two states; null at a restart, after which the counters begin at 0. */
export function rate(former, state) {
  const sum = (each) => each.acts.reduce((all, { number }) => all + number, 0);
  const seconds = (state.time - former.time) / 1000;
  const acts = sum(state) - sum(former);
  return seconds <= 0 || acts < 0 ? null : acts / seconds;
}

/**
 * The feed after an event of `activity:{user}`, the newest first. An activity goes to all friends: it is one entry
 * with the topics that have it.
 */
export function take(entries, topic, event) {
  const { type, data } = event;
  if (type === "activity.deleted") return entries.filter((each) => each.id !== data.activity_id);
  if (type !== "activity.created") return entries;
  const id = data.activity_id;
  const former = entries.find((each) => each.id === id);
  const entry = { id, data, topics: new Set([...(former?.topics ?? []), topic]) };
  return [entry, ...entries.filter((each) => each.id !== id)].sort((a, b) => b.id - a.id).slice(0, ENTRIES_MAX);
}

/** What an entry of the feed says of its act. */
export function act({ type, rating }) {
  return `${ACTS[type] ?? type}${rating ? ` ${"★".repeat(rating)}${"☆".repeat(Math.max(0, 5 - rating))}` : ""}`;
}

function Backlog({ states }) {
  const [from, to] = [Math.min(states[0].time, states.at(-1).time - 60_000), states.at(-1).time];
  const most = Math.max(4, ...states.map((each) => each.waiting));
  const x = scale([from, to], [BOX.left, BOX.right]);
  const y = scale([0, most], [BOX.bottom, BOX.top]);
  const points = states.map((each) => [x(each.time), y(each.waiting)]);
  const text = `Acts that wait for their fan-out: ${states.at(-1).waiting} now, at most `
    + `${Math.max(...states.map((each) => each.waiting))} since the page was opened`;
  return html`<svg class="chart wide" viewBox="0 0 ${WIDTH} 178" role="img" aria-label=${text}>
    <${Axes} box=${BOX} x=${x} y=${y} values=${[0, Math.round(most / 2), most]} from=${from} to=${to} text=${count} />
    <path d=${area(points, points.map(([at]) => [at, BOX.bottom]))} fill="var(--series-1)" opacity=".3" />
    <path d=${line(points)} fill="none" stroke="var(--series-1)" stroke-width="2" />
  </svg>`;
}

function FanOut() {
  const [states, setStates] = useState([]);
  const found = useMetrics(SECONDS);
  useEffect(() => {
    const state = found.value && fanOut(found.value, Date.now());
    if (state) setStates((former) => [...former, state].slice(-SAMPLES_MAX));
  }, [found.value]);
  if (states.length === 0) return null;
  const last = states.at(-1);
  const speed = states.length > 1 ? rate(states.at(-2), last) : null;
  return html`<h2>Fan-out to friends</h2>
    <dl class="figures">
      <${Figure} name="Waiting acts" value=${count(last.waiting)} state=${last.waiting > 0 ? "warn" : ""} />
      <${Figure} name="Age of the oldest" value=${last.waiting === 0 ? "–" : duration(last.oldest)} />
      <${Figure} name="Acts each second" value=${count(speed)} />
    </dl>
    <${Backlog} states=${states} />
    <${Table} caption="Acts since the start of the hub" rows=${last.acts} keyOf=${(row) => row.kind} columns=${[
      { name: "Act", value: (row) => row.kind },
      { name: "Number", number: true, value: (row) => count(row.number) },
    ]} />`;
}

async function read(topics, signal) {
  const pages = await Promise.all(topics.map((channel) => call("history", { channel, limit: HISTORY, reverse: true },
    { signal })));
  let entries = [];
  pages.forEach((page, index) => {
    for (const each of page.publications) entries = take(entries, topics[index], each.data);
  });
  return entries;
}

function Feed({ topics }) {
  const [live, setLive] = useState([]);
  const stream = useStream(topics, ({ topic, data }) => data?.type && setLive((former) =>
    [...former, { topic, data }].slice(-ENTRIES_MAX)));
  // Without a stream the histories are read again.
  const seconds = stream.state === "refused" ? RELOAD_SECONDS : 0;
  const found = useLoaded((signal) => read(topics, signal), [topics.join(",")], seconds);
  const text = stream.state === "refused" ? `Not live: ${stream.problem.message}`
    : stream.state === "open" ? `Live: ${live.length} events of ${topics.length} topics` : "Connecting";
  return html`<p class="soft" role="status">${text}</p>
    <${Loaded} from=${found}>${(former) => {
      let entries = former;
      for (const { topic, data } of live) entries = take(entries, topic, data);
      if (entries.length === 0) {
        return html`<${Empty} title="There is no activity in these topics."><p>Activities appear when a friend of the
          user rates or watches a film, or puts it on the watchlist.</p><//>`;
      }
      return html`<${Table} caption="Activities, the newest first" rows=${entries} keyOf=${(row) => row.id} columns=${[
        { name: "Time", value: (row) => moment(row.data.timestamp) },
        { name: "User", value: (row) => row.data.user_name },
        { name: "Act", value: (row) => act(row.data) },
        { name: "Film", value: (row) => row.data.movie_title },
        { name: "Comment", value: (row) => (row.data.comment ?? "").slice(0, 200) },
        { name: "Friends shown here", number: true, value: (row) => row.topics.size },
      ]} />`;
    }}<//>`;
}

async function followed(signal) {
  const { channels } = await call("channels", { pattern: "activity:*" }, { signal });
  return Object.keys(channels).sort().slice(0, TOPICS_MAX);
}

function Feeds() {
  const [user, choose] = useQuery("user");
  const [text, setText] = useState(user);
  const found = useLoaded(followed, [], 10);
  const submit = (event) => {
    event.preventDefault();
    choose(text.trim());
  };
  return html`<h2>Live feed</h2>
    <form class="row" onSubmit=${submit}><label class="grow">Id of a user, or nothing for all who are connected<input
      value=${text} inputmode="numeric" autocomplete="off" onInput=${(event) => setText(event.target.value)} /></label>
      <button type="submit">Show</button></form>
    ${user !== "" ? html`<${Feed} key=${user} topics=${[`activity:${user}`]} />`
      : html`<${Loaded} from=${found} empty=${(topics) => topics.length === 0
        && html`<${Empty} title="No user is connected."><p>Enter the id of a user, or connect one: the client subscribes
          to <code>activity:ID</code> with its token.</p><//>`}>
        ${(topics) => html`<${Feed} key=${topics.join(",")} topics=${topics} />`}<//>`}`;
}

export default function Activity() {
  const metrics = useMetrics(0);
  return html`<${Loaded} from=${metrics} empty=${(text) => fanOut(text, 0) === null
    && html`<${Empty} title="This hub does not serve the film app."><p>Add the section <code>activity</code> to its
      configuration: docs/ACTIVITY.md. The demo has one.</p><//>`}>
    ${() => html`<${FanOut} /><${Feeds} />`}
  <//>`;
}
