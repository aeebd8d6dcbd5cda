// Replay: walk through the history of a topic by its own clock, with the numbers in its messages as curves; or control
// the clock of a hub that plays a recording.

import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact-htm.js";
import { Empty, Loaded, Table } from "../lib/parts.js";
import { useLoaded, useQuery } from "../lib/hooks.js";
import { count, json, moment } from "../lib/format.js";
import { call } from "../lib/session.js";
import { Chart, TimeAxis, extent, scale, steps } from "../lib/chart.js";
import { alertsFrom, body, timeOf } from "../lib/alerts.js";
import { ClockPanel, useClock } from "../lib/clock.js";

const MESSAGES = 1000;
const CURVES = 6;
const PATHS_MAX = 40;
const DEPTH_MAX = 4;
const SPEEDS = [1, 10, 60, 360];
// The picture moves at most so often while it plays.
const TURN_MILLISECONDS = 60;

/**
 * A time for each message, never falling. Messages without times of their own are a second apart.
 *
 * @returns `{times, areReal}`
 */
export function timesOf(publications) {
  const own = publications.map(({ data }) => timeOf(data));
  if (own.length === 0 || own.includes(null)) return { times: own.map((_, index) => index * 1000), areReal: false };
  let last = -Infinity;
  return { times: own.map((time) => (last = Math.max(last, time))), areReal: true };
}

/** The index of the last time that is not after `time`; 0 if all are after it. */
export function indexAt(times, time) {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/** The numbers in messages by their paths, those that change first: `[{path, points: [[time, value]]}]`. */
export function numbersIn(publications, times) {
  const found = new Map();
  const look = (value, path, depth, time) => {
    if (typeof value === "number" && path !== "") {
      if (!found.has(path) && found.size < PATHS_MAX) found.set(path, []);
      found.get(path)?.push([time, value]);
    } else if (value !== null && typeof value === "object" && !Array.isArray(value) && depth < DEPTH_MAX) {
      for (const [name, inner] of Object.entries(value)) {
        look(inner, path === "" ? name : `${path}.${name}`, depth + 1, time);
      }
    }
  };
  publications.forEach(({ data }, index) => look(body(data), "", 0, times[index]));
  const changes = (points) => points.some(([, value]) => value !== points[0][1]);
  const all = [...found].map(([path, points]) => ({ path, points, changes: changes(points) }));
  return [...all.filter(({ changes }) => changes), ...all.filter(({ changes }) => !changes)]
    .map(({ path, points }) => ({ path, points }));
}

/** The time of the next alert after a time, or with `step` −1 of the one before it; null without one. */
export function otherAlert(alerts, time, step) {
  const times = alerts.map(({ raised }) => raised).sort((a, b) => a - b);
  return (step > 0 ? times.find((each) => each > time) : times.findLast((each) => each < time)) ?? null;
}

/** A clock that runs while it plays, within a span. */
function usePlayer([from, to], start) {
  const [time, setTime] = useState(start);
  const [isPlaying, play] = useState(false);
  const speed = useRef(1);
  useEffect(() => {
    if (!isPlaying) return undefined;
    let last = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      setTime((time) => Math.min(to, time + (now - last) * speed.current));
      last = now;
    }, TURN_MILLISECONDS);
    return () => clearInterval(timer);
  }, [isPlaying, to]);
  useEffect(() => {
    if (time >= to) play(false);
  }, [time >= to]);
  return { time: Math.max(from, Math.min(to, time)), setTime, isPlaying, play, speed };
}

function CurvePath({ points, x, y, width }) {
  const path = useMemo(() => `${steps(points, x, y)}H${width}`, [points, width]);
  return html`<path class="curve" d=${path} />`;
}

function Curve({ number, span, time, move }) {
  const range = extent(number.points.map(([, value]) => value));
  const at = number.points[indexAt(number.points.map(([each]) => each), time)][1];
  const label = `${number.path}: ${number.points.length} values from ${range[0]} to ${range[1]}`;
  return html`<div class="lane"><div class="name"><code>${number.path}</code><strong>${count(at)}</strong></div>
    <${Chart} label=${label} height=${52}
      onPick=${(position, width) => move(scale([0, width], span)(position))}>${(width) => {
      const x = scale(span, [0, width]);
      return html`<${CurvePath} points=${number.points} x=${x} y=${scale(range, [46, 6])} width=${width} />
        <line class="now" x1=${x(time)} x2=${x(time)} y1="0" y2="52" />`;
    }}<//></div>`;
}

