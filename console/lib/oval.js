// The map of the aurora's oval around a pole: land, night, oval, places.

import { html, useRef } from "../vendor/preact-htm.js";
import { Canvas, Table, colour } from "./parts.js";
import { elevation, glow, project, ridge, sunAt, unproject } from "./sky.js";
import { COAST } from "./coast.js";

const HEIGHT = 500;
/** The latitude at the edge of the map. */
const EDGE = 40;

function drawGround(context, map) {
  context.beginPath();
  context.arc(map.x, map.y, map.radius, 0, 2 * Math.PI);
  context.fillStyle = colour("--raised");
  context.fill();
  context.clip();
  context.beginPath();
  for (const coast of COAST) {
    let [x, y] = [0, 0];
    for (let index = 0; index < coast.length; index += 2) {
      x += coast[index];
      y += coast[index + 1];
      const point = project(map, y / 10, x / 10);
      if (index === 0) context.moveTo(...point);
      else context.lineTo(...point);
    }
    context.closePath();
  }
  context.fillStyle = colour("--line");
  context.strokeStyle = colour("--soft");
  context.lineWidth = 0.7;
  context.fill();
  context.stroke();
}

/** The night and the oval, two pixels for each of their own: they are smooth. */
function drawSky(context, map, columns, sun) {
  const size = Math.ceil(map.radius);
  const picture = new ImageData(size, size);
  const intensity = glow(columns);
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      const [x, y] = [map.x - map.radius + 2 * column + 1, map.y - map.radius + 2 * row + 1];
      if (Math.hypot(x - map.x, y - map.y) > map.radius) continue;
      const [latitude, longitude] = unproject(map, x, y);
      const night = 0.55 * Math.min(1, Math.max(0, -elevation(latitude, longitude, sun) / 12));
      const green = Math.min(0.92, 1.1 * Math.sqrt(intensity(latitude, longitude)));
      const alpha = green + night * (1 - green);
      const mix = alpha === 0 ? 0 : green / alpha;
      const at = 4 * (row * size + column);
      picture.data[at] = 12 + mix * 28;
      picture.data[at + 1] = 24 + mix * 178;
      picture.data[at + 2] = 54 + mix * 66;
      picture.data[at + 3] = 255 * alpha;
    }
  }
  const layer = new OffscreenCanvas(size, size);
  layer.getContext("2d").putImageData(picture, 0, 0);
  context.drawImage(layer, map.x - map.radius, map.y - map.radius, 2 * map.radius, 2 * map.radius);
}

/** Text with an edge in the colour of the ground, so that it can be read on land, night and oval. */
function label(context, text, x, y) {
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.strokeStyle = colour("--ground");
  context.strokeText(text, x, y);
  context.fillStyle = colour("--text");
  context.fillText(text, x, y);
}

function drawGrid(context, map, sun) {
  context.strokeStyle = colour("--soft");
  context.lineWidth = 0.5;
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let latitude = EDGE; latitude < 90; latitude += 10) {
    context.beginPath();
    context.arc(map.x, map.y, ((90 - latitude) / (90 - EDGE)) * map.radius, 0, 2 * Math.PI);
    context.stroke();
  }
  for (let longitude = -180; longitude < 180; longitude += 30) {
    context.beginPath();
    context.moveTo(...project(map, map.pole * 80, longitude));
    context.lineTo(...project(map, map.pole * EDGE, longitude));
    context.stroke();
  }
  const beyond = EDGE - 3.4;
  for (let longitude = -150; longitude <= 180; longitude += 30) {
    const name = longitude === 0 ? "0°" : longitude === 180 ? "180°"
      : `${Math.abs(longitude)}° ${longitude < 0 ? "W" : "E"}`;
    label(context, name, ...project(map, map.pole * beyond, longitude));
  }
  for (const latitude of [50, 60, 70, 80]) {
    label(context, `${latitude}°`, ...project(map, map.pole * latitude, map.down + 45));
  }
  const [x, y] = project(map, map.pole * (EDGE + 2.5), sun.longitude);
  context.beginPath();
  context.arc(x, y, 7, 0, 2 * Math.PI);
  context.fillStyle = colour("--series-5");
  context.fill();
}

/**
 * The map; a press on a place chooses it.
 *
 * @param oval the data of `aurora.oval.updated`.
 * @param places `{id, data}`, the data of `aurora.conditions.updated`.
 */
export function Oval({ oval, places, chosen, choose }) {
  const dots = useRef([]);
  const columns = ridge(oval.coordinates);
  const sun = sunAt(oval.timestamp);
  const home = places.find((each) => each.id === chosen) ?? places[0];
  const pole = (columns[0]?.latitude ?? home?.data.location.lat ?? 1) < 0 ? -1 : 1;
  const down = home?.data.location.lon ?? 0;
  const draw = (context, width, height) => {
    const map = { x: width / 2, y: height / 2, radius: Math.min(width, height) / 2 - 30, edge: EDGE, pole, down };
    context.clearRect(0, 0, width, height);
    context.save();
    drawGround(context, map);
    drawSky(context, map, columns, sun);
    context.restore();
    drawGrid(context, map, sun);
    context.textAlign = "left";
    dots.current = places.filter(({ data }) => map.pole * data.location.lat >= EDGE).map(({ id, data }) => {
      const [x, y] = project(map, data.location.lat, data.location.lon);
      context.beginPath();
      context.arc(x, y, id === chosen ? 7 : 5, 0, 2 * Math.PI);
      context.fillStyle = colour("--series-2");
      context.strokeStyle = colour("--ground");
      context.lineWidth = 2;
      context.fill();
      context.stroke();
      label(context, `${data.location.name} ${data.score}`, x + 11, y);
      return { id, x, y };
    });
  };
  const pick = ([x, y]) => {
    const found = dots.current.find((dot) => Math.hypot(dot.x - x, dot.y - y) < 16);
    if (found) choose(found.id);
  };
  const text = `The oval around the ${pole > 0 ? "north" : "south"} pole, at ${columns.length} longitudes, `
    + `and ${places.length} places`;
  return html`<${Canvas} label=${text} height=${HEIGHT} draw=${draw} onPick=${pick}
    inputs=${[oval.timestamp, chosen, JSON.stringify(places.map(({ id, data }) => [id, data.score]))]} />`;
}

const degrees = (value) => `${Math.abs(value)}°${value === 0 ? "" : value < 0 ? " S" : " N"}`;

/** The same as numbers. */
export function OvalTable({ oval }) {
  return html`<${Table} caption="The oval by longitude" rows=${ridge(oval.coordinates)}
    keyOf=${(row) => row.longitude} columns=${[
      { name: "Longitude", number: true, value: (row) => `${row.longitude}°` },
      { name: "Brightest at", number: true, value: (row) => degrees(row.latitude) },
      { name: "Half of it from", number: true, value: (row) => degrees(row.south) },
      { name: "to", number: true, value: (row) => degrees(row.north) },
      { name: "Intensity", number: true, value: (row) => `${Math.round(100 * row.intensity)} %` },
    ]} />`;
}
