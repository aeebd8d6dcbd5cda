// Values as text. Every function takes a number or null and returns a string.

const units = ["", "k", "M", "G", "T"];

/** 1234 → "1.23 k"; null → "–". */
export function count(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  let power = 0;
  let rest = Math.abs(value);
  while (rest >= 1000 && power < units.length - 1) {
    rest /= 1000;
    power += 1;
  }
  if (power === 0) return Number.isInteger(value) ? String(value) : trimmed(value);
  return `${value < 0 ? "−" : ""}${trimmed(rest)} ${units[power]}`;
}

function trimmed(value) {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
}

/** Bytes in multiples of 1024. */
export function bytes(value) {
  if (value === null || value === undefined) return "–";
  const names = ["B", "KiB", "MiB", "GiB", "TiB"];
  let power = 0;
  let rest = value;
  while (Math.abs(rest) >= 1024 && power < names.length - 1) {
    rest /= 1024;
    power += 1;
  }
  return `${trimmed(rest)} ${names[power]}`;
}

/** Seconds as "85 µs", "2.4 ms", "3.1 s", "4 min", "2 h" or "3 d". */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const size = Math.abs(seconds);
  if (size < 1e-3) return `${trimmed(seconds * 1e6)} µs`;
  if (size < 1) return `${trimmed(seconds * 1e3)} ms`;
  if (size < 120) return `${trimmed(seconds)} s`;
  if (size < 7200) return `${Math.round(seconds / 60)} min`;
  if (size < 172_800) return `${trimmed(seconds / 3600)} h`;
  return `${trimmed(seconds / 86_400)} d`;
}

/** A time of day in the reader's zone, "14:03:27". */
export function clock(time) {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? "–" : date.toLocaleTimeString([], { hour12: false });
}

/** A date and a time of day in the reader's zone. */
export function moment(time) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "–";
  return date.toLocaleString([], { dateStyle: "medium", timeStyle: "medium", hour12: false });
}

/** A time for an input of the kind `datetime-local`, in the reader's zone. */
export function localInput(time, hasSeconds = false) {
  const zone = new Date(time).getTimezoneOffset() * 60_000;
  return new Date(time - zone).toISOString().slice(0, hasSeconds ? 19 : 16);
}

/** How long ago a time was: "12 s ago". */
export function ago(time, now = Date.now()) {
  const date = new Date(time);
  if (time === null || Number.isNaN(date.getTime())) return "never";
  const seconds = (now - date.getTime()) / 1000;
  return seconds < 0 ? `in ${duration(Math.round(-seconds))}` : `${duration(Math.round(seconds))} ago`;
}

/** A value as JSON text of at most `limit` characters. */
export function json(value, limit = 2000) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "";
  return text.length > limit ? `${text.slice(0, limit)} …` : text;
}