function Controls({ player, span, step, alerts }) {
  const [speed, setSpeed] = useQuery("speed", "60");
  player.speed.current = SPEEDS.includes(Number(speed)) ? Number(speed) : 60;
  const jump = (direction) => () => player.setTime(otherAlert(alerts, player.time, direction));
  const toggle = () => {
    if (!player.isPlaying && player.time >= span[1]) player.setTime(span[0]);
    player.play(!player.isPlaying);
  };
  const button = (label, act, isOff) => html`<button type="button" disabled=${isOff} onClick=${act}>${label}</button>`;
  return html`<div class="row">
    <button type="button" class="primary" onClick=${toggle}>${player.isPlaying ? "Pause" : "Play"}</button>
    <label>Speed<select value=${String(player.speed.current)} onChange=${(event) => setSpeed(event.target.value)}>
      ${SPEEDS.map((each) => html`<option key=${each} value=${String(each)}>${each}×</option>`)}</select></label>
    ${button("Message before", () => step(-1))}${button("Next message", () => step(1))}
    ${button("Alert before", jump(-1), otherAlert(alerts, player.time, -1) === null)}
    ${button("Next alert", jump(1), otherAlert(alerts, player.time, 1) === null)}</div>`;
}

function Marks({ times, alerts, span, time, areReal, move }) {
  const label = `${times.length} messages by time, ${alerts.length} alerts`;
  return html`<div class="lane"><div class="name soft">${areReal ? moment(time) : "Messages without a time"}</div>
    <${Chart} label=${label} height=${58}
      onPick=${(position, width) => move(scale([0, width], span)(position))}>${(width) => {
      const x = scale(span, [0, width]);
      return html`${areReal && html`<${TimeAxis} span=${span} x=${x} top=${0} bottom=${38} width=${width} />`}
        ${times.map((each, index) => html`<rect key=${index} class="poll-unchanged" x=${x(each) - 0.5} width="1" y="18"
          height="18" />`)}
        ${alerts.map((alert) => html`<path key=${alert.id} class="alert ${alert.severity}"
          d=${`M${x(alert.raised) - 5} 2h10l-5 12z`}>
          <title>${alert.rule}</title></path>`)}
        <line class="now" x1=${x(time)} x2=${x(time)} y1="0" y2="40" />`;
    }}<//></div>`;
}

function Numbers({ numbers, chosen, choose, time }) {
  const at = (points) => points[indexAt(points.map(([each]) => each), time)][1];
  const toggle = (path) => choose(chosen.includes(path) ? chosen.filter((each) => each !== path) : [...chosen, path]);
  return html`<${Table} caption="Numbers in the messages" rows=${numbers} keyOf=${(row) => row.path} columns=${[
    { name: "Curve", value: (row) => html`<input type="checkbox" aria-label=${`Curve of ${row.path}`}
      checked=${chosen.includes(row.path)} onChange=${() => toggle(row.path)} />` },
    { name: "Path", value: (row) => html`<code>${row.path}</code>` },
    { name: "At the cursor", number: true, value: (row) => count(at(row.points)) },
    { name: "Smallest", number: true, value: (row) => count(extent(row.points.map(([, value]) => value))[0]) },
    { name: "Largest", number: true, value: (row) => count(extent(row.points.map(([, value]) => value))[1]) },
  ]} />`;
}

function Player({ topic, publications, alerts }) {
  const [offset, setOffset] = useQuery("offset");
  const [list, setList] = useQuery("numbers");
  const { times, areReal } = useMemo(() => timesOf(publications), [publications]);
  const numbers = useMemo(() => numbersIn(publications, times), [publications]);
  const span = [times[0], Math.max(times.at(-1), times[0] + 1000)];
  const first = publications.findIndex((each) => String(each.offset) === offset);
  const player = usePlayer(span, times[Math.max(0, first)]);
  const index = indexAt(times, player.time);
  const message = publications[index];
  useEffect(() => {
    if (!player.isPlaying && index !== Math.max(0, first)) setOffset(String(message.offset));
  }, [player.isPlaying]);
  const shown = areReal ? alerts.filter(({ raised }) => raised >= span[0] && raised <= span[1]) : [];
  const known = list.split(",").filter((path) => numbers.some((each) => each.path === path));
  const chosen = list === "" ? numbers.slice(0, CURVES).map(({ path }) => path) : known;
  const go = (next) => {
    player.setTime(times[next]);
    setOffset(String(publications[next].offset));
  };
  const move = (time) => go(indexAt(times, time));
  const step = (direction) => go(Math.max(0, Math.min(times.length - 1, index + direction)));
  return html`<section aria-label=${`History of ${topic}`}>
    <${Controls} player=${player} span=${span} alerts=${shown} step=${step} />
    <${Marks} times=${times} alerts=${shown} span=${span} time=${player.time} areReal=${areReal} move=${move} />
    <div class="lane"><label class="name" for="cursor">Cursor</label><input id="cursor" class="scrubber" type="range"
      min="0"
      max=${times.length - 1} value=${index} aria-valuetext=${`Message ${index + 1} of ${times.length}`}
      onInput=${(event) => go(Number(event.target.value))} /></div>
    ${numbers.filter(({ path }) => chosen.includes(path)).map((number) => html`<${Curve} key=${number.path}
      number=${number}
      span=${span} time=${player.time} move=${move} />`)}
    <h2>Message ${index + 1} of ${times.length}, offset <a
      href=${`explain?${new URLSearchParams({ topic, offset: message.offset })}`}>
      ${message.offset}</a></h2>
    <div class="panes"><pre tabindex="0" aria-label="Message at the cursor">${json(message.data, 4000)}</pre>
      ${numbers.length > 0 ? html`<${Numbers} numbers=${numbers} chosen=${chosen} time=${player.time}
        choose=${(paths) => setList(paths.length === 0 ? "none" : paths.join(","))} />`
        : html`<p class="soft">The messages have no numbers.</p>`}</div></section>`;
}

