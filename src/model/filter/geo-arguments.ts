/** Arguments of `_geoRadius`, `_geoBoundingBox` and `_geoPolygon`. */

import type { FilterClock } from './filter-clock.ts';
import type { Coordinates, GeoCondition } from './filter-node.ts';
import type { FilterScanner } from './filter-scanner.ts';
import { numberOfText } from './number-of-text.ts';

const RESOLUTION_DEFAULT = 125;
const RESOLUTION_MIN = 3;
const RESOLUTION_MAX = 1000;
const CORNERS_MIN = 3;

export const GEO_FUNCTIONS: ReadonlyMap<
  string,
  (scanner: FilterScanner, column: number, clock: Pick<FilterClock, 'tick'>) => GeoCondition
> = new Map([
  ['_geoRadius', readRadius],
  ['_geoBoundingBox', readBox],
  ['_geoPolygon', readPolygon],
]);

function readRadius(scanner: FilterScanner, column: number): GeoCondition {
  scanner.expectSign('(');
  const center = readCoordinates(scanner);
  scanner.expectSign(',');
  const metres = readNumber(scanner, 'a radius in metres');
  const resolution = scanner.takeSign(',') ? readResolution(scanner) : RESOLUTION_DEFAULT;
  scanner.expectSign(')');
  return { kind: 'radius', column, center, metres, resolution };
}

function readResolution(scanner: FilterScanner): number {
  scanner.skipBlanks();
  const { at } = scanner;
  const expected = `a resolution from ${RESOLUTION_MIN} to ${RESOLUTION_MAX}`;
  const resolution = readNumber(scanner, expected);
  const isAllowed =
    Number.isInteger(resolution) && resolution >= RESOLUTION_MIN && resolution <= RESOLUTION_MAX;
  return isAllowed ? resolution : scanner.fail(expected, at);
}

function readBox(scanner: FilterScanner, column: number): GeoCondition {
  scanner.expectSign('(');
  const topRight = readPair(scanner);
  scanner.expectSign(',');
  scanner.skipBlanks();
  const { at } = scanner;
  const bottomLeft = readPair(scanner);
  scanner.expectSign(')');
  if (topRight.lat < bottomLeft.lat) {
    scanner.fail(
      `a bottom left corner below the top right one, whose latitude is ${topRight.lat}`,
      at,
    );
  }
  return {
    kind: 'box',
    column,
    north: topRight.lat,
    east: topRight.lng,
    south: bottomLeft.lat,
    west: bottomLeft.lng,
  };
}

function readPolygon(
  scanner: FilterScanner,
  column: number,
  clock: Pick<FilterClock, 'tick'>,
): GeoCondition {
  scanner.expectSign('(');
  const corners = [readPair(scanner)];
  while (scanner.takeSign(',') && !isAtClose(scanner)) {
    clock.tick();
    corners.push(readPair(scanner));
  }
  if (corners.length < CORNERS_MIN)
    scanner.fail(`at least ${CORNERS_MIN} corners \`[latitude, longitude]\``);
  scanner.expectSign(')');
  return { kind: 'polygon', column, corners };
}

function isAtClose(scanner: FilterScanner): boolean {
  scanner.skipBlanks();
  return scanner.text[scanner.at] === ')';
}

function readPair(scanner: FilterScanner): Coordinates {
  scanner.expectSign('[');
  const pair = readCoordinates(scanner);
  scanner.expectSign(']');
  return pair;
}

function readCoordinates(scanner: FilterScanner): Coordinates {
  const lat = readWithin(scanner, 'a latitude', 90);
  scanner.expectSign(',');
  return { lat, lng: readWithin(scanner, 'a longitude', 180) };
}

function readWithin(scanner: FilterScanner, what: string, max: number): number {
  scanner.skipBlanks();
  const { at } = scanner;
  const expected = `${what} from ${-max} to ${max}`;
  const value = readNumber(scanner, expected);
  return Math.abs(value) <= max ? value : scanner.fail(expected, at);
}

function readNumber(scanner: FilterScanner, expected: string): number {
  const isSigned = scanner.takeSign('+');
  const { text, at, isQuoted } = scanner.readWord(expected);
  const value = isQuoted || (isSigned && text.startsWith('-')) ? null : numberOfText(text);
  return value ?? scanner.fail(expected, at);
}
