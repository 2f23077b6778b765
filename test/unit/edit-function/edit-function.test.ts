/** Scripts on documents: what the language means, what it refuses, and what its limits are. */
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../src/core/deadline.ts';
import { EditFunction } from '../../../src/edit-function/edit-function.ts';
import { ScriptError } from '../../../src/edit-function/script-error.ts';
import { ByteBuffer } from '../../../src/engine/bytes/byte-buffer.ts';
import { JsonTape } from '../../../src/engine/json/json-tape.ts';

/** The document's text after the function; null = deleted. */
function edited(
  script: string,
  document = '{"id":1}',
  context: unknown = null,
  deadline = Deadline.never(),
): string | null {
  const bytes = new TextEncoder().encode(document);
  const tape = new JsonTape();
  tape.scan(bytes, 0, bytes.length);
  const out = new ByteBuffer();
  const outcome = EditFunction.compile(script, context).edit(tape, out, deadline);
  if (outcome === 'deleted') return null;
  return outcome === 'unchanged' ? document : new TextDecoder().decode(out.view());
}

/** The JSON text of what the expression gives. */
const value = (expression: string, document = '{"id":1}'): string =>
  (edited(`doc = #{ v: { ${expression}\n } }`, document) ?? '').slice('{"v":'.length, -1);

function errorOf(action: () => unknown): ScriptError {
  try {
    action();
  } catch (error) {
    if (error instanceof ScriptError) return error;
    throw error;
  }
  throw new Error('it passed');
}
const failure = (script: string, document?: string, context?: unknown): string =>
  errorOf(() => edited(script, document, context)).message;

