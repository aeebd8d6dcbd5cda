// Latency: how long publications, round trips and commits took, as a heat map of time and duration.

import { html, useState } from "../vendor/preact-htm.js";
import { Canvas, Empty, Loaded, Table, colour } from "../lib/parts.js";
import { useQuery } from "../lib/hooks.js";
import { clock, count, duration } from "../lib/format.js";
import { quantile, useStatistics } from "../lib/statistics.js";

const MEASURES = { write: "Commit to write", ping: "Round trip of pings", commit: "Commit" };
const COLUMNS_MAX = 240;
const ROWS = 50;
const HEIGHT = 300;
const [LEFT, BOTTOM] = [64, 24];

/**
 * The cells of a heat map.
 *
 * @returns `{columns: [{time, counts, total}], rows: [first, last], most}`: times in milliseconds, the range of buckets
 *   that have counts, and the largest count. Neighbouring samples share a column if there are too many.
 */
export function heat(samples, name, columnsMax = COLUMNS_MAX) {
  const size = Math.max(1, Math.ceil(samples.length / columnsMax));
  const columns = [];
  let [first, last, most] = [Infinity, -1, 0];
  for (let start = 0; start < samples.length; start += size) {
    const group = samples.slice(start, start + size);
    const counts = [];
    for (const sample of group) {
      const each = sample[name] ?? [];
      for (let index = 0; index < each.length; index += 1) counts[index] = (counts[index] ?? 0) + each[index];
    }
    for (const [index, value] of counts.entries()) {
      if (!(value > 0)) continue;
      [first, last, most] = [Math.min(first, index), Math.max(last, index), Math.max(most, value)];
    }
    columns.push({ time: Date.parse(group.at(-1).time), counts, total: counts.reduce((sum, each) => sum + each, 0) });
  }
  return { columns, rows: [first, last], most };
}

/** The text of a bucket: its upper bound. */
export function bound(bounds, index) {
  return index < bounds.length ? duration(bounds[index]) : `over ${duration(bounds.at(-1))}`;
}

/** A cell from a place in the picture; null beside the cells. */
export function cellAt([x, y], map, width) {
  const [first, last] = map.rows;
  const column = Math.floor((x - LEFT) / ((width - LEFT) / map.columns.length));
  const row = last - Math.floor(y / ((HEIGHT - BOTTOM) / (last - first + 1)));
  return x < LEFT || row < first || row > last || !map.columns[column] ? null : { column, row };
}

function draw(context, width, map, bounds) {
  const [first, last] = map.rows;
  const [cellWidth, cellHeight] = [(width - LEFT) / map.columns.length, (HEIGHT - BOTTOM) / (last - first + 1)];
  context.clearRect(0, 0, width, HEIGHT);
  context.fillStyle = colour("--heat-1");
  map.columns.forEach(({ counts }, column) => {
    for (let row = first; row <= last; row += 1) {
      if (!counts[row]) continue;
      context.globalAlpha = 0.12 + 0.88 * (Math.log1p(counts[row]) / Math.log1p(map.most));
      const [x, y] = [LEFT + column * cellWidth, (last - row) * cellHeight];
      context.fillRect(x, y, Math.max(1, cellWidth - 0.5), cellHeight - 1);
    }
  });
  context.globalAlpha = 1;
  context.fillStyle = colour("--soft");
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "right";
  const step = Math.ceil((last - first + 1) / 10);
  for (let row = first; row <= last; row += step) {
    context.fillText(bound(bounds, row), LEFT - 6, (last - row + 0.5) * cellHeight + 4);
  }
  const ticks = Math.max(1, Math.ceil(map.columns.length / 6));
  context.textAlign = "center";
  for (let column = Math.floor(ticks / 2); column < map.columns.length; column += ticks) {
    context.fillText(clock(map.columns[column].time), LEFT + (column + 0.5) * cellWidth, HEIGHT - 7);
  }
}

const within = (seconds) => (seconds === Infinity ? "over 16 s" : duration(seconds));

function Heat({ name, samples, bounds }) {
  const [cell, setCell] = useState(null);
  const [width, setWidth] = useState(1);
  const map = heat(samples, name);
  if (map.most === 0) {
    return html`<${Empty} title="No such times in this span.">
      <p>Times appear when the hub publishes to subscribers, pings clients or commits.</p><//>`;
  }
  const shown = cell && map.columns[cell.column];
  const columns = [
    { name: "Time", value: (row) => clock(row.time) },
    { name: "Count", number: true, value: (row) => count(row.total) },
    ...[0.5, 0.9, 0.99].map((share) => ({
      name: `${share * 100} % within`,
      number: true,
      value: (row) => within(quantile(row.counts, bounds, share)),
    })),
  ];
  return html`<${Canvas} height=${HEIGHT} inputs=${[samples, name]}
      label=${`${MEASURES[name]}: ${map.columns.length} moments, durations ${map.rows
        .map((row) => bound(bounds, row)).join(" to ")}. The table has the numbers.`}
      draw=${(context, width) => { setWidth(width); draw(context, width, map, bounds); }}
      onPointer=${(at) => setCell(at && cellAt(at, map, width))} />
    <p class="soft">${shown
      ? `${clock(shown.time)}: ${count(shown.counts[cell.row] ?? 0)} within ${bound(bounds, cell.row)}`
      : "Darker cells have more times. Each row is twice as long as the one below."}</p>
    <${Table} caption=${`${MEASURES[name]}, newest first`} columns=${columns} keyOf=${(row) => row.time} limit=${ROWS}
      rows=${map.columns.filter(({ total }) => total > 0).reverse()} />`;
}

export default function Latency() {
  const [name, setName] = useQuery("of", "write");
  const [span, setSpan] = useQuery("span", "hour");
  const found = useStatistics(span === "day" ? "day" : "hour");
  const measure = Object.hasOwn(MEASURES, name) ? name : "write";
  const choice = (values, chosen, choose, label) => html`<div class="row" role="group" aria-label=${label}>
    ${Object.entries(values).map(([key, title]) => html`<button type="button" key=${key}
      aria-pressed=${String(key === chosen)} onClick=${() => choose(key)}>${title}</button>`)}</div>`;
  const none = ({ samples }) => samples.length === 0 && html`<${Empty} title="The first samples come now.">
    <p>The hub takes a sample each second only while a client reads them, and one each minute always.</p><//>`;
  return html`${choice(MEASURES, measure, setName, "Measure")}
    ${choice({ hour: "Last hour", day: "Last day" }, span === "day" ? "day" : "hour", setSpan, "Span")}
    <${Loaded} from=${found} empty=${none}>
      ${({ samples, bounds }) => html`<${Heat} name=${measure} samples=${samples} bounds=${bounds} />`}<//>`;
}
