// Radar: where opinions on a topic stand, how certain that is, and how it came about.

import { html, useRef, useState } from "../vendor/preact-htm.js";
import { Badge, Empty, Loaded, Table } from "../lib/parts.js";
import { useLoaded, useQuery, useStream } from "../lib/hooks.js";
import { moment } from "../lib/format.js";
import { UNKNOWN_CHANNEL, call, load } from "../lib/session.js";
import { Axes, line, scale } from "../lib/chart.js";

const RADARS_MAX = 50;
const OPINIONS_MAX = 500;
const OPINIONS_PAGE = 200;
const EVENTS = 20;
const DAYS = 30;
const DAY = 86_400_000;
const RELOAD_MILLISECONDS = 2000;
const RELOAD_SECONDS = 10;
const WIDTH = 900;
const BOX = { left: 62, right: WIDTH - 10, top: 10, bottom: 220 };
const TREND = { left: 62, right: WIDTH - 10, top: 10, bottom: 150 };
const TONES = { for: "var(--series-3)", against: "var(--series-2)", neutral: "var(--series-1)" };
const LANES = ["for", "neutral", "against"];
const CERTAINTY = { clear: "good", uncertain: "warn", insufficient: "" };
/** From this score on a position is a side (protocol/radar.md). */
const SIDE = 0.2;

/** The point of the gauge at a score from −1, on the left, to 1. */
export function onArc(score, radius, x = 200, y = 190) {
  const angle = Math.PI * (1 - (Math.min(1, Math.max(-1, score)) + 1) / 2);
  return [x + radius * Math.cos(angle), y - radius * Math.sin(angle)];
}

/** The SVG path of a ring's part between two scores. */
export function ring(from, to, inner, outer) {
  const points = [[from, outer], [to, outer], [to, inner], [from, inner]]
    .map(([score, radius]) => onArc(score, radius).map((value) => value.toFixed(1)).join(" "));
  return `M${points[0]}A${outer} ${outer} 0 0 1 ${points[1]}L${points[2]}A${inner} ${inner} 0 0 0 ${points[3]}Z`;
}

/** The interval in which further providers would confirm the score: two deviations to both sides, within −1 to 1. */
export function interval({ expectation, deviation }) {
  return [Math.max(-1, expectation - 2 * deviation), Math.min(1, expectation + 2 * deviation)];
}

/** Opinions with the share of their voice (0 to 1; null if it is unknown), the oldest first. */
export function weighed(opinions, voices) {
  const shares = new Map(voices.map((voice) => [voice.name, voice.share]));
  return opinions.map((each) => ({ ...each, time: Date.parse(each.createdAt), share: shares.get(each.author) ?? null }))
    .sort((a, b) => a.time - b.time);
}

/** The score of each day that has opinions: `[{time, score, total}]`. */
export function daily(points) {
  return points.filter((each) => each.totalOpinions > 0).map((each) => ({
    time: Date.parse(each.date),
    score: (each.forCount - each.againstCount) / each.totalOpinions,
    total: each.totalOpinions,
  }));
}

/** The ends of the line with a trend's slope, through the median of its days: two `[time, score]`, or none. */
export function trendLine(days, slope) {
  const used = slope === null ? [] : days.slice(-slope.days);
  if (used.length < 2) return [];
  const rise = (time) => (slope.perDay * (time - used[0].time)) / DAY;
  const rests = used.map((each) => each.score - rise(each.time)).sort((a, b) => a - b);
  const start = (rests[(rests.length - 1) >> 1] + rests[rests.length >> 1]) / 2;
  return [used[0].time, used.at(-1).time].map((time) => [time, start + rise(time)]);
}

/** What the newest events of a topic say about its radar, for a radar that only its owner may read. */
export function fromEvents(events) {
  const found = { isPrivate: true, opinions: [], points: new Map(), slope: null, explained: null, change: null };
  for (const { type, time, data } of events) {
    if (type === "radar.opinion.created") found.opinions.push(data.opinion);
    if (type === "radar.trend.changed") {
      found.points.set(data.point.date, data.point);
      found.slope = data.slope;
    }
    if (type === "radar.refreshed") found.position = data.position;
    if (type === "radar.position.changed") Object.assign(found, { position: data.position, change: { time, ...data } });
  }
  return { ...found, points: [...found.points.values()].sort((a, b) => (a.date < b.date ? -1 : 1)) };
}

