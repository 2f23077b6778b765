/**
 * The kernel that looks for neighbouring words in a forward index, in AssemblyScript; `npm run build`
 * compiles it into ../compiled-kernels.ts. ../forward-scan.ts explains the arguments, and
 * ../forward-index.ts the codes. Areas are byte addresses in the one imported memory.
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
/** Buckets of positions. */
const BUCKETS: u32 = 29;
// Bytes from the costs of a step to its lowest cost, to its least one so far, and to the least cost
// from each bucket on.
const LOWEST: usize = 30;
const LEAST: usize = 31;
const REST: usize = 31 * 32;
/** All fields, as bits. */
const everyField: u32 = 0xffffffff;
// Arguments of a scan for places.
const POSITIONS: u32 = 0;
const FIELDS: u32 = 1;
const EXACT_WORDS: u32 = 2;

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
/** First code of each range of rarer terms, and its last code less the first, eight times each. */
let ranges: usize = 0;
let rangesEnd: usize = 0;
/** The same of all terms. */
let marked: usize = 0;
let markedEnd: usize = 0;
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

// A scan for places.
let goal: u32 = 0;
/** Costs of each step, or fields with its exact word. */
let table: usize = 0;
let tableEnd: usize = 0;
/** Steps that a word can still improve: their number, or as bits for exact words. */
let open: u32 = 0;
/** Steps without an exact word in the field so far, and all steps, as bits. */
let absent: u32 = 0;
let everyStep: u32 = 0;
/** Bucket in which the exact word of each step is wanted, and the last of them. */
let wantedBuckets: usize = 0;
let lastBucket: u32 = 0;

