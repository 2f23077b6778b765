/**
 * The filter grammar: every production, its limits, and errors that name the column and what was
 * expected.
 */
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../../src/core/errors.ts';
import { filterForm } from '../../../../src/model/filter/filter-form.ts';
import type { FilterNode } from '../../../../src/model/filter/filter-node.ts';
import { numberOfText } from '../../../../src/model/filter/number-of-text.ts';
import { parseFilter } from '../../../../src/model/filter/parse-filter.ts';

const parse = (filter: unknown, hasFeatures = true): FilterNode | null =>
  parseFilter(filterForm(filter, 'invalid_search_filter'), 'invalid_search_filter', {
    containsFilter: hasFeatures,
    multimodal: hasFeatures,
    foreignKeys: hasFeatures,
  });

/** Compact text of a tree. */
function shown(node: FilterNode | null): string {
  if (node === null) return 'everything';
  switch (node.kind) {
    case 'and':
    case 'or':
      return `(${node.children.map(shown).join(` ${node.kind} `)})`;
    case 'not':
      return `not ${shown(node.child)}`;
    case 'values':
      return `${node.attribute} ${node.operator} ${JSON.stringify(node.values)}`;
    case 'foreign':
      return `${node.attribute} names (${shown(node.filter)})`;
    case 'comparison':
    case 'text':
      return `${node.attribute} ${node.operator} ${JSON.stringify(node.value)}`;
    case 'range':
      return `${node.attribute} from ${JSON.stringify(node.from)} to ${JSON.stringify(node.to)}`;
    case 'mark':
      return `${node.attribute} ${node.mark}`;
    case 'radius':
      return `within ${node.metres} of ${node.center.lat},${node.center.lng} by ${node.resolution}`;
    case 'box':
      return `in ${node.south},${node.west} to ${node.north},${node.east}`;
    case 'polygon':
      return `inside ${node.corners.map(({ lat, lng }) => `${lat},${lng}`).join(' ')}`;
    case 'vectors':
      return `vectors of ${node.embedder ?? 'any'}: ${JSON.stringify(node.aspect)}`;
  }
}