describe('editing a document', () => {
  it.each([
    ['doc.title = doc.title.to_upper()', '{"id":1,"title":"abc"}', '{"id":1,"title":"ABC"}'],
    ['doc.price *= 2', '{"id":1,"price":2.0}', '{"id":1,"price":4.0}'],
    ['doc.price *= 2', '{"id":1,"price":2}', '{"id":1,"price":4}'],
    ['doc.price = doc.price * 1.5', '{"id":1,"price":2}', '{"id":1,"price":3.0}'],
    ['doc.remove("x")', '{"id":1,"x":[1],"y":2}', '{"id":1,"y":2}'],
    ['doc.tags.push("new")', '{"tags":["a"]}', '{"tags":["a","new"]}'],
    ['doc.a.b.c = 3', '{"a":{"b":{}}}', '{"a":{"b":{"c":3}}}'],
    ['doc.a[1] = 9; doc.a[-1] += 1', '{"a":[1,2,3]}', '{"a":[1,9,4]}'],
    [
      'doc["full name"] = `${doc.first} ${doc.last}`',
      '{"first":"A","last":"B"}',
      '{"first":"A","last":"B","full name":"A B"}',
    ],
    [
      'for t in doc.tags { doc.count += t.len() }',
      '{"count":0,"tags":["ab","é"]}',
      '{"count":3,"tags":["ab","é"]}',
    ],
    ['for (t, i) in doc.a { doc.a[i] = t * i }', '{"a":[5,6,7]}', '{"a":[0,6,14]}'],
    [
      'if doc.id > 3 { doc.big = true } else if doc.id == 1 { doc.one = () } else { doc.x = 1 }',
      '{"id":1}',
      '{"id":1,"one":null}',
    ],
    ['doc.title.trim(); doc.title.replace("b", "xx")', '{"title":" abab "}', '{"title":"axxaxx"}'],
    ['doc.a.for_each(|| this *= 2)', '{"a":[1,2]}', '{"a":[2,4]}'],
    ['doc.a = doc.a.filter(|x| x > 1).map(|x, i| x + i)', '{"a":[1,2,3]}', '{"a":[2,4]}'],
    ['let x = doc.a; x.push(4); doc.n = x.len()', '{"a":[1,2,3]}', '{"a":[1,2,3],"n":4}'],
    [
      'doc.old = #{ a: 1, "b c": [true, 1.0, \'x\'] }',
      '{}',
      '{"old":{"a":1,"b c":[true,1.0,"x"]}}',
    ],
    ['doc += #{ b: 2 }; doc.a.b ?? 3', '{"a":{}}', '{"a":{},"b":2}'],
    ['fn twice(x) { return x + x; } doc.t = twice(doc.t)', '{"t":"ab"}', '{"t":"abab"}'],
    ['try { doc.a.b.c = 1 } catch (e) { doc.error = e }', '{}', '{"error":"() has no member `b`"}'],
  ])('%s', (script, before, after) => {
    expect(edited(script, before)).toBe(after);
  });

  it('deletes a document that is set to ()', () => {
    expect(edited('if doc.id == 3 { doc = () }', '{"id":3}')).toBeNull();
    expect(edited('if doc.id == 3 { doc = () }', '{"id":4}')).toBe('{"id":4}');
  });

  it('reads the context, which is a constant', () => {
    expect(edited('doc.tag = context.tag; doc.n = context.n + 1', '{}', { tag: 'x', n: 2 })).toBe(
      '{"tag":"x","n":3}',
    );
    for (const script of [
      'context.tag = 1',
      'context.list.push(1)',
      'context = 1',
      'context.list[0] = 5',
      'context.list += 1',
      'context.s.trim()',
    ]) {
      expect(failure(script, '{}', { list: [1], s: ' a' })).toContain('`context` is a constant');
    }
    expect(
      edited('fn f() { this.push(3) } context.list.f(); doc.n = context.list.len()', '{}', {
        list: [1],
      }),
    ).toBe('{"n":1}');
    expect(
      edited('doc.list = context.list; doc.list.push(2); doc.n = context.list.len()', '{}', {
        list: [1],
      }),
    ).toBe('{"list":[1,2],"n":1}');
  });

  it('keeps the bytes of what it leaves alone, and tells when nothing changed', () => {
    const document = '{"a":1.10,"b":18446744073709551615,"c":"\\u00e9","d":[1e3,{"x":-0}]}';
    expect(edited('doc.e = 1', document)).toBe(`${document.slice(0, -1)},"e":1}`);
    for (const script of [
      '',
      'doc.a = doc.a',
      'let b = doc.b; doc.remove("b"); doc.b = b',
      'doc.d[1].x = doc.d[1].x',
    ]) {
      expect(edited(script, document)).toBe(document);
    }
  });

  it.each([
    ['doc = 1', 'doc` is i64 in the end'],
    ['doc.x = |a| a', '`doc.x` is Fn'],
    ['doc.x = [1.0 / 0.0]', '`doc.x[0]` is inf'],
    ['doc.x = 1..2', '`doc.x` is range'],
  ])('refuses %s', (script, reason) => {
    expect(failure(script)).toContain(reason);
  });
});

