// News: stories as groups that grow, and their ranks over time.

import { html, useState } from "../vendor/preact-htm.js";
import { Badge, Empty, Loaded, Table } from "../lib/parts.js";
import { useLoaded, useQuery, useStream } from "../lib/hooks.js";
import { count, moment } from "../lib/format.js";
import { UNKNOWN_CHANNEL, call } from "../lib/session.js";
import { Axes, line, runs, scale } from "../lib/chart.js";

const CATEGORIES = ["general", "business", "technology", "entertainment", "health", "science", "sports"];
const HISTORY = 200;
const STORIES_MAX = 150;
const CHANGES_MAX = 100;
const RANKS = 10;
const COLUMNS = 24;
const WIDTH = 900;
const SWARM = { left: 14, right: WIDTH - 14, top: 8, bottom: 240 };
const BUMP = { left: 34, right: WIDTH - 270, top: 16, bottom: 286 };
const IMPACTS = { High: "bad", Moderate: "warn", Low: "good", "Very Low": "" };
const TONES = { High: "var(--bad)", Moderate: "var(--warn)", Low: "var(--good)", "Very Low": "var(--soft)" };
const LINES = [1, 2, 3, 4, 5].map((number) => `var(--series-${number})`);

/**
 * The stories after an event of a topic of news: a map from the id to `{id, title, impact, ticker, created, changed,
 * count, changes: [{time, count}], topics}`. Events of the same story in several topics count once.
 */
export function take(stories, topic, event) {
  const { type, data } = event;
  if (!type?.startsWith("news.story.")) return stories;
  const next = new Map(stories);
  if (type === "news.story.removed" || type === "news.story.merged") next.delete(data.id);
  const story = type === "news.story.merged" ? data.story : type === "news.story.removed" ? null : data;
  if (!story) return next;
  const time = Date.parse(event.time);
  const former = next.get(story.id);
  const change = { time, count: story.article_count };
  const isKept = former?.changes.some((each) => each.time === time && each.count === change.count) ?? false;
  const changes = [...(former?.changes ?? []), ...(isKept ? [] : [change])]
    .sort((a, b) => a.time - b.time || a.count - b.count).slice(-CHANGES_MAX);
  const isNewest = former === undefined || time >= former.changed;
  next.set(story.id, {
    id: story.id,
    ...(isNewest ? { title: story.group_title, impact: story.impact_level, ticker: story.primary_ticker } : former),
    created: Date.parse(story.created_at),
    changed: Math.max(time, former?.changed ?? time),
    count: Math.max(...changes.map((each) => each.count)),
    changes,
    topics: new Set([...(former?.topics ?? []), topic]),
  });
  if (next.size > 2 * STORIES_MAX) next.delete([...next.values()].sort((a, b) => a.changed - b.changed)[0].id);
  return next;
}

/** The largest stories, of one category if it is given. */
export function largest(stories, category = "") {
  return [...stories.values()].filter((each) => category === "" || each.topics.has(`news:category:${category}`))
    .sort((a, b) => b.count - a.count || b.changed - a.changed || a.id - b.id).slice(0, STORIES_MAX);
}

/** The last change of a story at a time, `{time, count}`; null before it began. */
export function stateAt(story, time) {
  return story.changes.findLast((change) => change.time <= time) ?? null;
}

/**
 * Ranks by the number of articles at each of some times: `[{story, ranks: [1… or null]}]`, for the stories that have
 * been among the first `top`. Of stories with the same number, the one that reached it first is before the others.
 */
export function ranking(stories, times, top = RANKS) {
  const ranks = new Map(stories.map((story) => [story.id, []]));
  for (const time of times) {
    const order = stories.map((story) => ({ id: story.id, state: stateAt(story, time) }))
      .filter((each) => each.state !== null)
      .sort((a, b) => b.state.count - a.state.count || a.state.time - b.state.time || a.id - b.id);
    const place = new Map(order.slice(0, top).map((each, index) => [each.id, index + 1]));
    for (const [id, list] of ranks) list.push(place.get(id) ?? null);
  }
  return stories.map((story) => ({ story, ranks: ranks.get(story.id) }))
    .filter(({ ranks }) => ranks.some((rank) => rank !== null));
}

