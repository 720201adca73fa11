/** within() and geo_distance() beside naive code, over airports and over places near poles and the antimeridian. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../../src/seeded-random.ts';
import { TestDatabase, type TestSession } from '../fixtures/database.ts';

const AIRPORTS = join(import.meta.dirname, '../../../shared/data/structured/vega-airports.csv');

let database: TestDatabase;
let session: TestSession;
const places: (readonly [latitude: number, longitude: number])[] = [];

beforeAll(async () => {
  const random = seededRandom(3);
  const lines = readFileSync(AIRPORTS, 'utf8').trim().split('\n').slice(1);
  for (const line of lines) {
    const [latitude, longitude] = line.split(',').slice(-2).map(Number);
    places.push([latitude as number, longitude as number]);
  }
  for (let i = 0; i < 1500; i++) places.push([random() * 180 - 90, random() * 360 - 180]);
  for (let i = 0; i < 200; i++) {
    places.push([random() * 20 - 10, 175 + random() * 5], [random() * 20 - 10, -180 + random() * 5]);
    places.push([85 + random() * 5, random() * 360 - 180], [-90 + random() * 5, random() * 360 - 180]);
  }
  places.push([90, 0], [-90, 13], [0, 180], [0, -180], [0, 0]);
  database = await TestDatabase.open({ settings: { headRows: 2000 } });
  session = await database.session();
  await session.rows('CREATE TABLE airports (id int PRIMARY KEY, latitude float8, longitude float8)');
  for (let from = 0; from < places.length; from += 500) {
    const rows = places.slice(from, from + 500).map(([a, b], i) => `(${from + i}, ${a}, ${b})`);
    await session.rows(`INSERT INTO airports VALUES ${rows.join()}`);
  }
  await session.rows('CREATE INDEX ON airports (latitude); CREATE INDEX ON airports (longitude)');
});

afterAll(async () => {
  await database.close();
});

/** By the angle between two directions, another way than the haversine. */
function metres([a, b]: readonly [number, number], [c, d]: readonly [number, number]): number {
  const direction = (latitude: number, longitude: number): readonly [number, number, number] => {
    const [phi, lambda] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180];
    return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
  };
  const [x, y] = [direction(a, b), direction(c, d)];
  const chord = Math.hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
  return 2 * 6_371_008.8 * Math.asin(Math.min(1, chord / 2));
}

const CENTRES: readonly (readonly [number, number, number])[] = [
  [40.7, -74, 100_000],
  [0, 180, 500_000],
  [5, -179.9, 300_000],
  [89.9, 40, 200_000],
  [-89, -120, 400_000],
  [90, 0, 300_000],
  [61, -150, 5_000_000],
  [0, 0, 0],
  [12, 77, 20_100_000],
];

it.each(CENTRES)('finds what lies around %d, %d', async (latitude, longitude, radius) => {
  const near = places.flatMap((place, id) => {
    const away = metres(place, [latitude, longitude]);
    // A point on the circle may go either way.
    return Math.abs(away - radius) < 0.001 && radius > 0 ? [] : [{ id, isWithin: away <= radius + 1e-6 }];
  });
  const text = `SELECT id FROM airports WHERE within(latitude, longitude, ${latitude}, ${longitude}, ${radius})`;
  const found = new Set((await session.rows(text)).map(([id]) => Number(id)));
  for (const { id, isWithin } of near) expect([id, found.has(id)]).toEqual([id, isWithin]);
  await session.rows("SET quern.disabled_rules = 'all'");
  expect(new Set((await session.rows(text)).map(([id]) => Number(id)))).toEqual(found);
  await session.rows('RESET quern.disabled_rules');
});

it('tells distances as naive code does', async () => {
  const rows = await session.rows('SELECT id, geo_distance(latitude, longitude, 51.5, -0.12) FROM airports');
  for (const [id, distance] of rows) {
    const away = metres(places[Number(id)] as readonly [number, number], [51.5, -0.12]);
    expect(Math.abs(Number(distance) - away)).toBeLessThan(0.01);
  }
});

it.each(['40.7, -74, 50000', '$1, $2, $3'])('looks at few rows by an ordered index: %s', async (circle) => {
  const types = circle.startsWith('$') ? '(float8, float8, float8)' : '';
  await session.rows(`PREPARE near${types} AS SELECT count(*) FROM airports
    WHERE within(latitude, longitude, ${circle})`);
  const run = `EXECUTE near${types === '' ? '' : '(40.7, -74, 50000)'}`;
  const plan = (await session.rows(`EXPLAIN (COSTS OFF) ${run}`)).map(([line]) => line).join('\n');
  expect(plan).toContain('Index Scan using airports_l');
  const expected = places.filter((place) => metres(place, [40.7, -74]) <= 50_000).length;
  expect(await session.rows(run)).toEqual([[String(expected)]]);
  await session.rows('DEALLOCATE near');
});
