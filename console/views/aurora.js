// Aurora: the oval around the pole with the night, and the score of a place with what hides it.

import { html, useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { Badge, Empty, Loaded, Table } from "../lib/parts.js";
import { useLoaded, useQuery, useRoute, useStream } from "../lib/hooks.js";
import { clock, moment } from "../lib/format.js";
import { call, load } from "../lib/session.js";
import { Axes, area, line, runs, scale } from "../lib/chart.js";
import { Oval, OvalTable } from "../lib/oval.js";
import { darkness, elevation, sunAt } from "../lib/sky.js";
import { Skill } from "../lib/skill.js";

const SAMPLES_MAX = 1000;
const PLACES_MAX = 50;
const HOUR = 3_600_000;
const WIDTH = 900;
const BOX = { left: 34, right: WIDTH - 8, top: 8, bottom: 228 };
/** Below this part of the sky, a rounded score does not give the activity. */
const SEEN_MIN = 0.05;
const LEVELS = { none: "", low: "", moderate: "warn", good: "good", excellent: "good" };
const PARTS = [
  ["seen", "Score: what can be seen", "var(--series-3)", 0.85],
  ["clouds", "Hidden by clouds", "var(--series-1)", 0.45],
  ["light", "Hidden by daylight", "var(--series-5)", 0.4],
];

/** The ids of the configured places: each has a weather feed. */
export function placesOf(health) {
  return (health.feeds ?? []).map((feed) => /^metno\.weather:(.+)$/.exec(feed.name)?.[1])
    .filter((id) => id !== undefined).slice(0, PLACES_MAX);
}

/** The parts of a score, in points: they add up to the activity. */
export function parts({ activity, dark, clear }) {
  const seen = 100 * activity * dark * clear;
  return { seen, clouds: 100 * activity * dark - seen, light: 100 * activity * (1 - dark) };
}

/** A sample of the chart from the data of `aurora.conditions.updated`; its activity is null where nothing is seen. */
export function sample(data) {
  const dark = darkness(elevation(data.location.lat, data.location.lon, sunAt(data.updated)));
  const clear = 1 - (data.cloud_coverage / 100) ** 1.5;
  const part = dark * clear;
  const activity = part < SEEN_MIN ? null : Math.min(1, data.score / 100 / part);
  return { time: Date.parse(data.updated), score: data.score, activity, dark, clear, data };
}

/** A sample from an hour of `hourly?explain=1`. */
export function expected(hour) {
  return { time: Date.parse(hour.time), score: hour.score, activity: hour.activity, dark: hour.darkness,
    clear: hour.clear_sky ?? 1 };
}

/** Samples in the order of their times, each once, the newest ones. */
export function merged(one, other) {
  const all = new Map([...one, ...other].map((each) => [each.time, each]));
  return [...all.values()].sort((a, b) => a.time - b.time).slice(-SAMPLES_MAX);
}

// In development the routes take no key, elsewhere one of `aurora.api_keys`, which may be the page's.
let sendsKey = false;

async function ask(path, signal) {
  try {
    return await load(path, { signal, key: sendsKey });
  } catch (problem) {
    if (problem.status !== 401 || sendsKey) throw problem;
    sendsKey = true;
    return load(path, { signal });
  }
}

async function newest(topic, limit, signal) {
  const { publications } = await call("history", { channel: topic, limit, reverse: true }, { signal });
  return publications.map((each) => each.data?.data).filter((data) => data !== undefined);
}

function Stack({ samples, x, y, opacity }) {
  const pieces = runs(samples.filter((each) => each.activity !== null), (a, b) => b.time - a.time <= 2 * HOUR);
  return pieces.flatMap((piece, number) => {
    let base = piece.map(() => 0);
    return PARTS.map(([name, , fill, strength]) => {
      const top = piece.map((each, index) => base[index] + parts(each)[name]);
      const path = area(piece.map((each, index) => [x(each.time), y(top[index])]),
        piece.map((each, index) => [x(each.time), y(base[index])]));
      base = top;
      return html`<path key=${`${number}${name}`} d=${path} fill=${fill} opacity=${strength * opacity} />`;
    });
  });
}

function Chart({ samples, hours, forecasts, now, span }) {
  const [from, to] = [now - span * HOUR, now + span * HOUR];
  const x = scale([from, to], [BOX.left, BOX.right]);
  const y = scale([0, 100], [BOX.bottom, BOX.top]);
  const past = samples.filter((each) => each.time >= from);
  const came = forecasts.filter((each) => each.time >= from && each.time <= now);
  const coming = hours.filter((each) => each.time >= now && each.time <= to);
  const curve = (all) => line(all.map((each) => [x(each.time), y(each.score)]));
  const text = `Score and its parts from ${moment(from)} to ${moment(to)}: ${past.length} measured, `
    + `${Math.max(0, coming.length - 1)} expected hours, ${came.length} forecasts to compare`;
  return html`<svg class="chart wide" viewBox="0 0 ${WIDTH} 256" role="img" aria-label=${text}>
    <${Axes} box=${BOX} x=${x} y=${y} values=${[0, 25, 50, 75, 100]} from=${from} to=${to} />
    <${Stack} samples=${past} x=${x} y=${y} opacity=${1} />
    <${Stack} samples=${coming} x=${x} y=${y} opacity=${0.5} />
    <path d=${curve(past)} fill="none" stroke="var(--text)" stroke-width="1.5" />
    <path d=${curve(coming)} fill="none" stroke="var(--text)" stroke-width="1.5" stroke-dasharray="4 4" />
    ${came.map((each) => html`<circle class="came" key=${each.time} cx=${x(each.time)} cy=${y(each.score)} r="4"
      fill="var(--ground)" stroke="var(--series-2)" stroke-width="2" />`)}
    <line x1=${x(now)} x2=${x(now)} y1=${BOX.top} y2=${BOX.bottom} stroke="var(--accent)" stroke-width="2" />
  </svg>
  <ul class="legend">${PARTS.map(([name, title, fill, opacity]) => html`<li key=${name}>
      <i style=${{ background: fill, opacity }}></i>${title}</li>`)}
    <li><i class="ring"></i>What was expected an hour or more before</li>
    <li><i style=${{ background: "var(--accent)" }}></i>Now, and after it the forecast</li></ul>`;
}

function Why({ explained }) {
  const { factors } = explained;
  const rows = [
    ...factors.activity.parts.map(({ input, value, share }) => ({ name: `Activity: ${input}`, value, share })),
    { name: "Darkness", value: factors.darkness.value },
    { name: "Clear sky", value: factors.clear_sky.value },
  ];
  return html`<p>Score ${explained.score.toFixed(1)}; the limit is <strong>${explained.limiting_factor}</strong>.
      ${explained.stale.length > 0 && ` Too old to count: ${explained.stale.join(", ")}.`}
      ${explained.missing.length > 0 && ` Missing: ${explained.missing.join(", ")}.`}</p>
    <${Table} caption="Factors of the score" rows=${rows} keyOf=${(row) => row.name} columns=${[
      { name: "Factor", value: (row) => row.name },
      { name: "", value: (row) => html`<meter min="0" max="1" value=${row.value ?? 0} aria-label=${row.name} />` },
      { name: "Value", number: true, value: (row) => (row.value === null ? "–" : row.value.toFixed(2)) },
      { name: "Share", number: true,
        value: ({ share }) => (share === undefined ? "" : `${Math.round(100 * share)} %`) },
    ]} />`;
}

function Score({ place }) {
  const [text, setSpan] = useQuery("hours", "12");
  const span = text === "24" ? 24 : 12;
  const topic = `aurora:${place}`;
  const query = new URLSearchParams({ place, explain: "1" });
  const history = useLoaded(async (signal) => (await newest(topic, SAMPLES_MAX, signal)).map(sample), [topic]);
  const why = useLoaded((signal) => ask(`/api/aurora/now?${query}`, signal), [topic], 10);
  const hourly = useLoaded(async (signal) => (await ask(`/api/aurora/hourly?${query}`, signal)), [topic], 10);
  const [live, setLive] = useState([]);
  const stream = useStream([topic], ({ data }) => {
    if (data?.data) setLive((former) => merged(former, [sample(data.data)]));
  });
  const kept = useRef(new Map());
  useEffect(() => {
    for (const hour of hourly.value?.hours ?? []) {
      const made = Date.parse(hourly.value.time);
      const at = Date.parse(hour.time);
      if (at - made >= HOUR && !kept.current.has(at)) kept.current.set(at, { time: at, score: hour.score });
    }
  }, [hourly.value]);
  return html`<${Loaded} from=${history}>${(former) => {
    const samples = merged(former, live);
    if (samples.length === 0) {
      return html`<${Empty} title="No score has arrived for this place yet."><p>It comes with the first answers of the
        feeds: <a href="feeds">Feeds</a> shows them, <code>/api/health</code> as well.</p><//>`;
    }
    const { data, time } = samples.at(-1);
    const now = Math.max(time, Date.parse(why.value?.time ?? 0));
    const hours = [{ ...samples.at(-1), time: now }, ...(hourly.value?.hours ?? []).map(expected)];
    return html`<h2>${data.location.name}: ${data.score} of 100${" "}
        <${Badge} state=${LEVELS[data.level]}>${data.level}<//></h2>
      <p class="soft" role="status">${stream.state === "open" ? "Live" : "Connecting"}: ${samples.length} values, the
        newest at ${clock(time)}. Kp ${data.kp_index}, Bz ${data.solar_wind.bz} nT, ${data.solar_wind.speed} km/s,
        clouds ${data.cloud_coverage} %, confidence ${data.confidence}.</p>
      <div class="row"><label>Hours before and after now<select value=${String(span)}
        onChange=${(event) => setSpan(event.target.value)}><option value="12">12</option>
        <option value="24">24</option></select></label></div>
      <${Chart} samples=${samples} hours=${hours} forecasts=${[...kept.current.values()]} now=${now} span=${span} />
      <div class="panes"><div><h3>Why it is so</h3>
          ${why.problem && why.value === null
            ? html`<p class="soft">The aurora's routes refuse this key: ${why.problem.message} The key must be one of
                <code>aurora.api_keys</code> as well. The chart has what the topic has.</p>`
            : html`<${Loaded} from=${why}>${(explained) => html`<${Why} explained=${explained} />`}<//>`}</div>
        <div><h3>Forecast against what came</h3><${Skill} place=${place} /></div></div>
      <${Table} caption=${`Values of ${topic}, the newest first`} rows=${samples.toReversed()}
        keyOf=${(row) => row.time} columns=${[
        { name: "Time", value: (row) => moment(row.time) },
        { name: "Score", number: true, value: (row) => row.score },
        { name: "Level", value: (row) => row.data.level },
        { name: "Activity", number: true,
          value: ({ activity }) => (activity === null ? "hidden" : Math.round(100 * activity)) },
        { name: "Darkness", number: true, value: (row) => row.dark.toFixed(2) },
        { name: "Clouds", number: true, value: (row) => `${row.data.cloud_coverage} %` },
        { name: "Kp", number: true, value: (row) => row.data.kp_index },
        { name: "Bz", number: true, value: (row) => row.data.solar_wind.bz },
      ]} />`;
  }}<//>`;
}

