// The list of connections as it arrives: up to 10,000, two megabytes, every few seconds. It is read byte by byte, and
// what each connection adds to the picture goes into arrays of numbers. With texts and objects for all of them, the
// page's memory grew by fifty megabytes.

export const COUNT_MAX = 10_000;
const ROWS = 40;
const ID_BYTES = 64;
const COLOURS = ["--series-1", "--series-2", "--series-3", "--series-4", "--series-5"];
const [QUOTE, COMMA, BACKSLASH, OPEN, CLOSE, ZERO, NINE] = [...'",\\{}09'].map((each) => each.charCodeAt(0));
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const HEAD = encoder.encode('"connections":{');
const NAMES = Object.fromEntries(
  ["connected_at", "queued", "slow", "transport", "protocol"].map((name) => [name, encoder.encode(name)]),
);

/** The name of the way in which a connection receives publications. */
export function kind({ transport, protocol }) {
  const name = transport.replaceAll("_", " ");
  return transport.replaceAll("_", "") === protocol ? name : `${name}, ${protocol}`;
}

/** What the picture has of each connection; the first of them, and the chosen one, are kept whole. */
export class Connections {
  count = 0;
  age = new Float64Array(COUNT_MAX);
  queued = new Float64Array(COUNT_MAX);
  kind = new Uint8Array(COUNT_MAX);
  slow = new Uint8Array(COUNT_MAX);
  first = [];
  row = null;
  #ids = new Uint8Array(COUNT_MAX * ID_BYTES);
  #lengths = new Uint8Array(COUNT_MAX);
  #kinds = [];
  #chosen = new Uint8Array(0);
  #now = 0;

  /** Empties it, for a list that is read at a time in milliseconds. */
  clear(chosen, now) {
    Object.assign(this, { count: 0, first: [], row: null });
    this.#kinds = [];
    this.#chosen = encoder.encode(chosen);
    this.#now = now;
  }

  /** Adds an entry of a reader. */
  add({ bytes, id, whole, connectedAt, queued, isSlow, transport, protocol }) {
    const length = id[1] - id[0];
    if (this.count === COUNT_MAX || length > ID_BYTES) return;
    const index = this.count;
    this.count += 1;
    this.#lengths[index] = length;
    for (let at = 0; at < length; at += 1) this.#ids[index * ID_BYTES + at] = bytes[id[0] + at];
    this.age[index] = Math.max(0, this.#now / 1000 - connectedAt);
    this.queued[index] = queued;
    this.slow[index] = isSlow ? 1 : 0;
    this.kind[index] = this.#number(bytes, transport, protocol);
    const isChosen = equals(bytes, id, this.#chosen);
    if (index >= ROWS && !isChosen) return;
    const row = { ...JSON.parse(decoder.decode(bytes.subarray(...whole))), id: this.id(index), age: this.age[index] };
    if (index < ROWS) this.first.push(row);
    if (isChosen) this.row = row;
  }

  id(index) {
    const start = index * ID_BYTES;
    return decoder.decode(this.#ids.subarray(start, start + this.#lengths[index]));
  }

  /** The kinds of connections, the most frequent first: `[{name, number, colour, count}]`. */
  kinds() {
    return this.#kinds.map(({ name, count }, number) => ({ name, number, count }))
      .sort((a, b) => b.count - a.count)
      .map((each, index) => ({ ...each, colour: COLOURS[Math.min(index, COLOURS.length - 1)] }));
  }

  #number(bytes, transport, protocol) {
    let number = this.#kinds.findIndex((each) =>
      equals(bytes, transport, each.transport) && equals(bytes, protocol, each.protocol));
    if (number < 0) {
      const own = [transport, protocol].map((range) => bytes.slice(...range));
      const [first, second] = own.map((each) => decoder.decode(each));
      const name = kind({ transport: first, protocol: second });
      number = this.#kinds.push({ name, transport: own[0], protocol: own[1], count: 0 }) - 1;
    }
    this.#kinds[number].count += 1;
    return number;
  }
}

function equals(bytes, [start, end], other) {
  if (end - start !== other.length) return false;
  for (let at = 0; at < other.length; at += 1) if (bytes[start + at] !== other[at]) return false;
  return true;
}

/**
 * Reads the answer of the method `connections`, a piece at a time: `{"result":{"connections":{id: {…}, …},"total":…}}`.
 * The fields of a connection are numbers, texts, truth values or null. Places are ranges of `bytes`.
 */
export class ConnectionReader {
  bytes = null;
  id = [0, 0];
  whole = [0, 0];
  transport = [0, 0];
  protocol = [0, 0];
  connectedAt = 0;
  queued = 0;
  isSlow = false;
  #isInside = false;
  #at = 0;
  #end = 0;
  #name = [0, 0];