async function readPublic(id, signal) {
  const path = `/api/radars/${encodeURIComponent(id)}`;
  const radar = await load(path, { signal });
  const [explained, opinions, trend] = await Promise.all([
    load(`${path}?explain=1`, { signal }),
    load(`${path}/opinions?limit=${OPINIONS_PAGE}`, { signal }),
    load(`${path}/trends?days=${DAYS}`, { signal }),
  ]);
  return { isPrivate: false, topic: radar.topic, position: radar.position, change: radar.positionChange,
    opinions, explained, points: trend.data, slope: trend.slope };
}

/** A private radar is refused with 401 to a request without its owner's token, as one that does not exist. */
const isPrivate = (problem) => problem.status === 401 || problem.status === 404;

async function read(id, signal) {
  let events = [];
  try {
    const page = { channel: `radar:${id}`, limit: EVENTS, reverse: true };
    events = (await call("history", page, { signal })).publications.toReversed().map((each) => each.data);
    return await readPublic(id, signal);
  } catch (problem) {
    if (problem.code === UNKNOWN_CHANNEL) return { isAbsent: true };
    if (!isPrivate(problem)) throw problem;
    return fromEvents(events);
  }
}

function Gauge({ radar }) {
  const { explained } = radar;
  const score = explained?.score ?? radar.change?.score ?? null;
  const range = explained && interval(explained);
  const text = `Position ${radar.position ?? "unknown"}${score === null ? "" : `, score ${score.toFixed(2)}`}`
    + `${range ? `, interval ${range[0].toFixed(2)} to ${range[1].toFixed(2)}` : ""}`;
  const [x, y] = onArc(score ?? 0, 118);
  const bounds = [[-1, -SIDE, TONES.against], [-SIDE, SIDE, TONES.neutral], [SIDE, 1, TONES.for]];
  return html`<svg class="chart gauge" viewBox="0 0 400 216" role="img" aria-label=${text}>
    ${bounds.map(([from, to, fill]) => html`<path key=${from} d=${ring(from, to, 128, 156)} fill=${fill}
      opacity=".75" />`)}
    ${range && html`<path class="interval" d=${ring(...range, 98, 118)} fill="var(--soft)" opacity=".45" />`}
    ${score !== null && html`<line x1="200" y1="190" x2=${x} y2=${y} stroke="var(--text)" stroke-width="4"
      stroke-linecap="round" />`}
    <circle cx="200" cy="190" r="8" fill="var(--text)" />
    ${[[-1, "against", 40, 206], [0, "neutral", 200, 24], [1, "for", 360, 206]].map(([at, name, left, top]) =>
      html`<text key=${at} x=${left} y=${top} text-anchor="middle">${name}</text>`)}
  </svg>`;
}

function Dots({ opinions, from, to }) {
  const x = scale([from, to], [BOX.left + 8, BOX.right - 8]);
  const height = (BOX.bottom - BOX.top) / LANES.length;
  const next = { for: 0, neutral: 0, against: 0 };
  const dots = opinions.map((each) => {
    // Neighbours of a lane are on seven levels, so that few cover each other.
    const level = ((next[each.stance] * 3) % 7) - 3;
    next[each.stance] += 1;
    const y = BOX.top + height * (LANES.indexOf(each.stance) + 0.5) + level * (height / 9);
    return { ...each, x: x(each.time), y, radius: 2.5 + 7 * Math.sqrt(each.share ?? each.confidence / 4) };
  });
  const text = `${opinions.length} opinions by time: ${LANES.map((stance) => `${next[stance]} ${stance}`).join(", ")}`;
  const lane = (index) => BOX.top + height * (index + 0.5);
  return html`<svg class="chart wide" viewBox="0 0 ${WIDTH} 248" role="img" aria-label=${text}>
    <${Axes} box=${BOX} x=${x} y=${lane} values=${[0, 1, 2]} from=${from} to=${to} text=${(index) => LANES[index]} />
    ${dots.map((each) => html`<circle class="opinion" key=${each.id} cx=${each.x} cy=${each.y} r=${each.radius}
      fill=${TONES[each.stance]} fill-opacity=".6" stroke=${TONES[each.stance]}>
      <title>${each.author}, ${moment(each.time)}: ${each.stance}</title></circle>`)}
  </svg>`;
}

