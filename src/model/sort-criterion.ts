/** Syntax of a sort criterion, independent of an index (relevance.md 5.5). */

import { isDecimal } from '../core/decimal-text.ts';

export type SortDirection = 'asc' | 'desc';

export type SortCriterion =
  | { readonly kind: 'field'; readonly path: string; readonly direction: SortDirection }
  | {
      readonly kind: 'geo';
      readonly lat: number;
      readonly lng: number;
      readonly direction: SortDirection;
    };

const CRITERION = /^([\s\S]+):(asc|desc)$/;
const GEO_POINT = /^_geoPoint\(([^,()]+),([^,()]+)\)$/;
const RESERVED =
  /^_((geo|geoDistance|geoPoint|geoRadius|geoBoundingBox|geoPolygon)(\(|$)|geojson$)/;
const LATITUDE_MAX = 90;
const LONGITUDE_MAX = 180;

/** Reserved names, which are never fields. */
export const isReservedField = (name: string): boolean => RESERVED.test(name);

const within = (text: string, bound: number): boolean =>
  isDecimal(text) && Math.abs(Number(text)) <= bound;

/** The criterion of a custom ranking rule `field:asc` or `field:desc`; null for other rules. */
export function customRuleCriterion(rule: string): SortCriterion | null {
  const [, path, direction] = CRITERION.exec(rule) ?? [];
  return path === undefined ? null : { kind: 'field', path, direction: direction as SortDirection };
}

export function parseSortCriterion(text: string): SortCriterion | { readonly problem: string } {
  const [, field, direction] = CRITERION.exec(text) ?? [];
  if (field === undefined)
    return { problem: 'it must end with `:asc` or `:desc` after an attribute' };
  const point = GEO_POINT.exec(field);
  if (point) {
    const [, lat = '', lng = ''] = point.map((part) => part.trim());
    if (!within(lat, LATITUDE_MAX) || !within(lng, LONGITUDE_MAX)) {
      return {
        problem: 'latitude must be a number from -90 to 90 and longitude one from -180 to 180',
      };
    }
    return {
      kind: 'geo',
      lat: Number(lat),
      lng: Number(lng),
      direction: direction as SortDirection,
    };
  }
  if (isReservedField(field))
    return { problem: 'only `_geoPoint(latitude, longitude)` sorts by place' };
  return { kind: 'field', path: field, direction: direction as SortDirection };
}
