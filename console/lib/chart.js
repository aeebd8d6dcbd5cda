// Pictures with an axis of time, in SVG at the width of the page: scales, ticks and the frame around them.

import { html, useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { moment } from "./format.js";

/** A linear scale from one interval to another. An empty interval is drawn at the middle. */
export function scale([from, to], [start, end]) {
  return (value) => (to === from ? (start + end) / 2 : start + ((value - from) / (to - from)) * (end - start));
}

/** The smallest and the largest of some numbers; null without any. */
export function extent(values) {
  let found = null;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    found = found === null ? [value, value] : [Math.min(found[0], value), Math.max(found[1], value)];
  }
  return found;
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800,
  604_800, 2_592_000].map((seconds) => seconds * 1000);

/**
 * At most `most` times at whole steps of the reader's clock.
 *
 * @returns `[{time, label}]`; the label is a day where the step is one or more.
 */
export function timeTicks([from, to], most = 8) {
  const step = STEPS.find((step) => (to - from) / step <= most) ?? STEPS.at(-1);
  const zone = new Date(from).getTimezoneOffset() * 60_000;
  const ticks = [];
  for (let time = Math.ceil((from - zone) / step) * step + zone; time <= to && ticks.length < most; time += step) {
    ticks.push({ time, label: timeLabel(time, step) });
  }
  return ticks;
}

function timeLabel(time, step) {
  const date = new Date(time);
  if (step >= 86_400_000) return date.toLocaleDateString([], { month: "short", day: "numeric" });
  const form = { hour: "2-digit", minute: "2-digit", hour12: false };
  return date.toLocaleTimeString([], step < 60_000 ? { ...form, second: "2-digit" } : form);
}

/** At most about `most` round numbers within an interval. */
export function ticks([from, to], most = 4) {
  if (!(to > from)) return [from];
  const raw = (to - from) / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw);
  const found = [];
  for (let index = Math.ceil(from / step); index * step <= to; index += 1) {
    found.push(Number((index * step).toPrecision(12)));
  }
  return found;
}

/** The points of a line that stays at its value until the next one, as the path of an SVG element. */
export function steps(points, x, y) {
  return points.map(([time, value], index) =>
    (index === 0 ? `M${f(x(time))} ${f(y(value))}` : `H${f(x(time))}V${f(y(value))}`)).join("");
}

const f = (number) => Number(number.toFixed(1));

/**
 * An SVG of the width that there is. Without a label it is not for screen readers.
 *
 * @param children a function of the width in pixels that returns the content.
 */
export function Chart({ label, height, children, onPick }) {
  const element = useRef(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  const pick = onPick && ((event) => onPick(event.clientX - element.current.getBoundingClientRect().left, width));
  return html`<div class="plot" ref=${element}>${width > 0 && html`<svg width=${width} height=${height} role="img"
    aria-label=${label} aria-hidden=${label === undefined ? "true" : undefined}
      onClick=${pick}>${children(width)}</svg>`}</div>`;
}

/** At the edges a label begins or ends at its line, so that it is not cut. */
function anchor(position, width) {
  if (position < 30) return "start";
  return position > width - 30 ? "end" : "middle";
}

/** The axis of time below a picture, with lines through it. `x` is the scale. */
export function TimeAxis({ span, x, top, bottom, width }) {
  const most = Math.max(2, Math.floor(width / 110));
  return html`<g class="axis">
    ${timeTicks(span, most).map(({ time, label }) => html`<g key=${time}>
      <line x1=${x(time)} x2=${x(time)} y1=${top} y2=${bottom} />
      <text x=${x(time)} y=${bottom + 15}
        text-anchor=${anchor(x(time), width)}>${label}<title>${moment(time)}</title></text></g>`)}
  </g>`;
}

/** What the colours of a picture mean: `items` are `[className, text]`. */
export function Legend({ items }) {
  return html`<p class="legend">${items.map(([kind, text]) => html`<span key=${kind}>
    <svg width="14" height="12" aria-hidden="true"><rect class=${kind} x="1" y="1" width="12" height="10"
      rx="2" /></svg>
    ${text}</span>`)}</p>`;
}

/** An SVG path through points `[x, y]`. */
export function line(points) {
  return points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

/** The SVG path of the area between two edges, `[x, y]` each, in the same order. */
export function area(upper, lower) {
  return upper.length === 0 ? "" : `${line([...upper, ...lower.toReversed()])}Z`;
}

/** Lists without a hole: what satisfies `isSame(before, next)` stays together. */
export function runs(items, isSame) {
  const found = [];
  items.forEach((item, index) => {
    if (index > 0 && isSame(items[index - 1], item)) found.at(-1).push(item);
    else found.push([item]);
  });
  return found;
}

/**
 * The lines and texts of a chart over time.
 *
 * @param box `{left, right, top, bottom}`; `x` and `y` are scales, `values` those of the lines across.
 */
export function Axes({ box, x, y, values, from, to, text = String }) {
  return html`${values.map((value) => html`<g key=${value}>
      <line x1=${box.left} x2=${box.right} y1=${y(value)} y2=${y(value)} stroke="var(--line)" />
      <text x=${box.left - 5} y=${y(value) + 4} text-anchor="end">${text(value)}</text></g>`)}
    ${timeTicks([from, to]).map(({ time, label }) => html`<g key=${time}>
      <line x1=${x(time)} x2=${x(time)} y1=${box.top} y2=${box.bottom} stroke="var(--line)" />
      <text x=${x(time)} y=${box.bottom + 18} text-anchor=${x(time) > box.right - 20 ? "end" : "middle"}>${label}</text>
    </g>`)}`;
}