function Trend({ points, slope, from, to }) {
  const days = daily(points);
  const x = scale([from, to], [TREND.left + 8, TREND.right - 8]);
  const y = scale([-1, 1], [TREND.bottom, TREND.top]);
  const fit = trendLine(days, slope);
  const verdict = slope === null ? `none yet, it needs opinions of seven days and has ${days.length}`
    : `${slope.direction}, ${slope.change7d.toFixed(2)} in seven days, p = ${slope.pValue.toFixed(3)} `
      + `(${slope.days} days)`;
  const color = { rising: TONES.for, falling: TONES.against }[slope?.direction] ?? "var(--soft)";
  return html`<h3>Trend: ${verdict}</h3>
    <svg class="chart wide" viewBox="0 0 ${WIDTH} 178" role="img"
      aria-label=${`Score of ${days.length} days; ${verdict}`}>
      <${Axes} box=${TREND} x=${x} y=${y} values=${[-1, 0, 1]} from=${from} to=${to} />
      <path d=${line(days.map((each) => [x(each.time), y(each.score)]))} fill="none" stroke="var(--soft)" />
      ${days.map((each) => html`<circle key=${each.time} cx=${x(each.time)} cy=${y(each.score)} r="4"
        fill="var(--text)" />`)}
      ${fit.length > 0 && html`<path class="fit" d=${line(fit.map(([at, score]) => [x(at), y(score)]))} fill="none"
        stroke=${color} stroke-width="3" stroke-dasharray=${slope.pValue < 0.05 ? "none" : "6 5"} />`}
    </svg>`;
}

function Change({ change }) {
  if (!change) return html`<p>The position has not changed yet.</p>`;
  return html`<p><strong>${change.previous} → ${change.position}</strong>, ${moment(change.time)}:
    ${" "}${change.reason.en}</p>`;
}

function Numbers({ explained }) {
  const percent = (value) => `${Math.round(100 * value)} %`;
  return html`<p>Certainty <${Badge} state=${CERTAINTY[explained.certainty]}>${explained.certainty}<//>: with a
      probability of ${percent(explained.probability)} further providers would confirm the position. The opinions count
      as ${explained.effectiveSampleSize.toFixed(1)} independent answers
      of ${explained.effectiveProviders.toFixed(1)} providers.
      ${explained.heldBy === "hysteresis" && " Another position is more probable, but not by enough to change."}
      ${explained.heldBy === "insufficient" && " No opinion counts."}</p>
    <${Table} caption="Voices, the weightiest first" rows=${explained.voices}
      keyOf=${(row) => `${row.kind} ${row.name}`} columns=${[
        { name: "Voice", value: (row) => row.name },
        { name: "Provider", value: (row) => row.provider },
        { name: "Opinions", number: true, value: (row) => row.opinions },
        { name: "Weight", number: true, value: (row) => percent(row.share) },
        { name: "Trust", number: true, value: (row) => row.trust },
        { name: "Agreement", number: true,
          value: ({ confidence }) => (confidence.agreement === null ? "–" : percent(confidence.agreement)) },
      ]} />`;
}

function Live({ stream, isPrivate }) {
  const text = stream.state === "refused" ? `Not live: ${stream.problem.message}`
    : stream.state === "open" ? `Live: ${stream.account?.events ?? 0} events` : "Connecting";
  const note = `. The radar is private: shown are the newest ${EVENTS} events of its topic, which an API key may read.`;
  return html`<p class="soft" role="status">${text}${isPrivate && note}</p>`;
}