describe('expressions', () => {
  it.each([
    ['1 + 2 * 3 - 4', '3'],
    ['2 ** 3 ** 2', '512'],
    ['-2 ** 2', '4'],
    ['7 / 2', '3'],
    ['-7 % 3', '-1'],
    ['7.0 / 2', '3.5'],
    ['1 << 4 | 1', '17'],
    ['0xff + 0b11 + 0o7 + 1_000', '1265'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['1e3 + 0.5', '1000.5'],
    ['1 == 1.0 && "a" != 1 && !(1 > "a")', 'true'],
    ['"a" < "b" && "Z" < "a"', 'true'],
    ['1 < 2 == true', 'true'],
    ['"n" + 1 + 2.0 + true + ()', '"n12.0true"'],
    ['"abc" - "b"', '"ac"'],
    ["'a' + 'b'", '"ab"'],
    ['[1] + [2, 3]', '[1,2,3]'],
    ['#{a: 1} + #{b: 2}', '{"a":1,"b":2}'],
    ['() ?? 5', '5'],
    ['doc.missing?.deep?.er', 'null'],
    ['doc.missing?[3]', 'null'],
    ['"x" in #{x: 1} && 2 in [1, 2] && "b" in "abc" && 3 in 0..4 && 4 !in 0..4', 'true'],
    ['if 1 > 2 { "a" } else { "b" }', '"b"'],
    ['switch 5 { 1 | 2 => "low", 3..=9 if true => "mid", _ => "high" }', '"mid"'],
    ['switch "x" { "y" => 1, _ => { 2 } }', '2'],
    ['let n = 0; while n < 5 { n += 1; if n == 3 { continue } } n', '5'],
    ['let n = 0; loop { n += 1; if n > 3 { break n * 10 } }', '40'],
    ['let n = 0; do { n += 1 } until n == 4; n', '4'],
    ['let n = 0; for i in 1..=4 { n += i } n', '10'],
    ['let n = ""; for c in "héy" { n = c + n } n', '"yéh"'],
    ['let s = ""; for i in range(6, 0, -2) { s += i } s', '"642"'],
    ['`a${1 + 1}b${`${"c"}`}`', '"a2bc"'],
    ['"tab\\t\\u00e9\\x41 ""q"""', '"tab\\té\\u0041 \\"q\\""'],
    ['#"raw \\n"#', '"raw \\\\n"'],
    ['let f = |x, y| x * y; f(3, 4)', '12'],
    ['let k = 2; let f = |x| x * k; k = 5; f.call(3)', '15'],
    ['let c = 0; try { throw #{ code: 7 } } catch (e) { c = e.code } c', '7'],
    ['/* a /* nested */ comment */ 1 // end', '1'],
    ['"héllo"[1] + "héllo"[1..3] + "héllo"[-1]', '"éélo"'],
  ])('%s is %s', (expression, expected) => {
    expect(JSON.parse(value(expression))).toEqual(JSON.parse(expected));
  });

  it.each([
    ['9223372036854775807 + 1', 'leaves the integers of 64 bits'],
    ['1 / 0', 'divided by zero'],
    ['1 + [2]', '`+` does not take i64 and array'],
    ['if 1 { }', 'a condition is a bool, not i64'],
    ['[1][1]', 'the array has 1 items, none at 1'],
    ['#{}.a.b', '() has no member `b`'],
    ['missing', 'there is no variable `missing`'],
    ['missing(1)', 'i64 has no function `missing`'],
    ['"a".push(1)', 'string has no function `push`'],
    ['[1].push()', '`push` takes 1 arguments, not 0'],
    ['const a = 1; a = 2', '`a` is a constant'],
    ['fn f(a) { a } f(1, 2)', '`f` takes 1 arguments, not 2'],
    ['throw "no " + 1', 'the function threw: no 1'],
    ['"12x".parse_int()', 'finds no integer in `12x`'],
    ['break', '`break` is outside of a loop'],
    ['fn f() { doc } f()', 'there is no variable `doc`'],
  ])('%s fails: %s', (script, reason) => {
    expect(failure(script)).toContain(reason);
  });

  it('say line and position', () => {
    expect(failure('let a = 1;\n  let b = a + [1];')).toContain('(line 2, position 13)');
  });
});

describe('built-in functions', () => {
  it.each([
    ['" a ".len() + "é".bytes', '5'],
    ['"aXb".to_lower() + "a".to_upper()', '"axbA"'],
    ['let s = "abc"; s.make_upper(); s.pad(5, "-"); s.append(1); s', '"ABC--1"'],
    ['"abcabc".index_of("c") + "abcabc".index_of("c", 3) + "a".index_of("z")', '6'],
    ['"héllo".sub_string(1, 3) + "héllo".sub_string(-2) + "héllo".sub_string(0..1)', '"éllloh"'],
    ['let s = "héllo"; s.crop(1, 2); s', '"él"'],
    ['"a,b,,c".split(",")', '["a","b","","c"]'],
    ['"a,b,c".split(",", 2)', '["a","b,c"]'],
    ['" a  b ".split()', '["a","b"]'],
    ['["".split(), " ".split(), "".split(","), "".split("")]', '[[""],[],[""],[""]]'],
    [
      '["ab".split(""), "ab".split_rev(""), "ab".split("", 2)]',
      '[["","a","b",""],["","b","a",""],["","ab"]]',
    ],
    ['"abc".starts_with("ab") && "abc".ends_with("c") && "abc".contains("b")', 'true'],
    ['"42".parse_int() + "ff".parse_int(16)', '297'],
    ['"1.5".parse_float()', '1.5'],
    ['"abc".to_chars()', '["a","b","c"]'],
    ['let s = "abc"; [s.pop(), s.remove("a"), s]', '["c",null,"b"]'],
    ['[(2.5).round(), (-2.5).round(), (2.4).floor(), (2.1).ceiling(), 3.7.int]', '[3,-3,2,3,3]'],
    [
      '[(-3).abs(), 3.sign(), 5.is_odd(), 2.max(7), min(2.5, 1), 2.5.to_int(), 3.to_float().type_of()]',
      '[3,1,true,7,1,2,"f64"]',
    ],
    ['[9.0.sqrt(), 255.to_hex(), PI() > 3.14, 3.to_string()]', '[3,"ff",true,"3"]'],
    ['let a = [3, 1, 2]; a.sort(); a.reverse(); a.insert(1, 9); a', '[3,9,2,1]'],
    ['let a = [1, 2, 3, 4]; [a.pop(), a.shift(), a.remove(0), a]', '[4,1,2,[3]]'],
    ['let a = [1, 2, 3, 4]; [a.extract(1, 2), a.drain(|x| x % 2 == 0), a]', '[[2,3],[2,4],[1,3]]'],
    ['let a = [1, 1, 2, 2, 1]; a.dedup(); a', '[1,2,1]'],
    ['let a = ["b", "a", "c"]; a.sort(|x, y| x > y); a', '["c","b","a"]'],
    ['[1, 2, 3].reduce(|s, x| s + x, 10)', '16'],
    [
      '[[1, 2, 3].some(|x| x > 2), [1, 2].all(|x| x > 1), [1, 2].index_of(2), [1, 2].index_of(|x| x == 3), [4, 5].find(|x| x > 4)]',
      '[true,false,1,-1,5]',
    ],
    ['[1, 2].zip(["a", "b"], |n, s| s + n)', '["a1","b2"]'],
    ['let a = [1, 2, 3]; a.splice(1, 1, [8, 9]); a.truncate(3); a.retain(|x| x != 8); a', '[1,9]'],
    [
      'let m = #{ a: 1, b: 2 }; [m.len(), m.keys(), m.values(), m.contains("a"), m.get("z"), m.remove("a"), m]',
      '[2,["a","b"],[1,2],true,null,1,{"b":2}]',
    ],
    [
      'let m = #{ a: 1 }; m.mixin(#{ a: 2, c: 3 }); m.fill_with(#{ a: 9, d: 4 }); m',
      '{"a":2,"c":3,"d":4}',
    ],
    ['#{ a: 1, b: 2 }.filter(|k, v| v > 1)', '{"b":2}'],
    [
      '[type_of(1), type_of(1.0), type_of("a"), type_of(\'a\'), type_of(()), type_of([]), type_of(#{}), type_of(true)]',
      '["i64","f64","string","char","()","array","map","bool"]',
    ],
  ])('%s', (expression, expected) => {
    expect(JSON.parse(value(expression))).toEqual(JSON.parse(expected));
  });
});

describe('what does not compile', () => {
  it.each([
    ['doc.a =', 'expected an expression, found the end (line 1, position 8)'],
    ['let 5 = 1', 'expected a name, found `5`'],
    ['doc.a = 1 doc.b = 2', 'expected `;`, found `doc`'],
    ['if true { doc.a = 1', 'expected `}`, found the end'],
    ['1 = 2', 'only variables, members and items can be assigned to'],
    ['"abc', 'the string does not end'],
    ['`a ${1', 'expected `}` after the expression'],
    ["'ab'", 'a character in single quotes is exactly one'],
    ['import "x" as y', '`import` is not available'],
    ['eval("1")', '`eval` is not available'],
    ['doc.a = null', '`null` is not available'],
    ['9223372036854775808', 'is no integer of 64 bits'],
    ['-0x_', 'is no integer of 64 bits'],
    ['doc.a = 1 @ 2', 'unexpected character `@`'],
    ['let é = 1', 'unexpected character `é`'],
    ['fn a() {} fn a() {}', 'is defined twice'],
    ['if true { fn a() {} }', 'at the top of the script only'],
    ['"\\q"', 'unknown escape `\\q`'],
  ])('%s: %s', (script, reason) => {
    const error = errorOf(() => EditFunction.compile(script));
    expect(error.kind).toBe('syntax');
    expect(error.message).toContain(reason);
  });
});

describe('limits', () => {
  const limitOf = (script: string, document?: string): string => {
    const error = errorOf(() => edited(script, document));
    expect([script, error.kind]).toEqual([script, 'limit']);
    return error.message;
  };

  it('end loops without end, and scripts cannot catch that', () => {
    expect(limitOf('loop { }')).toContain('operations for one document');
    expect(limitOf('try { while true { } } catch { }')).toContain('operations for one document');
    expect(limitOf('for i in 0..9223372036854775807 { }')).toContain('operations');
    expect(
      limitOf('let a = range(0, 200000, 1); let n = 0; for x in a { if x in a { n += 1 } }'),
    ).toContain('operations');
  });

  it('bound strings, arrays, maps and memory', () => {
    expect(limitOf('let s = "x"; loop { s += s }')).toContain('string of more than');
    expect(limitOf('let a = [1]; loop { a += a }')).toContain('array of more than');
    expect(limitOf('let s = ""; s.pad(9223372036854775807, "x")')).toContain('string of more than');
    expect(limitOf('let a = []; a.pad(9223372036854775807, 0)')).toContain('array of more than');
    expect(limitOf('let m = #{}; let i = 0; loop { m[`${i}`] = 1; i += 1 }')).toMatch(
      /map of more than|operations/,
    );
    expect(
      limitOf(
        'let s = "0123456789"; s.pad(1000000, "x"); let a = []; loop { a.push(s + a.len()) }',
      ),
    ).toMatch(/memory|operations/);
    expect(limitOf('let s = "ab"; s.pad(3000000, "ab"); s.replace("a", s)')).toContain(
      'string of more than',
    );
  });

  it('bound nesting of scripts, calls and values', () => {
    const deep = (text: string, inner: string, end: string): string =>
      text.repeat(5000) + inner + end.repeat(5000);
    for (const script of [
      deep('(', '1', ')'),
      deep('[', '', ']'),
      deep('{', '', '}'),
      deep('!', 'true', ''),
      deep('-', '1', ''),
      deep('if true {', '', '}'),
      deep('|x| ', '1', ''),
      deep('1 ** ', '1', ''),
      deep('`${', '', '}`'),
    ]) {
      expect(errorOf(() => EditFunction.compile(script)).message).toMatch(
        /nests deeper|nested too deeply/,
      );
    }
    expect(limitOf('fn f(n) { f(n + 1) } f(0)')).toContain('nests calls deeper');
    expect(limitOf('let a = []; loop { a = [a] }')).toContain('nests values deeper');
    expect(limitOf('let f = |f, x| [x].map(|y| f.call(f, y)); f.call(f, 1)')).toMatch(
      /nests (calls|evaluation) deeper/,
    );
    expect(limitOf(`doc${'.a'.repeat(2000)}`)).toContain('nests evaluation deeper');
    expect(edited(`doc.n = ${'1 + '.repeat(10_000)}1`, '{}')).toBe('{"n":10001}');
  });

  it('bound the bytes of a script', () => {
    expect(errorOf(() => EditFunction.compile(' '.repeat(70_000))).message).toContain(
      'at most 65536',
    );
  });

  it('end at the deadline of all documents', () => {
    let time = 0;
    const deadline = Deadline.after(5, () => time++);
    expect(errorOf(() => edited('loop { }', '{}', null, deadline)).message).toContain(
      'takes too long',
    );
  });
});
