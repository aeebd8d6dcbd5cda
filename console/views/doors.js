// Doors: tables of what each door of this node does at present. The hub names the columns and their kinds, so that a
// door needs no view of its own.

import { html } from "../vendor/preact-htm.js";
import { Empty, Loaded, Table, Time } from "../lib/parts.js";
import { useRoute } from "../lib/hooks.js";
import { ago, count, duration } from "../lib/format.js";

const SECONDS = 2;
const NUMBERS = ["count", "duration"];

/** The text of a value of a column's kind, at a time in milliseconds. */
export function cell(kind, value, now) {
  if (value === null) return "–";
  if (kind === "count") return count(value);
  if (kind === "duration") return duration(value);
  return kind === "time" ? ago(value, now) : value;
}

function Door({ name, tables, now }) {
  return html`<section aria-label=${name}><h2>${name}</h2>
    ${tables.map((table) => html`<${Table} key=${table.title} caption=${table.title} rows=${table.rows}
      columns=${table.columns.map(({ name: title, kind }, index) => ({
        name: title,
        number: NUMBERS.includes(kind),
        value: (row) => (kind === "time" && row[index] !== null
          ? html`<${Time} at=${row[index]} text=${cell(kind, row[index], now)} />` : cell(kind, row[index], now)),
      }))} />
      ${table.rows_omitted > 0 && html`<p class="soft">${count(table.rows_omitted)} more rows are not sent.</p>`}`)}
  </section>`;
}

export default function Doors() {
  const doors = useRoute("/api/doors", SECONDS);
  return html`<${Loaded} from=${doors} empty=${(value) => value.doors.length === 0
      && html`<${Empty} title="This hub has no doors."><p>A door connects the hub with your own application. Each is on
        if the configuration has its section.</p><//>`}>
      ${(value) => value.doors.map((door) => html`<${Door} key=${door.name} ...${door} now=${Date.now()} />`)}<//>`;
}