function Radar({ id }) {
  const [added, setAdded] = useState([]);
  const timer = useRef(null);
  const reload = useRef(null);
  const stream = useStream([`radar:${id}`], ({ data }) => {
    if (data?.type === "radar.opinion.created") {
      setAdded((former) => [...former, data.data.opinion].slice(-OPINIONS_MAX));
    }
    // A poll publishes several events: one reading shows them all.
    timer.current ??= setTimeout(() => {
      timer.current = null;
      reload.current();
    }, RELOAD_MILLISECONDS);
  });
  // Without a stream the radar is read again.
  const found = useLoaded((signal) => read(id, signal), [id], stream.state === "refused" ? RELOAD_SECONDS : 0);
  reload.current = found.reload;
  return html`<${Loaded} from=${found} empty=${(radar) => radar.isAbsent
    && html`<${Empty} title="No radar has this id." />`}>${(radar) => {
    const every = new Map([...radar.opinions, ...added].map((each) => [each.id, each]));
    const opinions = weighed([...every.values()], radar.explained?.voices ?? []).slice(-OPINIONS_MAX);
    const times = [...opinions.map((each) => each.time), ...daily(radar.points).map((each) => each.time)];
    const to = Math.max(...times);
    const from = Math.max(Math.min(...times, to - 3_600_000), to - DAYS * DAY);
    return html`<section aria-label="Radar"><h2>${radar.topic ?? id}: ${radar.position ?? "position unknown"}</h2>
      <${Live} stream=${stream} isPrivate=${radar.isPrivate} />
      <div class="panes"><${Gauge} radar=${radar} />
        <div><h3>What changed it</h3><${Change} change=${radar.change} />
          ${radar.explained && html`<${Numbers} explained=${radar.explained} />`}</div></div>
      ${times.length === 0 ? html`<${Empty} title="No opinion has arrived yet."><p>The radar's sources are asked every
          <code>radar.interval</code>; a back end can push opinions: protocol/radar.md.</p><//>`
        : html`<h3>Opinions: the size is the weight of the voice</h3>
          <${Dots} opinions=${opinions.filter((each) => each.time >= from)} from=${from} to=${to} />
          <${Trend} points=${radar.points} slope=${radar.slope} from=${from} to=${to} />`}
      <${Table} caption="Opinions, the newest first" rows=${opinions.toReversed()} keyOf=${(row) => row.id} columns=${[
        { name: "Time", value: (row) => moment(row.time) },
        { name: "Author", value: (row) => row.author },
        { name: "Stance", value: (row) => row.stance },
        { name: "Confidence", number: true, value: (row) => row.confidence },
        { name: "Opinion", value: (row) => row.content.slice(0, 300) },
      ]} />
    </section>`;
  }}<//>`;
}

async function list(signal) {
  const { channels } = await call("channels", { pattern: "radar:*" }, { signal });
  const ids = Object.keys(channels).sort().slice(0, RADARS_MAX).map((topic) => topic.slice("radar:".length));
  return Promise.all(ids.map(async (id) => {
    const watched = channels[`radar:${id}`].num_clients;
    const { topic, position } = await load(`/api/radars/${encodeURIComponent(id)}`, { signal }).catch((problem) => {
      if (!isPrivate(problem)) throw problem;
      return { topic: null, position: null };
    });
    return { id, watched, topic, position };
  }));
}

export default function Radars() {
  const [chosen, choose] = useQuery("radar");
  const [text, setText] = useState(chosen);
  const found = useLoaded(list, [chosen], 10);
  const submit = (event) => {
    event.preventDefault();
    choose(text.trim());
  };
  return html`<form class="row" onSubmit=${submit}><label class="grow">Id of a radar<input value=${text}
        spellcheck="false" autocomplete="off" placeholder="018f…"
        onInput=${(event) => setText(event.target.value)} /></label>
      <button type="submit">Show</button></form>
    ${chosen !== "" && html`<${Radar} key=${chosen} id=${chosen} />`}
    <${Loaded} from=${found} empty=${(rows) => rows.length === 0
      && html`<${Empty} title="No radar is followed."><p>Radars that someone follows are listed here; others open by
        their id. A user creates one with <code>POST /api/radars</code>, if the configuration has the section
        <code>radar</code>: protocol/radar.md.</p><//>`}>
      ${(rows) => html`<${Table} caption="Radars that someone follows" rows=${rows} keyOf=${(row) => row.id} columns=${[
        { name: "Radar", value: (row) => html`<a href=${`radar?${new URLSearchParams({ radar: row.id })}`}>
          ${row.topic ?? html`<code>${row.id}</code> (private)`}</a>` },
        { name: "Position", value: (row) => row.position ?? "–" },
        { name: "Followers", number: true, value: (row) => row.watched },
      ]} />`}
    <//>`;
}
