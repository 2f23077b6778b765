/** Random scripts end with a result or with the typed error, within their limits. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../src/core/deadline.ts';
import { EditFunction } from '../../src/edit-function/edit-function.ts';
import { editLimits } from '../../src/edit-function/edit-limits.ts';
import { Interpreter } from '../../src/edit-function/interpreter.ts';
import { Meter } from '../../src/edit-function/meter.ts';
import { parseScript } from '../../src/edit-function/parser.ts';
import { Scope } from '../../src/edit-function/scope.ts';
import { ScriptError } from '../../src/edit-function/script-error.ts';
import { ByteBuffer } from '../../src/engine/bytes/byte-buffer.ts';
import { JsonTape } from '../../src/engine/json/json-tape.ts';
import { amount } from '../support/run-length.ts';

/** A built-in may exceed the limit of operations by the cost of one call. */
const OPERATIONS_SLACK = editLimits.textLengthMax;

const name = fc.constantFrom('doc', 'context', 'a', 'b', 'f', 'this');
const member = fc.constantFrom('a', 'id', 'tags', 'len', 'title');
const method = fc.constantFrom(
  ...[
    'push',
    'pop',
    'len',
    'map',
    'filter',
    'sort',
    'split',
    'replace',
    'pad',
    'remove',
    'keys',
    'mixin',
    'call',
    'reduce',
  ],
  ...[
    'append',
    'trim',
    'to_upper',
    'drain',
    'splice',
    'for_each',
    'index_of',
    'sub_string',
    'to_string',
    'round',
    'range',
  ],
);
const literal = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom(
    '9223372036854775807',
    '0.5',
    '1e300',
    '"é"',
    "'x'",
    '()',
    'true',
    '"abc"',
    '[]',
    '#{}',
    '`v${doc}`',
    '0..9',
  ),
);

const { expression } = fc.letrec<{ expression: string; block: string; statement: string }>(
  (tie) => ({
    expression: fc.oneof(
      { maxDepth: 5, depthSize: 'medium' },
      literal,
      name,
      fc.tuple(tie('expression'), member).map(([object, field]) => `${object}.${field}`),
      fc
        .tuple(tie('expression'), tie('expression'))
        .map(([object, index]) => `${object}[${index}]`),
      fc
        .tuple(
          tie('expression'),
          fc.constantFrom('+', '-', '*', '/', '%', '**', '<<', '==', '<', 'in', '&&', '??', '..'),
          tie('expression'),
        )
        .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
      fc
        .tuple(tie('expression'), method, fc.array(tie('expression'), { maxLength: 3 }))
        .map(([object, called, args]) => `${object}.${called}(${args.join(', ')})`),
      fc
        .tuple(fc.constantFrom('|x| x', '|x, y| x + y', '|| this'), tie('expression'))
        .map(([head, tail]) => `${head} + ${tail}`),
      fc.array(tie('expression'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
      fc.tuple(member, tie('expression')).map(([field, value]) => `#{ ${field}: ${value} }`),
      tie('block').map((block) => `if true ${block} else ${block}`),
    ),
    block: fc
      .array(tie('statement'), { maxLength: 3 })
      .map((statements) => `{ ${statements.join(' ')} }`),
    statement: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      tie('expression').map((value) => `${value};`),
      fc
        .tuple(fc.constantFrom('a', 'b', 'f'), tie('expression'))
        .map(([variable, value]) => `let ${variable} = ${value};`),
      fc
        .tuple(
          fc.constantFrom('doc', 'doc.a', 'doc.tags', 'a', 'doc.tags[0]'),
          fc.constantFrom('=', '+=', '*='),
          tie('expression'),
        )
        .map(([place, operator, value]) => `${place} ${operator} ${value};`),
      fc
        .tuple(tie('expression'), tie('block'))
        .map(([items, block]) => `for x in ${items} ${block}`),
      fc
        .tuple(tie('expression'), tie('block'))
        .map(([condition, block]) => `while ${condition} ${block}`),
      fc
        .tuple(tie('block'), tie('block'))
        .map(([body, handler]) => `try ${body} catch (e) ${handler}`),
      tie('block').map((block) => `loop ${block}`),
      fc.constantFrom('break;', 'continue;', 'return;', 'throw 1;'),
    ),
  }),
);
const script = fc.array(expression, { maxLength: 4 }).map((parts) => parts.join(';\n'));

const DOCUMENT = new TextEncoder().encode(
  '{"id":1,"title":"a b","tags":["x",2,[3]],"a":{"b":1.5}}',
);

/**
 * Loops without end take long to reach the limit of operations: a clock that ticks at each look
 * ends them sooner.
 */
function someLooks(): Deadline {
  let ticks = 0;
  return Deadline.after(10, () => ticks++);
}

function attempt(action: () => unknown): void {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(ScriptError);
  }
}

function edit(source: string): void {
  const tape = new JsonTape();
  tape.scan(DOCUMENT, 0, DOCUMENT.length);
  const out = new ByteBuffer();
  const outcome = EditFunction.compile(source, { list: [1, { x: 'y' }] }).edit(
    tape,
    out,
    someLooks(),
  );
  if (outcome === 'edited') JSON.parse(new TextDecoder().decode(out.view()));
}

describe('an edit function', () => {
  it('ends with a result or a script error, for any script', () => {
    fc.assert(
      fc.property(script, (source) => attempt(() => edit(source))),
      { numRuns: amount(80, 4000) },
    );
  });

  it('does so for any text, and for texts of its own symbols', () => {
    const symbols = fc.constantFrom(
      ...'(){}[]|;.,+-*/%!=<>?&^:`"\'$#_ \n',
      'let ',
      'fn ',
      'if ',
      'switch ',
      'doc',
      '1',
      '${',
      '=>',
      '..',
    );
    const noise = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.array(symbols, { maxLength: 40 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(noise, (source) => attempt(() => edit(source))),
      { numRuns: amount(150, 12_000) },
    );
  });

  it('stays within its operations and memory', () => {
    fc.assert(
      fc.property(script, (source) => {
        const meter = new Meter(Deadline.never());
        const scope = new Scope(null);
        scope.declare('doc', new Map([['tags', [1n, 'x']]]));
        attempt(() => new Interpreter(parseScript(source), meter).run(scope));
        expect(meter.operations).toBeLessThan(editLimits.operationsMax + OPERATIONS_SLACK);
        expect(meter.allocatedBytes).toBeLessThan(
          editLimits.allocatedBytesMax + 16 * editLimits.textLengthMax,
        );
      }),
      { numRuns: amount(40, 400) },
    );
  });
});
