// The swarm of the connections: the places of its points, and how they are drawn.

import { bytes, duration } from "./format.js";

export const HEIGHT = 340;
const MARGIN = { left: 64, right: 16, top: 14, bottom: 26 };
const RADIUS = 4;
const AGES = [1, 10, 60, 600, 3600, 36_000, 86_400, 864_000, 8_640_000];

/**
 * Moves points into a swarm: to a column at their x, and as near to their y as the points before them leave room.
 *
 * @param xs and `ys` in pixels, the places of the first `count` points. Points share a place only where a column is full.
 */
export function swarm(xs, ys, count, radius, [top, bottom]) {
  const size = 2 * radius;
  const rows = Math.max(1, Math.floor((bottom - top) / size));
  const taken = new Set();
  for (let index = 0; index < count; index += 1) {
    const column = Math.round(xs[index] / size);
    const row = Math.min(rows - 1, Math.max(0, Math.round((ys[index] - top) / size)));
    const free = freeRow(taken, column, row, rows);
    xs[index] = column * size;
    ys[index] = top + (free + 0.5) * size;
  }
}

function freeRow(taken, column, row, rows) {
  for (let distance = 0; distance < rows; distance += 1) {
    for (let side = -1; side <= 1; side += 2) {
      const at = row + side * distance;
      if (at < 0 || at >= rows || taken.has(column * rows + at)) continue;
      taken.add(column * rows + at);
      return at;
    }
  }
  return row;
}

/** The picture's places and scales for a width. */
export function layout({ count, age, queued }, width) {
  let [ageMax, queueMax] = [10, 1024];
  for (let index = 0; index < count; index += 1) {
    ageMax = Math.max(ageMax, age[index]);
    queueMax = Math.max(queueMax, queued[index]);
  }
  const [bottom, top] = [HEIGHT - MARGIN.bottom, MARGIN.top];
  const x = (age) => MARGIN.left + (Math.log1p(age) / Math.log1p(ageMax)) * (width - MARGIN.left - MARGIN.right);
  const y = (queued) => bottom - RADIUS - (Math.log1p(queued) / Math.log1p(queueMax)) * (bottom - top - 2 * RADIUS);
  const xs = new Float32Array(count);
  const ys = new Float32Array(count);
  for (let index = 0; index < count; index += 1) {
    xs[index] = x(age[index]);
    ys[index] = y(queued[index]);
  }
  swarm(xs, ys, count, RADIUS, [top, bottom]);
  return { xs, ys, count, x, y, ageMax, queueMax };
}

/** The number of the connection nearest to a place, within a few pixels; −1 if there is none. */
export function nearest([x, y], { xs, ys, count }) {
  let [found, least] = [-1, 100];
  for (let index = 0; index < count; index += 1) {
    const distance = (xs[index] - x) ** 2 + (ys[index] - y) ** 2;
    if (distance < least) [found, least] = [index, distance];
  }
  return found;
}

/**
 * Draws the swarm, and a ring around the slow connections and the chosen one.
 *
 * @param picture what `layout` returned for the connections.
 * @param chosen the number of the chosen connection, or −1.
 * @param colour the value of each name of a colour in the style sheet.
 */
export function draw(context, width, connections, picture, chosen, colour) {
  const { xs, ys, count } = picture;
  context.clearRect(0, 0, width, HEIGHT);
  drawScales(context, width, picture, colour);
  for (const { number, colour: each } of connections.kinds()) {
    context.fillStyle = colour(each);
    context.beginPath();
    for (let index = 0; index < count; index += 1) {
      if (connections.kind[index] === number) dot(context, xs[index], ys[index], RADIUS - 0.5);
    }
    context.fill();
  }
  context.lineWidth = 2;
  for (let index = 0; index < count; index += 1) {
    const isSlow = connections.slow[index] === 1;
    if (!isSlow && index !== chosen) continue;
    context.strokeStyle = colour(isSlow ? "--bad" : "--text");
    context.beginPath();
    dot(context, xs[index], ys[index], RADIUS + 1.5);
    context.stroke();
  }
}

function drawScales(context, width, { x, y, ageMax, queueMax }, colour) {
  context.font = "12px system-ui, sans-serif";
  context.strokeStyle = colour("--line");
  context.fillStyle = colour("--soft");
  context.textAlign = "right";
  for (const queued of [0, 1024, 65_536, 1_048_576].filter((each) => each <= queueMax)) {
    context.beginPath();
    context.moveTo(MARGIN.left, y(queued));
    context.lineTo(width - MARGIN.right, y(queued));
    context.stroke();
    context.fillText(bytes(queued), MARGIN.left - 6, y(queued) + 4);
  }
  context.textAlign = "center";
  for (const age of AGES.filter((each) => each <= ageMax)) context.fillText(duration(age), x(age), HEIGHT - 8);
}

function dot(context, x, y, radius) {
  context.moveTo(x + radius, y);
  context.arc(x, y, radius, 0, 2 * Math.PI);
}
