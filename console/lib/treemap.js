// A squarified treemap: rectangles with areas in proportion to weights, as near to squares as a greedy choice gets them
// (Bruls, Huizing, van Wijk: "Squarified Treemaps", 2000).

/**
 * The rectangles of weights within a box.
 *
 * @param weights positive numbers, the largest first.
 * @param box `{x, y, width, height}`.
 * @returns one box for each weight, in the same order.
 */
export function squarify(weights, box) {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total <= 0 || box.width <= 0 || box.height <= 0) return weights.map(() => ({ x: box.x, y: box.y, width: 0, height: 0 }));
  const areas = weights.map((weight) => (weight / total) * box.width * box.height);
  const boxes = [];
  let rest = { ...box };
  let start = 0;
  while (start < areas.length) {
    const side = Math.min(rest.width, rest.height);
    let end = start + 1;
    let sum = areas[start];
    let ratio = worst(areas[start], areas[start], sum, side);
    while (end < areas.length) {
      const next = worst(areas[start], areas[end], sum + areas[end], side);
      if (next > ratio) break;
      ratio = next;
      sum += areas[end];
      end += 1;
    }
    rest = place(areas.slice(start, end), sum, rest, boxes);
    start = end;
  }
  return boxes;
}

/** The worst ratio of sides in a row whose largest and smallest areas and their sum are given. */
function worst(largest, smallest, sum, side) {
  const square = side * side;
  return Math.max((square * largest) / (sum * sum), (sum * sum) / (square * smallest));
}

/** Puts a row along the shorter side; returns what is left of the box. */
function place(areas, sum, box, boxes) {
  const isTall = box.height > box.width;
  const depth = sum / (isTall ? box.width : box.height);
  let along = 0;
  for (const area of areas) {
    const length = area / depth;
    boxes.push(isTall
      ? { x: box.x + along, y: box.y, width: length, height: depth }
      : { x: box.x, y: box.y + along, width: depth, height: length });
    along += length;
  }
  return isTall
    ? { x: box.x, y: box.y + depth, width: box.width, height: box.height - depth }
    : { x: box.x + depth, y: box.y, width: box.width - depth, height: box.height };
}
