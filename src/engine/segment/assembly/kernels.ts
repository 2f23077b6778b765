/**
 * The kernel that looks for neighbouring words in a forward index, in AssemblyScript; `npm run build`
 * compiles it into ../compiled-kernels.ts. ../forward-scan.ts explains the arguments, and
 * ../forward-index-format.ts the codes. Areas are byte addresses in the one imported memory.
 */

const CODES_MAX: u32 = 0xfc00;
const LONG_GAP: u32 = 0xfffd;
const FIELD: u32 = 0xfffe;
const RARE_TERM: u32 = 0xffff;
const SPECIAL: u32 = 0xff;
/** Positions between the words of a pair of the largest cost. */
const REACH: i32 = 3;
/** Largest number of bytes that the codes of REACH positions have. */
const REACH_BYTES: usize = 18;

// Areas, set by `begin`.
let byCode: usize = 0;
/**
 * Eight numbers for each mark: pairs of which it is the left, right, reversed left and reversed right
 * side, steps whose place it counts for, steps whose exact word it is, and two unused ones.
 */
let masks: usize = 0;
const PLACE: usize = 16;
const EXACT: usize = 20;
/** A byte for each mark: 1 = the rarer side of a pair. */
let rarer: usize = 0;
/** First code and number of codes of each range of rarer terms, eight times each. */
let ranges: usize = 0;
let rangesEnd: usize = 0;
/** Ordinals at which the mark of terms without a code changes, and the marks from there on. */
let rareStarts: usize = 0;
let rareMarks: usize = 0;
let rareCount: u32 = 0;
let hasRareTerms: bool = false;
let all: u32 = 0;

// The document that is being looked at.
let start: usize = 0;
let end: usize = 0;
let found0: u32 = 0;
let found1: u32 = 0;
let found2: u32 = 0;

export function begin(
  tables: usize,
  rangeCount: u32,
  rare: usize,
  rareChanges: u32,
  rareTerms: u32,
  pairs: u32,
): void {
  byCode = tables;
  masks = tables + 0x10000;
  rarer = masks + 0x2000;
  ranges = rarer + 0x100;
  rangesEnd = ranges + ((<usize>rangeCount) << 5);
  rareStarts = rare;
  rareMarks = rare + ((<usize>rareChanges) << 2);
  rareCount = rareChanges;
  hasRareTerms = rareTerms !== 0;
  all = pairs;
}

/** Sets the document of which the codes begin and end at the two places. */
function setDocument(places: usize, codes: usize): void {
  start = codes + ((<usize>load<u32>(places)) << 1);
  end = codes + ((<usize>load<u32>(places, 4)) << 1);
}

/** Writes the cost of each document; `places` has the start and the end of the codes of each. */
export function costs(places: usize, codes: usize, count: u32, into: usize): void {
  const most = 3 * popcnt<u32>(all);
  for (let i: u32 = 0; i < count; i++, places += 8, into += 4) {
    setDocument(places, codes);
    found0 = 0;
    found1 = 0;
    found2 = 0;
    if (rangesEnd > ranges) scanByRanges();
    else scanByMarks();
    const near = found0 | found1;
    const saved = popcnt<u32>(found0) + popcnt<u32>(near) + popcnt<u32>(near | found2);
    store<u32>(into, most - saved);
  }
}

/**
 * Writes for each document the sum over steps of the least cost of a word of the step: by the bucket
 * of its position (`byField` = 0), or by its field. Costs are 32 bytes a step.
 */
export function placeCosts(
  places: usize,
  codes: usize,
  count: u32,
  steps: u32,
  costs: usize,
  byField: u32,
  into: usize,
): void {
  for (let i: u32 = 0; i < count; i++, places += 8, into += 4) {
    setDocument(places, codes);
    store<u32>(into, leastCosts(steps, costs, byField !== 0));
  }
}

/**
 * Writes for each document the fields that have the exact words of all steps, as bits; 0 when a step
 * has no exact word in the bucket of positions that `buckets` has for it.
 * @param fields 4 bytes of room for each step
 */
