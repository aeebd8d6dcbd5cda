// The statistics of the hub: what is loaded, what comes each second, and what is derived from both.

import { useRef, useState } from "../vendor/preact-htm.js";
import { useLoaded, useStream, useVisible } from "./hooks.js";
import { load } from "./session.js";

const TOPIC = "hub:stats";
const SECONDS_MAX = 3600;

/** Samples in the order of time, each once, at most `most`: the newest stay. */
export function joined(loaded, arrived, most = SECONDS_MAX) {
  const last = loaded.length === 0 ? "" : loaded.at(-1).time;
  return [...loaded, ...arrived.filter((sample) => sample.time > last)].slice(-most);
}

/**
 * The statistics of a span, `hour` or `day`: `{value: {samples, bounds, interval}, problem, reload, stream}`. Those of
 * the hour go on by `hub:stats`; after a gap they are loaded again. A page that is hidden reads nothing, so that the hub
 * makes no samples for it.
 */
export function useStatistics(span) {
  const isVisible = useVisible();
  const found = useLoaded(
    (signal) => load(`/api/stats?span=${span}`, { signal }), [span, isVisible], span === "day" ? 60 : 0,
  );
  const arrived = useRef([]);
  const [, setCount] = useState(0);
  const stream = useStream(span === "hour" && isVisible ? [TOPIC] : [], ({ topic, data }) => {
    if (topic !== TOPIC || typeof data?.time !== "string") return;
    arrived.current = [...arrived.current, data].slice(-SECONDS_MAX);
    setCount((count) => count + 1);
  }, { gap: found.reload });
  const value = found.value && { ...found.value, samples: joined(found.value.samples, arrived.current) };
  return { ...found, value, stream };
}

const times = new WeakMap();

/** The time of a sample in milliseconds, read from its text only once: an hour has 3,600 samples. */
function at(sample) {
  let time = times.get(sample);
  if (time === undefined) times.set(sample, time = Date.parse(sample.time));
  return time;
}

// The values of samples are functions of the samples and an index: an hour has 3,600, and objects for all of them,
// again each second, would be most of the page's memory.

/** What a counter had in each second of its interval. */
export function rate(name, interval) {
  return (samples, index) => {
    const since = index === 0 ? Infinity : (at(samples[index]) - at(samples[index - 1])) / 1000;
    // After a pause, a sample has only its own interval.
    return samples[index][name] / (since > 0 && since < 5 * interval ? since : interval);
  };
}

/** The states of a field; null where it is missing. */
export function state(name) {
  return (samples, index) => samples[index][name] ?? null;
}

/** The upper bound of the bucket in which a share of the counts is reached; null without any count. */
export function quantile(counts, bounds, share) {
  const total = (counts ?? []).reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let sum = 0;
  for (let index = 0; index < counts.length; index += 1) {
    sum += counts[index];
    if (sum >= share * total) return bounds[index] ?? Infinity;
  }
  return Infinity;
}

/** A quantile of the times of each sample. */
export function share(name, bounds, part) {
  return (samples, index) => quantile(samples[index][name], bounds, part);
}

/**
 * At most about `most` points `{time, value}`, times in milliseconds, each with the largest value of its part of the
 * time: a peak stays. Parts begin at multiples of their length, so that a point does not change when the next ones come.
 */
export function points(samples, value, most) {
  const found = [];
  if (samples.length === 0) return found;
  const span = at(samples.at(-1)) - at(samples[0]);
  const length = samples.length <= most ? 0 : Math.ceil(span / most / 1000) * 1000;
  let last = null;
  for (let index = 0; index < samples.length; index += 1) {
    const time = at(samples[index]);
    const part = length === 0 ? index : Math.floor(time / length);
    const next = value(samples, index);
    if (part !== last) found.push({ time, value: next });
    else if (Number.isFinite(next) && !(found.at(-1).value >= next)) found.at(-1).value = next;
    last = part;
  }
  return found;
}

/** An SVG path through values in a box of `width` × `height`; missing values interrupt it. */
export function spark(points, width, height) {
  const known = points.filter(({ value }) => Number.isFinite(value));
  if (known.length < 2) return "";
  const [from, to] = [points[0].time, points.at(-1).time];
  const most = Math.max(...known.map(({ value }) => value)) || 1;
  let isOpen = false;
  return points.map(({ time, value }) => {
    if (!Number.isFinite(value)) return (isOpen = false) || "";
    const x = ((time - from) / (to - from || 1)) * width;
    const y = height - 1 - (value / most) * (height - 2);
    const step = `${isOpen ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
    isOpen = true;
    return step;
  }).join("");
}