  /**
   * Reads as many entries as are whole, and calls `take(reader)` for each.
   *
   * @returns the number of bytes that were read; the next call begins with those after them.
   */
  read(bytes, end, take) {
    [this.bytes, this.#end, this.#at] = [bytes, end, 0];
    if (!this.#isInside) {
      while (!equals(bytes, [this.#at, this.#at + HEAD.length], HEAD)) {
        if (this.#at + HEAD.length > end) return 0;
        this.#at += 1;
      }
      this.#at += HEAD.length;
      this.#isInside = true;
    }
    for (;;) {
      const start = this.#at;
      if (this.#at < end && bytes[this.#at] === COMMA) this.#at += 1;
      if (!this.#entry()) return start;
      take(this);
    }
  }

  /** What follows the entries: `{total}`, or `{error}` of an answer that is no list; null if it is neither. */
  static end(text) {
    try {
      return JSON.parse(text.startsWith("}") ? text.replace(/^\},?/, "{").replace(/\}$/, "") : text);
    } catch {
      return null;
    }
  }

  #entry() {
    if (!this.#text(this.id)) return false;
    this.#at += 1;
    const start = this.#at;
    if (!(start < this.#end && this.bytes[start] === OPEN)) return false;
    while (this.#at < this.#end && this.bytes[this.#at] !== CLOSE) {
      this.#at += 1;
      if (!this.#field()) return false;
    }
    if (this.#at >= this.#end) return false;
    this.#at += 1;
    this.whole[0] = start;
    this.whole[1] = this.#at;
    return true;
  }

  #field() {
    const name = this.#name;
    if (!this.#text(name)) return false;
    this.#at += 1;
    if (this.#at >= this.#end) return false;
    const is = (wanted) => equals(this.bytes, name, NAMES[wanted]);
    if (this.bytes[this.#at] === QUOTE) {
      return this.#text(is("transport") ? this.transport : is("protocol") ? this.protocol : name);
    }
    const start = this.#at;
    let value = 0;
    let isWhole = true;
    for (; this.#at < this.#end; this.#at += 1) {
      const byte = this.bytes[this.#at];
      if (byte === COMMA || byte === CLOSE) break;
      isWhole &&= byte >= ZERO && byte <= NINE;
      if (isWhole) value = 10 * value + byte - ZERO;
    }
    if (is("connected_at")) this.connectedAt = value;
    else if (is("queued")) this.queued = value;
    else if (is("slow")) this.isSlow = this.bytes[start] === 0x74;
    return true;
  }

  /** Moves behind a text, and notes where it is, without its quotes. */
  #text(range) {
    if (!(this.#at < this.#end && this.bytes[this.#at] === QUOTE)) return false;
    let at = this.#at + 1;
    while (at < this.#end && this.bytes[at] !== QUOTE) at += this.bytes[at] === BACKSLASH ? 2 : 1;
    if (at >= this.#end) return false;
    range[0] = this.#at + 1;
    range[1] = at;
    this.#at = at + 1;
    return true;
  }
}