export function exactFields(
  places: usize,
  codes: usize,
  count: u32,
  steps: u32,
  buckets: usize,
  fields: usize,
  into: usize,
): void {
  const fieldsEnd = fields + ((<usize>steps) << 2);
  for (let i: u32 = 0; i < count; i++, places += 8, into += 4) {
    setDocument(places, codes);
    let common: u32 = 0;
    if (findExact(steps, buckets, fields)) {
      common = 0xffffffff;
      for (let own = fields; own < fieldsEnd; own += 4) common &= load<u32>(own);
    }
    store<u32>(into, common);
  }
}

/** Writes the fields with the exact word of each step; false when a step is not in its bucket. */
function findExact(steps: u32, buckets: usize, fields: usize): bool {
  for (let i: usize = 0; i < steps; i++) store<u32>(fields + (i << 2), 0);
  let open: u32 = <u32>(((<u64>1) << steps) - 1);
  let field: u32 = 0;
  let position: u32 = 0;
  for (let at = start; at < end; ) {
    const code = <u32>load<u16>(at);
    at += 2;
    let mark = <u32>load<u8>(byCode + code);
    if (mark === SPECIAL) {
      if (code === FIELD) {
        field = load<u16>(at);
        position = 0;
        at += 2;
        continue;
      }
      if (code !== RARE_TERM) {
        position += code === LONG_GAP ? <u32>load<u16>(at) : code - CODES_MAX;
        if (code === LONG_GAP) at += 2;
        continue;
      }
      mark = markAt(at);
      at += 4;
    }
    const place = position++;
    if (mark === 0) continue;
    const bucket = bucketOf(place);
    for (let own = load<u32>(masks + ((<usize>mark) << 5), EXACT); own !== 0; own &= own - 1) {
      const step = <usize>ctz<u32>(own);
      const found = fields + (step << 2);
      store<u32>(found, load<u32>(found) | (1 << field));
      if (bucket === <u32>load<u8>(buckets + step)) open &= ~(1 << (<u32>step));
    }
  }
  return open === 0;
}

/** Bucket of a position: exact below 16, then ever coarser. */
function bucketOf(position: u32): u32 {
  if (position < 16) return position;
  return position < 24 ? 16 : 44 - clz<u32>(position - 1);
}

/** A step has its least cost so far in the last byte of its costs, and its lowest one before it. */
function leastCosts(steps: u32, costs: usize, byField: bool): u32 {
  const costsEnd = costs + ((<usize>steps) << 5);
  for (let own = costs; own < costsEnd; own += 32) store<u8>(own, 0xff, 31);
  let open = steps;
  let field: u32 = 0;
  let position: u32 = 0;
  for (let at = start; at < end && open > 0; ) {
    const code = <u32>load<u16>(at);
    at += 2;
    let mark = <u32>load<u8>(byCode + code);
    if (mark === SPECIAL) {
      if (code === FIELD) {
        field = load<u16>(at);
        position = 0;
        at += 2;
        continue;
      }
      if (code !== RARE_TERM) {
        position += code === LONG_GAP ? <u32>load<u16>(at) : code - CODES_MAX;
        if (code === LONG_GAP) at += 2;
        continue;
      }
      mark = markAt(at);
      at += 4;
    }
    const place = position++;
    if (mark === 0) continue;
    const index = byField ? field : bucketOf(place);
    for (let own = load<u32>(masks + ((<usize>mark) << 5), PLACE); own !== 0; own &= own - 1) {
      const step = costs + ((<usize>ctz<u32>(own)) << 5);
      const cost = load<u8>(step + index);
      if (cost >= load<u8>(step, 31)) continue;
      store<u8>(step, cost, 31);
      if (cost === load<u8>(step, 30)) open--;
    }
  }
  let sum: u32 = 0;
  for (let own = costs; own < costsEnd; own += 32) sum += load<u8>(own, 31);
  return sum;
}

/** Looks at eight codes at once for one in a range; codes behind the end are read and ignored. */
function scanByRanges(): void {
  let done = start;
  for (let at = start; at < end; at += 16) {
    const eight = v128.load(at);
    let hits = i16x8.splat(0);
    for (let range = ranges; range < rangesEnd; range += 32)
      hits = v128.or(hits, i16x8.lt_u(i16x8.sub(eight, v128.load(range)), v128.load(range + 16)));
    for (let bits = i16x8.bitmask(hits); bits !== 0; bits &= bits - 1) {
      const place = at + ((<usize>ctz<i32>(bits)) << 1);
      if (place < done || place >= end) continue;
      done = lookAround(place);
      if (found0 === all) return;
    }
  }
}

