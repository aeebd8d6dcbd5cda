// Prometheus' text format, as `/metrics` has it.

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/**
 * The samples of the metrics whose names begin with a prefix: `[{name, labels, value}]`. Lines that are not samples
 * are passed over.
 */
export function samples(text, prefix) {
  return text.split("\n").filter((line) => line.startsWith(prefix)).flatMap((line) => {
    const found = SAMPLE.exec(line);
    if (found === null) return [];
    const value = Number(found[3].replace(/^([+-]?)Inf$/, "$1Infinity"));
    if (Number.isNaN(value) && found[3] !== "NaN") return [];
    const labels = Object.create(null);
    for (const [, name, quoted] of (found[2] ?? "").matchAll(LABEL)) {
      labels[name] = quoted.replace(/\\(.)/g, (_, sign) => (sign === "n" ? "\n" : sign));
    }
    return [{ name: found[1], labels, value }];
  });
}

/** The sum of a metric's samples with these labels; null if there is none. */
export function total(all, name, labels = {}) {
  const found = all.filter((each) => each.name === name
    && Object.entries(labels).every(([label, value]) => each.labels[label] === value));
  return found.length === 0 ? null : found.reduce((sum, each) => sum + each.value, 0);
}