/** Circles of stories that do not cover each other, if there is room for small ones: `[{story, x, y, radius}]`. */
export function swarm(stories, x, box) {
  const largest = Math.max(1, ...stories.map((story) => story.count));
  let found = null;
  for (let unit = Math.min(13, 52 / Math.sqrt(largest)); !found?.isFree && unit > 2; unit *= 0.85) {
    found = placed(stories, x, box, unit);
  }
  return found.circles;
}

function placed(stories, x, box, unit) {
  const middle = (box.top + box.bottom) / 2;
  const circles = [];
  let isFree = true;
  for (const story of stories) {
    const radius = Math.max(3, unit * Math.sqrt(story.count));
    const at = Math.min(box.right - radius, Math.max(box.left + radius, x(story.created)));
    const room = (box.bottom - box.top) / 2 - radius;
    let y = null;
    for (let step = 0; step < 2 * room; step += 3) {
      const candidate = middle + (Math.floor(step / 3) % 2 === 0 ? 1 : -1) * (step / 2);
      if (circles.some((each) => Math.hypot(each.x - at, each.y - candidate) < each.radius + radius + 1)) continue;
      y = candidate;
      break;
    }
    isFree &&= y !== null;
    circles.push({ story, x: at, y: y ?? middle, radius });
  }
  return { circles, isFree };
}

async function read(signal) {
  const topics = ["news:global", ...CATEGORIES.map((name) => `news:category:${name}`)];
  const pages = await Promise.all(topics.map((channel) => call("history", { channel, limit: HISTORY, reverse: true },
    { signal }).catch((problem) => {
    if (problem.code === UNKNOWN_CHANNEL) return null;
    throw problem;
  })));
  if (pages.every((page) => page === null)) return { isAbsent: true, stories: new Map() };
  let stories = new Map();
  pages.forEach((page, index) => {
    for (const each of (page?.publications ?? []).toReversed()) stories = take(stories, topics[index], each.data);
  });
  return { isAbsent: false, stories };
}

const clipped = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

function Groups({ stories, from, to }) {
  const x = scale([from, to], [SWARM.left + 40, SWARM.right - 40]);
  const circles = swarm(stories, x, SWARM);
  const articles = stories.reduce((sum, story) => sum + story.count, 0);
  return html`<svg class="chart wide" viewBox="0 0 ${WIDTH} 264" role="img"
    aria-label=${`${stories.length} stories with ${articles} articles by the time at which they began`}>
    <${Axes} box=${SWARM} x=${x} y=${(value) => value} values=${[]} from=${from} to=${to} />
    ${circles.map(({ story, x, y, radius }) => html`<g class="story" key=${story.id}>
      <circle cx=${x} cy=${y} r=${radius} fill=${TONES[story.impact]} fill-opacity=".25" stroke=${TONES[story.impact]}
        stroke-width="1.5"><title>${`${story.title} (${story.count})`}</title></circle>
      ${radius > 11 && html`<text x=${x} y=${y + 4} text-anchor="middle">${story.count}</text>`}
    </g>`)}
  </svg>
  <ul class="legend">${Object.entries(TONES).map(([name, tone]) => html`<li key=${name}>
    <i style=${{ background: tone }}></i>Impact ${name}</li>`)}</ul>`;
}