function Sky({ ids }) {
  const [chosen, choose] = useQuery("place", ids[0]);
  const place = ids.includes(chosen) ? chosen : ids[0];
  const [live, setLive] = useState({});
  const found = useLoaded(async (signal) => {
    const topics = ["oval", ...ids];
    const values = await Promise.all(topics.map((name) => newest(`aurora:${name}`, 1, signal)));
    return Object.fromEntries(topics.map((name, index) => [name, values[index][0]]));
  }, [ids.join(",")]);
  useStream(["aurora:oval", ...ids.map((id) => `aurora:${id}`)], ({ topic, data }) => {
    if (data?.data) setLive((former) => ({ ...former, [topic.slice("aurora:".length)]: data.data }));
  });
  return html`<div class="row"><label>Place<select value=${place} onChange=${(event) => choose(event.target.value)}>
      ${ids.map((id) => html`<option key=${id} value=${id}>${id}</option>`)}</select></label></div>
    <${Loaded} from=${found}>${(former) => {
      const all = { ...former, ...live };
      const places = ids.filter((id) => all[id]).map((id) => ({ id, data: all[id] }));
      if (!all.oval) {
        return html`<${Empty} title="No map has arrived yet."><p>It comes with the first answer of
          <code>swpc.ovation</code>.</p><//>`;
      }
      return html`<p class="soft">The map for ${moment(all.oval.timestamp)}: green is the oval, dark the night; the
          yellow dot points to the sun. Kp ${all.oval.kp_index}.</p>
        <div class="panes"><${Oval} oval=${all.oval} places=${places} chosen=${place} choose=${choose} />
          <${OvalTable} oval=${all.oval} /></div>`;
    }}<//>
    <${Score} key=${place} place=${place} />`;
}

export default function Aurora() {
  const health = useRoute("/api/health");
  return html`<${Loaded} from=${health} empty=${(value) => placesOf(value).length === 0
    && html`<${Empty} title="This hub computes no aurora."><p>Add the section <code>aurora</code> with a place to its
      configuration: docs/AURORA.md. The demo has one.</p><//>`}>
    ${(value) => html`<${Sky} ids=${placesOf(value)} />`}
  <//>`;
}