function scanByMarks(): void {
  for (let at = start; at < end; ) {
    const code = <u32>load<u16>(at);
    const mark = <usize>load<u8>(byCode + code);
    if (load<u8>(rarer + mark) === 0 && (code !== RARE_TERM || !hasRareTerms)) {
      at += 2;
      continue;
    }
    const next = lookAround(at);
    at = next > at ? next : at + 2;
    if (found0 === all) return;
  }
}

/** The last place at least REACH positions before, or the start, where a code begins for certain. */
function placeBefore(place: usize): usize {
  if (place >= start + 16) {
    const eight = v128.load(place - 16);
    // None of the codes before is special: the last ones are words.
    if (!v128.any_true(i16x8.ge_u(eight, i16x8.splat(<i16>CODES_MAX)))) return place - 2 * REACH;
  }
  let at = place >= start + REACH_BYTES ? place - REACH_BYTES : start;
  while (at > start) {
    const isOperand =
      <u32>load<u16>(at - 2) >= LONG_GAP ||
      (at - start >= 4 && <u32>load<u16>(at - 4) === RARE_TERM);
    if (!isOperand) break;
    at -= 2;
  }
  return at;
}

/** Mark of the term without a code whose ordinal stands at `at`. */
function markAt(at: usize): u32 {
  const ordinal = <u32>load<u16>(at) | ((<u32>load<u16>(at + 2)) << 16);
  let low: u32 = 0;
  let high = rareCount;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(rareStarts + ((<usize>middle) << 2)) <= ordinal) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 0 : <u32>load<u8>(rareMarks + low - 1);
}

/**
 * Adds the pairs within reach of the word at `place`, if a word begins there, and of the rarer ones
 * that it meets. Returns the place up to which it has looked.
 */
function lookAround(place: usize): usize {
  let at = placeBefore(place);
  let position: i32 = 0;
  let last: i32 = 0;
  let stop: i32 = i32.MAX_VALUE;
  // Pairs with their left side 1, 2 and 3 positions before, and with their right side 1 and 2 before.
  let left1: u32 = 0;
  let left2: u32 = 0;
  let left3: u32 = 0;
  let right1: u32 = 0;
  let right2: u32 = 0;
  while (at < end && position < stop) {
    // No word begins at the place: it was a number behind a special code.
    if (at > place && stop === i32.MAX_VALUE) return place + 2;
    const from = at;
    const code = <u32>load<u16>(at);
    at += 2;
    let mark = <u32>load<u8>(byCode + code);
    if (mark === SPECIAL) {
      if (code === FIELD) {
        if (from > place) break;
        at += 2;
        left1 = left2 = left3 = right1 = right2 = 0;
        continue;
      }
      if (code !== RARE_TERM) {
        position += <i32>(code === LONG_GAP ? <u32>load<u16>(at) : code - CODES_MAX);
        if (code === LONG_GAP) at += 2;
        continue;
      }
      mark = markAt(at);
      at += 4;
    }
    position++;
    if (from === place || (from > place && load<u8>(rarer + mark) !== 0)) stop = position + REACH;
    if (mark === 0) continue;
    const gap = position - last;
    last = position;
    if (gap > 1) {
      left3 = gap === 2 ? left2 : gap === 3 ? left1 : 0;
      left2 = gap === 2 ? left1 : 0;
      right2 = gap === 2 ? right1 : 0;
      left1 = 0;
      right1 = 0;
    }
    const own = masks + ((<usize>mark) << 5);
    const right = load<u32>(own, 4);
    const reversed = load<u32>(own, 8);
    found0 |= left1 & right;
    found1 |= (left2 & right) | (right1 & reversed);
    found2 |= (left3 & right) | (right2 & reversed);
    left3 = left2;
    left2 = left1;
    left1 = load<u32>(own);
    right2 = right1;
    right1 = load<u32>(own, 12);
  }
  return at;
}