async function histories(topic, signal) {
  if (topic === "") return { topic, publications: [], alerts: [] };
  const newest = (channel) => call("history", { channel, limit: MESSAGES, reverse: true }, { signal });
  const page = await newest(topic);
  const alerts = await newest(`${topic}:alerts`).catch(() => ({}));
  return {
    topic,
    publications: (page.publications ?? []).reverse(),
    alerts: alertsFrom((alerts.publications ?? []).reverse()),
  };
}

/** What is replayed. The clock can be chosen only if the hub plays a recording. */
function Modes({ mode, setMode }) {
  const button = (each, label) => html`<button type="button" aria-pressed=${String(mode === each)}
    onClick=${() => setMode(each)}>${label}</button>`;
  return html`<div class="row" role="group" aria-label="What to replay">
    ${button("history", "History of a topic")}${button("clock", "The hub's clock")}</div>`;
}

function History({ topic, found }) {
  const waits = (value) => value.topic !== topic && html`<p class="loading" role="status">Loading …</p>`;
  const none = (value) => waits(value) || value.publications.length === 0 && html`<${Empty}
    title=${topic === "" ? "Choose a topic." : "The topic keeps no publication."}><p>A topic has a
      history if its namespace has <code>history_size</code>. <a href="topics">Topics</a> has those with subscribers.</p><//>`;
  return html`<${Loaded} from=${found} empty=${none}>${({ publications, alerts }) => html`<${Player} key=${topic}
    topic=${topic} publications=${publications} alerts=${alerts} />`}<//>`;
}

/** The clock of the address, where it cannot be shown. */
function NoClock({ clock }) {
  if (clock.value !== null) return html`<${Empty} title="This hub uses the wall clock."><p>Only the clock of a recording
    can be controlled: <code>clock</code> in its configuration.</p><//>`;
  return html`<${Loaded} from=${clock} />`;
}

export default function Replay() {
  const [topic, setTopic] = useQuery("topic");
  const [mode, setMode] = useQuery("mode", "history");
  const [name, setName] = useState(topic);
  const found = useLoaded((signal) => histories(topic, signal), [topic]);
  const channels = useLoaded(async (signal) => Object.keys((await call("channels", {}, { signal })).channels), [], 30);
  const open = (event) => {
    event.preventDefault();
    setTopic(name.trim());
    if (name.trim() === topic) found.reload();
  };
  const isClock = mode === "clock";
  const clock = useClock(isClock);
  const isRecording = clock.value?.kind === "recording";
  return html`${isRecording && html`<${Modes} mode=${isClock ? "clock" : "history"} setMode=${setMode} />`}
    <form class="row" onSubmit=${open}>
      <label class="grow">Topic<input value=${name} placeholder="aurora:tromso" list="topics" spellcheck="false"
        autocomplete="off"
        onInput=${(event) => setName(event.target.value)} /></label>
      <datalist id="topics">${(channels.value ?? []).map((each) => html`<option key=${each}
        value=${each} />`)}</datalist>
      <button type="submit">Load</button></form>
    ${!isClock && html`<${History} topic=${topic} found=${found} />`}
    ${isClock && (isRecording ? html`<${ClockPanel} clock=${clock.value} topic=${topic} reload=${clock.reload} />`
      : html`<${NoClock} clock=${clock} />`)}`;
}
