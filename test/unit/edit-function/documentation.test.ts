/** The examples and lists of docs/edit-functions.md are true. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../src/core/deadline.ts';
import { EditFunction } from '../../../src/edit-function/edit-function.ts';
import { editLimits } from '../../../src/edit-function/edit-limits.ts';
import { arrayFunctions } from '../../../src/edit-function/functions/arrays.ts';
import { mapFunctions } from '../../../src/edit-function/functions/maps.ts';
import { numberFunctions } from '../../../src/edit-function/functions/numbers.ts';
import { stringFunctions } from '../../../src/edit-function/functions/strings.ts';
import { ByteBuffer } from '../../../src/engine/bytes/byte-buffer.ts';
import { JsonTape } from '../../../src/engine/json/json-tape.ts';

const text = readFileSync('docs/edit-functions.md', 'utf8');
const prose = text.replace(/\s+/g, ' ');
const examples = [...text.matchAll(/```rhai\n((?:.|\n)*?)```\n\n```json\n(.*)\n(.*)\n```/g)];

describe('the documentation of edit functions', () => {
  it('has examples', () => {
    expect(examples.length).toBeGreaterThan(4);
  });

  it.each(
    examples.map(([, script = '', before = '', after = '']) => [script, before, after] as const),
  )('%s', (script, before, after) => {
    const bytes = new TextEncoder().encode(before);
    const tape = new JsonTape();
    tape.scan(bytes, 0, bytes.length);
    const out = new ByteBuffer();
    const outcome = EditFunction.compile(script).edit(tape, out, Deadline.never());
    expect(outcome === 'deleted' ? 'null' : new TextDecoder().decode(out.view())).toBe(after);
  });

  it.each([
    ['numbers', numberFunctions],
    ['strings', stringFunctions],
    ['arrays', arrayFunctions],
    ['maps', mapFunctions],
  ] as const)('names every function of %s', (type, functions) => {
    const row = text.split('\n').find((line) => line.startsWith(`| ${type} |`)) ?? '';
    const named = [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(named.sort()).toEqual(Object.keys(functions).sort());
  });

  it('tells the limits', () => {
    const { operationsMax, textLengthMax, arrayLengthMax } = editLimits;
    for (const limit of [operationsMax, textLengthMax, arrayLengthMax])
      expect(prose).toContain(limit.toLocaleString('en'));
    expect(prose).toContain(
      `${editLimits.callDepthMax} calls inside each other, values nested ${editLimits.valueDepthMax} deep`,
    );
    expect(prose).toContain(`${editLimits.nestingMax} levels`);
  });
});