export function begin(
  tables: usize,
  rangeCount: u32,
  markedCount: u32,
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
  marked = ranges + 0x100;
  markedEnd = marked + ((<usize>markedCount) << 5);
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
 * of its position (`byField` = 0), or by its field. Costs are 32 bytes a step, with room for `REST`.
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
  goal = byField !== 0 ? FIELDS : POSITIONS;
  table = costs;
  tableEnd = costs + ((<usize>steps) << 5);
  if (goal === POSITIONS) sumUpRests();
  for (let i: u32 = 0; i < count; i++, places += 8, into += 4) {
    setDocument(places, codes);
    for (let own = table; own < tableEnd; own += 32) store<u8>(own, 0xff, LEAST);
    open = steps;
    scanPlaces();
    let sum: u32 = 0;
    for (let own = table; own < tableEnd; own += 32) sum += load<u8>(own, LEAST);
    store<u32>(into, sum);
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
  goal = EXACT_WORDS;
  table = fields;
  tableEnd = fields + ((<usize>steps) << 2);
  wantedBuckets = buckets;
  lastBucket = 0;
  for (let i: u32 = 0; i < steps; i++) lastBucket = max<u32>(lastBucket, load<u8>(buckets + i));
  everyStep = <u32>(((<u64>1) << steps) - 1);
  for (let i: u32 = 0; i < count; i++, places += 8, into += 4) {
    setDocument(places, codes);
    for (let own = table; own < tableEnd; own += 4) store<u32>(own, 0);
    open = absent = everyStep;
    scanPlaces();
    let common = open === 0 ? everyField : 0;
    for (let own = table; own < tableEnd; own += 4) common &= load<u32>(own);
    store<u32>(into, common);
  }
}

/** Reads the words of the document, of each field up to the place from which on none counts. */
function scanPlaces(): void {
  let field: u32 = 0;
  let position: u32 = 0;
  let stop: u32 = u32.MAX_VALUE;
  for (let at = start; at < end; ) {
    if (position >= stop) {
      at = nextField(at);
      stop = u32.MAX_VALUE;
      continue;
    }
    if (at + 16 <= end && markedEnd !== marked) {
      const eight = v128.load(at);
      const count = unmarkedOf(eight);
      if (count !== 0) {
        position += positionsOf(eight, count);
        at += (<usize>count) << 1;
        continue;
      }
    }
    const code = <u32>load<u16>(at);
    at += 2;
    let mark = <u32>load<u8>(byCode + code);
    if (mark === SPECIAL) {
      if (code === FIELD) {
        field = load<u16>(at);
        position = 0;
        at += 2;
        if (goal === FIELDS && nextField(at) === end && takesLastField(field)) return;
        stop = beginField(field);
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
    if (goal === EXACT_WORDS) {
      if (isEnoughOf(mark, field, place)) stop = 0;
    } else if (isCheaper(mark, field, place)) {
      if (open === 0) return;
      stop = stopOf(field);
    }
  }
}

/** How many of eight codes stand before the first one that may have a mark, or is followed by a number. */
function unmarkedOf(codes: v128): u32 {
  let found = i16x8.ge_u(codes, i16x8.splat(<i16>LONG_GAP));
  for (let range = marked; range < markedEnd; range += 32)
    found = v128.or(found, areIn(range, codes));
  return ctz<i32>(i16x8.bitmask(found) | 0x100);
}

/** Positions of the first words and gaps of eight. */
function positionsOf(codes: v128, count: u32): u32 {
  const gaps = i16x8.ge_u(codes, i16x8.splat(<i16>CODES_MAX));
  if (!v128.any_true(gaps)) return count;
  const each = v128.bitselect(i16x8.sub(codes, i16x8.splat(<i16>CODES_MAX)), i16x8.splat(1), gaps);
  const first = i16x8.lt_u(i16x8(0, 1, 2, 3, 4, 5, 6, 7), i16x8.splat(<i16>count));
  const sums = i32x4.dot_i16x8_s(v128.and(each, first), i16x8.splat(1));
  return (
    i32x4.extract_lane(sums, 0) +
    i32x4.extract_lane(sums, 1) +
    i32x4.extract_lane(sums, 2) +
    i32x4.extract_lane(sums, 3)
  );
}

/** Returns the position of the field from which on no word counts. */
function beginField(field: u32): u32 {
  absent = everyStep;
  return goal === EXACT_WORDS ? u32.MAX_VALUE : stopOf(field);
}

/**
 * A step without a word so far has one in the last field of the document; fields come in any order.
 * False when a word there may be cheaper than one that has been found.
 */
function takesLastField(field: u32): bool {
  for (let own = table; own < tableEnd; own += 32) {
    const least = load<u8>(own, LEAST);
    if (least !== 0xff && load<u8>(own + field) < least) return false;
  }
  for (let own = table; own < tableEnd; own += 32)
    store<u8>(own, min<u8>(load<u8>(own, LEAST), load<u8>(own + field)), LEAST);
  return true;
}

/** Notes the exact word of steps; true when no other word of the field counts. */
function isEnoughOf(mark: u32, field: u32, place: u32): bool {
  const bucket = bucketOf(place);
  for (let own = load<u32>(masks + ((<usize>mark) << 5), EXACT); own !== 0; own &= own - 1) {
    const step = ctz<u32>(own);
    const found = table + ((<usize>step) << 2);
    store<u32>(found, load<u32>(found) | (1 << field));
    absent &= ~(1 << step);
    if (bucket === <u32>load<u8>(wantedBuckets + step)) open &= ~(1 << step);
  }
  return absent === 0 && (open === 0 || bucket > lastBucket);
}

/** True when the word lowers the cost of a step. */
function isCheaper(mark: u32, field: u32, place: u32): bool {
  const index = goal === FIELDS ? field : bucketOf(place);
  let isLess = false;
  for (let own = load<u32>(masks + ((<usize>mark) << 5), PLACE); own !== 0; own &= own - 1) {
    const step = table + ((<usize>ctz<u32>(own)) << 5);
    const cost = load<u8>(step + index);
    if (cost >= load<u8>(step, LEAST)) continue;
    store<u8>(step, cost, LEAST);
    if (cost === load<u8>(step, LOWEST)) open--;
    isLess = true;
  }
  return isLess;
}

/** Bucket of a position: exact below 16, then ever coarser. */
function bucketOf(position: u32): u32 {
  if (position < 16) return position;
  return position < 24 ? 16 : 44 - clz<u32>(position - 1);
}

/** Writes for each bucket the least cost from there on: see `REST`. */
function sumUpRests(): void {
  for (let own = table; own < tableEnd; own += 32) {
    let least: u32 = 0xff;
    for (let bucket: i32 = BUCKETS - 1; bucket >= 0; bucket--) {
      least = min<u32>(least, load<u8>(own + bucket));
      store<u8>(own + bucket, <u8>least, REST);
    }
  }
}

/** Position of the field from which on no word lowers a cost. */
function stopOf(field: u32): u32 {
  if (goal === FIELDS) {
    for (let own = table; own < tableEnd; own += 32)
      if (load<u8>(own + field) < load<u8>(own, LEAST)) return u32.MAX_VALUE;
    return 0;
  }
  let bucket: u32 = 0;
  for (let own = table; own < tableEnd; own += 32) {
    const least = load<u8>(own, LEAST);
    while (load<u8>(own + bucket, REST) < least) if (++bucket === BUCKETS) return u32.MAX_VALUE;
  }
  if (bucket <= 16) return bucket;
  return bucket === 17 ? 24 : (1 << (bucket - 13)) + 1;
}

/** Where the next field begins, or the end of the document. @param at begins a code */
function nextField(at: usize): usize {
  for (; at < end; at += 16) {
    const fields = i16x8.eq(v128.load(at), i16x8.splat(<i16>FIELD));
    for (let bits = i16x8.bitmask(fields); bits !== 0; bits &= bits - 1) {
      const place = at + ((<usize>ctz<i32>(bits)) << 1);
      if (place < end && beginsCode(place)) return place;
    }
  }
  return end;
}

/** False for a number behind a special code. */
function beginsCode(place: usize): bool {
  let at = codeBefore(place);
  while (at < place) {
    const code = <u32>load<u16>(at);
    at += code === RARE_TERM ? 6 : code >= LONG_GAP ? 4 : 2;
  }
  return at === place;
}

/** Looks at sixteen codes at once for one in a range; codes behind the end are read and ignored. */
function scanByRanges(): void {
  let done = start;
  for (let at = start; at < end; at += 32) {
    const first = v128.load(at);
    const second = v128.load(at, 16);
    let firstHits = i16x8.splat(0);
    let secondHits = i16x8.splat(0);
    for (let range = ranges; range < rangesEnd; range += 32) {
      firstHits = v128.or(firstHits, areIn(range, first));
      secondHits = v128.or(secondHits, areIn(range, second));
    }
    let bits = i8x16.bitmask(i8x16.narrow_i16x8_s(firstHits, secondHits));
    for (; bits !== 0; bits &= bits - 1) {
      const place = at + ((<usize>ctz<i32>(bits)) << 1);
      if (place < done || place >= end || isOtherRareTerm(place)) continue;
      done = lookAround(place);
      if (found0 === all) return;
    }
  }
}

/** Which of eight codes are in a range. */
function areIn(range: usize, codes: v128): v128 {
  const above = i16x8.sub(codes, v128.load(range));
  return i16x8.eq(i16x8.min_u(above, v128.load(range, 16)), above);
}

/** True for a rare term that is not the rarer side of a pair. */
function isOtherRareTerm(place: usize): bool {
  return <u32>load<u16>(place) === RARE_TERM && load<u8>(rarer + markAt(place + 2)) === 0;
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
  return codeBefore(place >= start + REACH_BYTES ? place - REACH_BYTES : start);
}

/** The last place up to `at`, or the start, where a code begins for certain. */
function codeBefore(at: usize): usize {
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