function failure(action: () => unknown): ApiError {
  try {
    action();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const repeated = (count: number, text: string): string => text.repeat(count);

describe('filter expressions', () => {
  it.each([
    ['a = 1', 'a = ["1"]'],
    ['a=1', 'a = ["1"]'],
    ['_vectors EXISTS', 'vectors of any: null'],
    ['_vectors.e NOT EXISTS', 'not vectors of e: null'],
    ['_vectors.e.regenerate EXISTS', 'vectors of e: "regenerate"'],
    ['_vectors.a.b.userProvided EXISTS', 'vectors of a.b: "userProvided"'],
    ['_vectors.e.fragments.x.y EXISTS', 'vectors of e: {"fragment":"x.y"}'],
    ['"_vectors" EXISTS', '_vectors EXISTS'],
    ['_vectors.e = 1', '_vectors.e = ["1"]'],
    ['_vectors.e IS NULL', '_vectors.e IS NULL'],
    ['_vectors NOT IN [1]', 'not _vectors IN ["1"]'],
    ['a != b', 'a != ["b"]'],
    ['a > 1', 'a > "1"'],
    ['a >= 1', 'a >= "1"'],
    ['a < 1', 'a < "1"'],
    ['a <= 1', 'a <= "1"'],
    ['a 1 TO 2', 'a from "1" to "2"'],
    ['a "1"TO 2', 'a from "1" to "2"'],
    ['a IN [b, "c d",]', 'a IN ["b","c d"]'],
    ['a IN[]', 'a IN []'],
    ['a NOT IN [1]', 'not a IN ["1"]'],
    ['a EXISTS', 'a EXISTS'],
    ['a NOT EXISTS', 'not a EXISTS'],
    ['a IS NULL', 'a IS NULL'],
    ['a IS  NOT\tNULL', 'not a IS NULL'],
    ['a IS EMPTY', 'a IS EMPTY'],
    ['a IS NOT EMPTY', 'not a IS EMPTY'],
    ['a CONTAINS b', 'a CONTAINS "b"'],
    ['a NOT CONTAINS b', 'not a CONTAINS "b"'],
    ['a STARTS WITH b', 'a STARTS WITH "b"'],
    ['a NOT  STARTS WITH ""', 'not a STARTS WITH ""'],
    ['  \n a\r\n=\t1 ', 'a = ["1"]'],
    ['\u00a0a =\u00a0b AND \u3000c IN [d,\u2028e]', '(a = ["b"] and c IN ["d","e"])'],
    ['title = Gläss', 'title = ["Gläss"]'],
    ['𝒳 = 東京', '𝒳 = ["東京"]'],
    ['a.b-c_d = -1.5', 'a.b-c_d = ["-1.5"]'],
    ['"two words" = 1', 'two words = ["1"]'],
    ["'AND' = 'OR'", 'AND = ["OR"]'],
    ['a = _geoPolygon', 'a = ["_geoPolygon"]'],
    ['a = _vectors', 'a = ["_vectors"]'],
    ['NOTE = 1 AND ANDY = 2', '(NOTE = ["1"] and ANDY = ["2"])'],
  ])('reads %s', (text, tree) => {
    expect(shown(parse(text))).toBe(tree);
  });

  it.each([
    ['a=1 OR b=2 AND NOT c=3', '(a = ["1"] or (b = ["2"] and not c = ["3"]))'],
    ['(a=1 OR b=2) AND c=3', '((a = ["1"] or b = ["2"]) and c = ["3"])'],
    ['NOT NOT a=1', 'a = ["1"]'],
    ['NOT NOT NOT a=1', 'not a = ["1"]'],
    ['NOT(a=1)', 'not a = ["1"]'],
    ['NOT a NOT EXISTS', 'not not a EXISTS'],
    ['x EXISTSAND y = 1', '(x EXISTS and y = ["1"])'],
    ['(a=1)OR(b=2)', '(a = ["1"] or b = ["2"])'],
  ])('binds NOT before AND before OR: %s', (text, tree) => {
    expect(shown(parse(text))).toBe(tree);
  });

  it('joins values of one attribute where that means the same', () => {
    expect(shown(parse('a=1 OR b=1 OR a=2 OR a IN [3]'))).toBe('(a = ["1","2","3"] or b = ["1"])');
    expect(shown(parse('a!=1 AND a!=2'))).toBe('a != ["1","2"]');
    expect(shown(parse('a=1 AND a=2'))).toBe('(a = ["1"] and a = ["2"])');
    expect(shown(parse('a!=1 OR a!=2'))).toBe('(a != ["1"] or a != ["2"])');
  });

  it.each([
    ["a = 'it\\'s'", "it's"],
    ['a = "say \\"hi\\""', 'say "hi"'],
    ['a = "tab\\tline\\nback\\\\"', 'tab\tline\nback\\'],
    ['a = "\\x41\\u{1F600}\\u00e9"', 'A😀é'],
    ['a = ""', ''],
    ['a = \'with "other" quotes\'', 'with "other" quotes'],
    ["a = 'ends with backslash\\\\'", 'ends with backslash\\'],
  ])('resolves quotes and escapes: %s', (text, value) => {
    expect(parse(text)).toMatchObject({ kind: 'values', values: [value] });
  });

  it.each([
    ['_geoRadius(+1.5, +2, +300)', 'within 300 of 1.5,2 by 125'],
    ['_geoRadius(1.5, -2, 300)', 'within 300 of 1.5,-2 by 125'],
    ['_geoRadius( 90,180,-1 ,1000 )', 'within -1 of 90,180 by 1000'],
    ['_geoBoundingBox([45, 9], [-45, -9])', 'in -45,-9 to 45,9'],
    ['_geoBoundingBox([10,-170],[0,170])', 'in 0,170 to 10,-170'],
    ['_geoPolygon([0,0],[0,1],[1,1])', 'inside 0,0 0,1 1,1'],
    ['_geoPolygon([0,0],[0,1],[1,1],)', 'inside 0,0 0,1 1,1'],
    ['NOT _geoRadius(1,2,3) OR a = 1', '(not within 3 of 1,2 by 125 or a = ["1"])'],
  ])('reads %s', (text, tree) => {
    expect(shown(parse(text))).toBe(tree);
  });
});

describe('JSON forms of a filter', () => {
  it.each([
    [null, 'everything'],
    ['', 'everything'],
    [' \n', 'everything'],
    [[], 'everything'],
    [[[], ' ', ['']], 'everything'],
    [['a = 1'], 'a = ["1"]'],
    [['a = 1', 'b = 2'], '(a = ["1"] and b = ["2"])'],
    [[['a = 1', 'b = 2']], '(a = ["1"] or b = ["2"])'],
    [[['a = 1', 'a = 2'], '', 'b = 3'], '(a = ["1","2"] and b = ["3"])'],
    [
      ['a = 1 OR b = 2', ['c = 3', 'd = 4']],
      '((a = ["1"] or b = ["2"]) and (c = ["3"] or d = ["4"]))',
    ],
  ])('reads %j', (filter, tree) => {
    expect(shown(parse(filter))).toBe(tree);
  });

  it.each([1, true, {}, [1], [null], [[['a = 1']]], [[1]], [{}]])(
    'refuses %j and says what is accepted',
    (filter) => {
      const error = failure(() => parse(filter));
      expect(error.code).toBe('invalid_search_filter');
      expect(error.message).toContain('expected a string, or an array of strings');
    },
  );

  it.each([
    [`a = 1 AND"b" = 2`, `a = 1 AND "b" = 2`],
    [`a = 1 OR'b' = 2`, `a = 1 OR 'b' = 2`],
    [`NOT"AND" = 2`, `NOT "AND" = 2`],
  ])('reads a quote right after the keyword of %s', (text, spaced) => {
    expect(shown(parse(text)!)).toBe(shown(parse(spaced)!));
  });

  it('names the item of an array that is wrong', () => {
    expect(failure(() => parse(['a = 1', ['b = 2', 3]])).message).toMatch(
      /`filter\[1\]\[1\]`.*`3`/,
    );
    expect(failure(() => parse(['a = 1', ['b = 2', 'c =']])).message).toContain('`filter[1][1]`');
    expect(failure(() => parse(['a = 1', 'c'])).message).toContain('`filter[1]`');
  });

  it('uses the code it is given', () => {
    const features = { containsFilter: false, multimodal: false, foreignKeys: false };
    expect(failure(() => parseFilter('a', 'invalid_document_filter', features)).code).toBe(
      'invalid_document_filter',
    );
  });
});

describe('errors in filters', () => {
  it.each([
    ['NOT', 4, 'a condition', 'ends'],
    ['= 1', 1, 'a condition', '= 1'],
    ['a', 2, 'an operator', 'ends'],
    ['a =', 4, 'a value', 'ends'],
    ['a = AND', 5, 'reserved word', 'AND'],
    ['IN = 1', 1, 'reserved word', 'IN'],
    ['a == 1', 4, 'a value', '= 1'],
    ['a = 1 b = 2', 7, '`AND`, `OR`', 'b = 2'],
    ['a = 1 XOR b = 2', 7, '`AND`, `OR`', 'XOR'],
    ['a = 1 ORy = 1', 7, '`AND`, `OR`', 'ORy'],
    ['a = 1 and b = 2', 7, '`AND`, `OR`', 'and'],
    ['a = 1 AND', 10, 'a condition', 'ends'],
    ['(a = 1', 7, '`)`', 'ends'],
    ['a = 1)', 6, '`AND`, `OR`', ')'],
    ['a 1 TO', 7, 'a value', 'ends'],
    ['a 1 TO"2"', 7, 'a blank', '"2"'],
    ['a 1 TO2', 5, '`TO`', 'TO2'],
    ['a 1', 4, '`TO`', 'ends'],
    ['_vectors.e 1 TO 2', 12, '`EXISTS` or `NOT EXISTS`', '1 TO 2'],
    ['a IN 1', 6, '`[`', '1'],
    ['a IN [1', 8, '`,` or `]`', 'ends'],
    ['a IN [', 7, 'a value', 'ends'],
    ['a IN [,]', 7, 'a value', ','],
    ['a NOTIN [1]', 9, '`TO`', '[1]'],
    ['a NOT = 1', 7, 'after `NOT`', '= 1'],
    ['a ISNULL', 9, '`TO`', 'ends'],
    ['a IS 1', 6, '`NULL`', '1'],
    ['a STARTS b', 3, 'reserved word', 'STARTS b'],
    ['a STARTS  WITH b', 3, 'reserved word', 'STARTS'],
    ['"a', 1, 'closing "', '"a'],
    ["a = 'b\\", 5, 'closing', "'b"],
    ['a = "\\s"', 6, 'escapes', '\\s'],
    ['a = "\\u{110000}"', 6, 'escapes', '\\u'],
    ['a = b!', 6, '`AND`, `OR`', '!'],
    ['_geo = 1', 1, '_geoRadius', '_geo'],
    ['_geoPoint(1,2) = 3', 1, '_geoRadius', '_geoPoint'],
    ['a = _geoDistance', 5, '_geoRadius', '_geoDistance'],
    ['_geoRadius = 1', 11, '`(` directly after `_geoRadius`', '= 1'],
    ['_geoRadius (1, 0, 10)', 11, '`(` directly after `_geoRadius`', '(1, 0, 10)'],
    ['_geoBoundingBox\n([1, 2], [0, 0])', 16, '`(` directly after', '([1, 2]'],
    ['_geoPolygon = 1', 12, '`(` directly after `_geoPolygon`', '= 1'],
    ['_foreign (a, b = 1)', 9, '`(` directly after `_foreign`', '(a, b = 1)'],
    ['a = _geoBoundingBox', 5, 'reserved word', '_geoBoundingBox'],
    ['_geoRadius(1)', 13, '`,`', ')'],
    ['_geoRadius(91, 0, 10)', 12, 'latitude from -90 to 90', '91'],
    ['_geoRadius(0, -180.5, 10)', 15, 'longitude from -180 to 180', '-180.5'],
    ['_geoRadius("1", 0, 10)', 12, 'latitude', '"1"'],
    ['_geoRadius(+-1, 0, 10)', 13, 'latitude', '-1'],
    ['_geoRadius(1, 0, x)', 18, 'radius in metres', 'x'],
    ['_geoRadius(1, 0, 10, 2)', 22, 'resolution from 3 to 1000', '2'],
    ['_geoRadius(1, 0, 10, 5.5)', 22, 'resolution', '5.5'],
    ['_geoBoundingBox([1, 2])', 23, '`,`', ')'],
    ['_geoBoundingBox([1, 2], [3, 4])', 25, 'below the top right', '[3, 4]'],
    ['_geoBoundingBox(1, 2)', 17, '`[`', '1, 2'],
    ['_geoPolygon([0,0],[0,1])', 24, 'at least 3 corners', ')'],
    ['_geoRadius(1, 0, NaN)', 18, 'radius', 'NaN'],
  ])('%s: column %i, expected %s', (text, column, expected, found) => {
    const { code, message } = failure(() => parse(text));
    expect(code).toBe('invalid_search_filter');
    expect(message).toContain(`at column ${column}:`);
    expect(message).toContain(expected);
    expect(message).toContain(found);
  });

  it('shows only the beginning of a long rest', () => {
    expect(failure(() => parse(`a = 1 ${repeated(5000, 'x')}`)).message.length).toBeLessThan(250);
  });

  it.each([
    ['a CONTAINS b', 'containsFilter', 'column 3'],
    ['a NOT CONTAINS b', 'containsFilter', 'column 7'],
    ['_vectors EXISTS', 'multimodal', 'column 1'],
    ['a = 1 AND _vectors.x.userProvided NOT EXISTS', 'multimodal', 'column 11'],
    ['_foreign(a, b = 1)', 'foreignKeys', 'column 1'],
    ['_shard = "x"', 'network', 'column 1'],
  ])('%s needs the feature %s', (text, feature, place) => {
    const { code, message } = failure(() => parse(text, false));
    expect(code).toBe('feature_not_enabled');
    expect(message).toContain(feature);
    expect(message).toContain(place);
  });

  it.each([
    ['a CONTAINS b b'],
    ['_foreign(a, b = 1) OR'],
    ['_foreign (a, b = 1)'],
    [['a CONTAINS b', 'a STARTS b']],
    [[['_shard = x', 'a =']]],
  ])('refuses the syntax of %j before a disabled feature', (filter) => {
    expect(failure(() => parse(filter, false)).code).toBe('invalid_search_filter');
  });
});

describe('limits of filters', () => {
  const nested = (depth: number): string => `${repeated(depth, '(')}a = 1${repeated(depth, ')')}`;

  it.each([
    nested(36),
    `${repeated(147, 'NOT ')}a = 1`,
    `${repeated(29, 'NOT (')}a = 1${repeated(29, ')')}`,
  ])('takes nesting up to the limit', (text) => {
    expect(parse(text)).not.toBeNull();
  });

  it.each([
    nested(37),
    nested(1_000_000),
    `${repeated(148, 'NOT ')}a = 1`,
    `${repeated(1_000_000, 'NOT ')}a = 1`,
    `${repeated(30, 'NOT (')}a = 1${repeated(30, ')')}`,
  ])('refuses deeper nesting', (text) => {
    const { code, message } = failure(() => parse(text));
    expect(code).toBe('invalid_search_filter');
    expect(message).toContain('less nesting');
  });

  it('counts the nesting of side by side conditions separately', () => {
    const part = nested(36);
    expect(parse([part, part])).not.toBeNull();
    expect(parse(`${part} OR ${part} AND ${part}`)).not.toBeNull();
  });

  it('reads chains of a hundred thousand conditions and arrays of them', () => {
    const texts = Array.from({ length: 100_000 }, (_, i) => `a${i % 7} > ${i}`);
    expect(parse(texts.join(' OR '))).toMatchObject({ kind: 'or', children: { length: 100_000 } });
    expect(parse(texts.join(' AND '))).toMatchObject({
      kind: 'and',
      children: { length: 100_000 },
    });
    expect(parse([texts])).toMatchObject({ kind: 'or', children: { length: 100_000 } });
    expect(parse(`a IN [${texts.map((_, i) => i).join(',')}]`)).toMatchObject({
      values: { length: 100_000 },
    });
  });
});

describe('texts taken as numbers', () => {
  it.each([
    ['1', 1],
    ['1.0', 1],
    ['1e0', 1],
    ['5.', 5],
    ['.5', 0.5],
    ['+1', 1],
    ['-2.5E+3', -2500],
    ['-0', -0],
  ])('%s is', (text, value) => {
    expect(numberOfText(text)).toBe(value);
  });

  it.each(['', ' 5 ', '0x5', '1_0', '1e400', 'Infinity', 'NaN', '-', '.', 'e5', '1e', '--1', '１'])(
    '%j is not',
    (text) => {
      expect(numberOfText(text)).toBeNull();
    },
  );
});
