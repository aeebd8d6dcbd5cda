// The sun, a polar map and the aurora's oval as numbers. Degrees; values in, values out.

const RADIAN = Math.PI / 180;
const J2000 = Date.UTC(2000, 0, 1, 12);
const DAY = 86_400_000;
/** The half-width of a band whose edge the data do not have. */
const WIDTH_DEGREES = 3;

/** The point with the sun overhead: `{latitude, longitude}`, to about 0.1° (Meeus, chapter 25, low precision). */
export function sunAt(time) {
  const days = (new Date(time).getTime() - J2000) / DAY;
  const anomaly = (357.529 + 0.98560028 * days) * RADIAN;
  const ecliptic = (280.459 + 0.98564736 * days + 1.915 * Math.sin(anomaly) + 0.02 * Math.sin(2 * anomaly)) * RADIAN;
  const tilt = 23.439 * RADIAN;
  const ascension = Math.atan2(Math.cos(tilt) * Math.sin(ecliptic), Math.cos(ecliptic)) / RADIAN;
  const sidereal = 280.46062 + 360.98564737 * days;
  return {
    latitude: Math.asin(Math.sin(tilt) * Math.sin(ecliptic)) / RADIAN,
    longitude: wrapped(ascension - sidereal),
  };
}

/** A longitude from −180 up to 180. */
export function wrapped(longitude) {
  return longitude - 360 * Math.floor((longitude + 180) / 360);
}

/** The sun's height above the horizon of a place. */
export function elevation(latitude, longitude, sun) {
  const [a, b] = [latitude * RADIAN, sun.latitude * RADIAN];
  const angle = (longitude - sun.longitude) * RADIAN;
  return Math.asin(Math.sin(a) * Math.sin(b) + Math.cos(a) * Math.cos(b) * Math.cos(angle)) / RADIAN;
}

/** The score's factor of darkness (protocol/aurora.md): 0 above −6°, 1 below −12°. */
export function darkness(height) {
  const dusk = Math.min(1, Math.max(0, (-6 - height) / 6));
  return dusk * dusk * (3 - 2 * dusk);
}

/**
 * A map around a pole: equal distances along meridians, `down` the meridian that points down.
 *
 * @param map `{x, y, radius}` of the circle, `edge`: its latitude without a sign, `pole` 1 or −1, `down`.
 */
export function project(map, latitude, longitude) {
  const distance = ((90 - map.pole * latitude) / (90 - map.edge)) * map.radius;
  const angle = (longitude - map.down) * RADIAN;
  return [map.x + map.pole * distance * Math.sin(angle), map.y + distance * Math.cos(angle)];
}

/** The latitude and the longitude of a point of the map. */
export function unproject(map, x, y) {
  const [dx, dy] = [(x - map.x) * map.pole, y - map.y];
  const latitude = map.pole * (90 - (Math.hypot(dx, dy) / map.radius) * (90 - map.edge));
  return [latitude, wrapped(Math.atan2(dx, dy) / RADIAN + map.down)];
}

/**
 * The oval by longitude: `[{longitude, latitude, intensity, south, north}]`, the brightest cell and the latitudes at
 * which the value has fallen to half.
 */
export function ridge(points) {
  const columns = new Map();
  for (const point of points) columns.set(point.lon, [...(columns.get(point.lon) ?? []), point]);
  return [...columns].map(([longitude, column]) => {
    const top = column.reduce((best, each) => (each.intensity > best.intensity ? each : best));
    const latitudes = column.map((each) => each.lat);
    return {
      longitude,
      latitude: top.lat,
      intensity: top.intensity,
      south: Math.min(...latitudes, top.lat),
      north: Math.max(...latitudes, top.lat),
    };
  }).sort((a, b) => a.longitude - b.longitude);
}

/**
 * The function of the aurora's intensity at a latitude and a longitude: between the columns of a ridge along a
 * straight line, away from it half at the edges.
 */
export function glow(columns) {
  if (columns.length === 0) return () => 0;
  const ring = [...columns, { ...columns[0], longitude: columns[0].longitude + 360 }];
  return (latitude, longitude) => {
    const east = longitude < ring[0].longitude ? longitude + 360 : longitude;
    let index = 0;
    while (index < ring.length - 2 && ring[index + 1].longitude <= east) index += 1;
    const [a, b] = [ring[index], ring[index + 1]];
    // Not across a part of the Earth without an oval.
    if (b.longitude - a.longitude > 45) return 0;
    const part = (east - a.longitude) / (b.longitude - a.longitude);
    const between = (name) => a[name] + part * (b[name] - a[name]);
    const away = latitude - between("latitude");
    const width = away < 0 ? between("latitude") - between("south") : between("north") - between("latitude");
    const share = away / (width > 0 ? width : WIDTH_DEGREES);
    return between("intensity") * 2 ** -(share * share);
  };
}
