/**
 * Places on the Earth as latitude and longitude in degrees. Distances are great circles on a sphere of the mean radius
 * (haversine; Sinnott, "Virtues of the Haversine", 1984): at most 0.56 % beside those on the ellipsoid.
 */
import { SqlError } from '../../errors.ts';
import type { ScalarFunction } from '../function.ts';

/** Metres: the mean radius of the IUGG. */
const EARTH_RADIUS = 6_371_008.8;
const DEGREE = Math.PI / 180;
/** Degrees that a box is wider than its circle: more than what rounding makes of a coordinate. */
const MARGIN = 1e-7;

const LATITUDE_MAX = 90;
const LONGITUDE_MAX = 180;

const isPlace = (latitude: number, longitude: number): boolean =>
  Math.abs(latitude) <= LATITUDE_MAX && Math.abs(longitude) <= LONGITUDE_MAX;

/** @throws SqlError 22023 naming the value. */
function checkPlace(latitude: number, longitude: number): void {
  checkCoordinate('latitude', latitude, LATITUDE_MAX);
  checkCoordinate('longitude', longitude, LONGITUDE_MAX);
}

function checkCoordinate(name: string, value: number, most: number): void {
  if (Math.abs(value) <= most) return;
  throw new SqlError('invalid_parameter_value', `${name} ${value} is not between -${most} and ${most}`, {
    hint: 'Latitude comes first, both are in degrees.',
  });
}

function checkRadius(radius: number): void {
  if (radius >= 0) return;
  throw new SqlError('invalid_parameter_value', `radius ${radius} is negative or no number`);
}

/** In metres. */
function distance(
  latitude: number,
  longitude: number,
  otherLatitude: number,
  otherLongitude: number,
): number {
  const north = Math.sin(((otherLatitude - latitude) * DEGREE) / 2);
  const east = Math.sin(((otherLongitude - longitude) * DEGREE) / 2);
  const cosines = Math.cos(latitude * DEGREE) * Math.cos(otherLatitude * DEGREE);
  return 2 * EARTH_RADIUS * Math.asin(Math.sqrt(Math.min(1, north * north + cosines * east * east)));
}

function geoDistance(
  latitude: number,
  longitude: number,
  otherLatitude: number,
  otherLongitude: number,
): number {
  checkPlace(latitude, longitude);
  checkPlace(otherLatitude, otherLongitude);
  return distance(latitude, longitude, otherLatitude, otherLongitude);
}

/** NULL for what is no place: it is neither within nor without. */
function withinCircle(
  latitude: number,
  longitude: number,
  ...[centreLatitude, centreLongitude, radius]: [number, number, number]
): boolean | null {
  checkPlace(centreLatitude, centreLongitude);
  checkRadius(radius);
  if (!isPlace(latitude, longitude)) return null;
  return distance(latitude, longitude, centreLatitude, centreLongitude) <= radius;
}

/** From west to east, which may cross the antimeridian. */
function withinBox(
  latitude: number,
  longitude: number,
  ...[south, west, north, east]: [number, number, number, number]
): boolean | null {
  checkPlace(south, west);
  checkPlace(north, east);
  if (!isPlace(latitude, longitude)) return null;
  const isBetween =
    west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east;
  return latitude >= south && latitude <= north && isBetween;
}

type Side = 'south' | 'north' | 'west' | 'east';
const SIDES: readonly Side[] = ['south', 'north', 'west', 'east'];

/**
 * A side of a box that holds the whole circle. A circle around a pole holds all longitudes; one across the
 * antimeridian is not between two of them, and gets all as well.
 */
function circleBound(name: string, latitude: number, longitude: number, radius: number): number {
  const side = SIDES.find((one) => one === name);
  if (side === undefined) {
    throw new SqlError('invalid_parameter_value', `a circle has no side "${name}"`, {
      hint: `Sides are ${SIDES.join(', ')}.`,
    });
  }
  checkPlace(latitude, longitude);
  checkRadius(radius);
  const angle = radius / EARTH_RADIUS;
  const [south, north] = [latitude - angle / DEGREE - MARGIN, latitude + angle / DEGREE + MARGIN];
  if (side === 'south') return Math.max(-LATITUDE_MAX, south);
  if (side === 'north') return Math.min(LATITUDE_MAX, north);
  const hasPole = south <= -LATITUDE_MAX || north >= LATITUDE_MAX;
  const reach = hasPole ? 0 : Math.asin(Math.min(1, Math.sin(angle) / Math.cos(latitude * DEGREE)));
  const [west, east] = [longitude - reach / DEGREE - MARGIN, longitude + reach / DEGREE + MARGIN];
  const all = hasPole || west < -LONGITUDE_MAX || east > LONGITUDE_MAX;
  if (side === 'west') return all ? -LONGITUDE_MAX : west;
  return all ? LONGITUDE_MAX : east;
}

const numbers = (count: number): string[] => new Array<string>(count).fill('float8');

export const GEO_FUNCTIONS: readonly ScalarFunction[] = [
  {
    name: 'geo_distance',
    args: numbers(4),
    returns: 'float8',
    summary: 'Metres between two places, each latitude and longitude in degrees, along the great circle.',
    example: ['SELECT round(geo_distance(52.52, 13.405, 48.8566, 2.3522))', '877465'],
    evaluate: geoDistance,
  },
  {
    name: 'within',
    args: numbers(5),
    returns: 'bool',
    summary:
      'Whether a place (latitude, longitude) is at most so many metres from a centre; an ordered index helps.',
    example: ['SELECT within(52.52, 13.405, 48.8566, 2.3522, 900000)', 't'],
    evaluate: withinCircle,
  },
  {
    name: 'within',
    args: numbers(6),
    returns: 'bool',
    summary: 'Whether a place (latitude, longitude) lies between south, west, north and east.',
    example: ['SELECT within(-17.7, -179.5, -20, 170, -10, -170)', 't'],
    evaluate: withinBox,
  },
  {
    name: 'geo_bound',
    args: ['text', ...numbers(3)],
    returns: 'float8',
    summary: 'The south, north, west or east side, in degrees, of a box around a circle of so many metres.',
    example: ["SELECT round(geo_bound('north', 52.52, 13.405, 111195)::numeric, 3)", '53.520'],
    evaluate: circleBound,
  },
];
