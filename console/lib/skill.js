// How good the aurora's forecasts were, from the hub's metrics.

import { html } from "../vendor/preact-htm.js";
import { Empty, Loaded, Table } from "./parts.js";
import { useMetrics } from "./hooks.js";
import { samples } from "./metrics.js";

const PREFIX = "hub_aurora_forecast_";

/** The figures of a place: `[{lead, level, hours, events, climatology, persistence}]`, the shortest lead first. */
export function figures(text, place) {
  const rows = new Map();
  for (const { name, labels, value } of samples(text, PREFIX)) {
    if (labels.place !== place) continue;
    const key = `${labels.lead_hours} ${labels.level}`;
    const row = rows.get(key) ?? { lead: Number(labels.lead_hours), level: labels.level };
    if (name === `${PREFIX}hours`) row.hours = value;
    if (name === `${PREFIX}events`) row.events = value;
    if (name === `${PREFIX}skill`) row[labels.against] = value;
    rows.set(key, row);
  }
  return [...rows.values()].filter((row) => row.hours > 0).sort((a, b) => a.lead - b.lead);
}

const two = (value) => (value === undefined ? "–" : value.toFixed(2));

/** Forecasts of the last 60 days against what was measured. */
export function Skill({ place }) {
  const found = useMetrics(60);
  return html`<${Loaded} from=${found} empty=${(text) => figures(text, place).length === 0
    && html`<${Empty} title="No dark hour was forecast and measured yet."><p>Each dark hour adds to the figures; they
      cover 60 days. The rings in the chart compare the hours since this page was opened.</p><//>`}>
    ${(text) => html`<${Table} rows=${figures(text, place)} keyOf=${(row) => `${row.lead} ${row.level}`}
      caption="Skill of the forecasts of 60 days: 1 is perfect, 0 as good as climatology or persistence" columns=${[
        { name: "Lead", number: true, value: (row) => `${row.lead} h` },
        { name: "Level", value: (row) => row.level },
        { name: "Hours", number: true, value: (row) => row.hours },
        { name: "Events", number: true, value: (row) => row.events ?? 0 },
        { name: "Climatology", number: true, value: (row) => two(row.climatology) },
        { name: "Persistence", number: true, value: (row) => two(row.persistence) },
      ]} />`}
  <//>`;
}