function Ranks({ stories, from, to }) {
  const times = Array.from({ length: COLUMNS }, (_, index) => from + ((index + 1) * (to - from)) / COLUMNS);
  const rows = ranking(stories, times);
  const x = scale([times[0], to], [BUMP.left, BUMP.right]);
  const y = scale([1, RANKS], [BUMP.top, BUMP.bottom]);
  const all = Array.from({ length: RANKS }, (_, index) => index + 1);
  return html`<svg class="chart wide" viewBox="0 0 ${WIDTH} 316" role="img"
    aria-label=${`Ranks of ${rows.length} stories by their number of articles over time`}>
    <${Axes} box=${{ ...BUMP, bottom: BUMP.bottom + 6 }} x=${x} y=${y} values=${all} from=${times[0]} to=${to} />
    ${rows.map(({ story, ranks }, number) => {
      const tone = LINES[number % LINES.length];
      const points = ranks.map((rank, index) => ({ rank, index })).filter((each) => each.rank !== null);
      const last = points.at(-1);
      const isShown = last.index === COLUMNS - 1;
      return html`<g class="rank" key=${story.id}>
        ${runs(points, (a, b) => b.index === a.index + 1).map((run) => html`<path key=${run[0].index} fill="none"
          stroke=${tone} stroke-width="2.5" stroke-linejoin="round" opacity=${isShown ? 1 : 0.35}
          d=${line(run.map((each) => [x(times[each.index]), y(each.rank)]))} />`)}
        <circle cx=${x(times[last.index])} cy=${y(last.rank)} r="4.5" fill=${tone} opacity=${isShown ? 1 : 0.35} />
        ${isShown && html`<text x=${BUMP.right + 10} y=${y(last.rank) + 4}>${clipped(story.title, 38)}</text>`}
      </g>`;
    })}
  </svg>`;
}

function Stories({ stories, category }) {
  const shown = largest(stories, category);
  if (shown.length === 0) {
    return html`<${Empty} title="There is no story yet."><p>Stories are made of the articles
      of <code>news.sources</code>, and of those that a back end pushes to <code>/api/news/articles</code>.</p><//>`;
  }
  const to = Math.max(...shown.map((story) => story.changed));
  const began = Math.min(to - 600_000, ...shown.map((story) => story.changes[0].time));
  const created = shown.map((story) => story.created);
  const last = Math.max(...created);
  return html`<h2>${count(shown.length)} stories by their beginning: the size is the number of articles</h2>
    <${Groups} stories=${shown} from=${Math.min(last - 600_000, ...created)} to=${last} />
    <h2>The first ${RANKS} by articles</h2>
    <${Ranks} stories=${shown} from=${began} to=${to} />
    <${Table} caption="Stories, the largest first" rows=${shown} keyOf=${(row) => row.id} columns=${[
      { name: "Story", value: (row) => row.title },
      { name: "Articles", number: true, value: (row) => row.count },
      { name: "Impact", value: (row) => html`<${Badge} state=${IMPACTS[row.impact] ?? ""}>${row.impact}<//>` },
      { name: "Ticker", value: (row) => row.ticker ?? "" },
      { name: "Began", value: (row) => moment(row.created) },
      { name: "Changed", value: (row) => moment(row.changed) },
    ]} />`;
}

export default function News() {
  const [category, choose] = useQuery("category");
  const found = useLoaded(read, []);
  const [live, setLive] = useState({ stories: null, changes: 0 });
  const isThere = found.value !== null && !found.value.isAbsent;
  const stream = useStream(isThere ? ["news:global", ...CATEGORIES.map((name) => `news:category:${name}`)] : [],
    ({ topic, data }) => {
      if (data?.type?.startsWith("news.story.")) {
        setLive(({ stories, changes }) => (
          { stories: take(stories ?? found.value.stories, topic, data), changes: changes + 1 }));
      }
    });
  const state = stream.state === "refused" ? `Not live: ${stream.problem.message}`
    : stream.state === "open" ? `Live: ${count(live.changes)} changes of stories since the page was opened`
      : "Connecting";
  return html`<${Loaded} from=${found} empty=${(value) => value.isAbsent
    && html`<${Empty} title="This hub collects no news."><p>Add the section <code>news</code> with sources to its
      configuration: docs/NEWS.md. The demo has one.</p><//>`}>
    ${(value) => html`<p class="soft" role="status">${state}</p>
      <div class="row"><label>Category<select value=${category} onChange=${(event) => choose(event.target.value)}>
        <option value="">all</option>
        ${CATEGORIES.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
      </select></label></div>
      <${Stories} stories=${live.stories ?? value.stories}
        category=${CATEGORIES.includes(category) ? category : ""} />`}
  <//>`;
}
