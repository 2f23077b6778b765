/**
 * The kernel that finds neighbouring words by posting lists, in AssemblyScript; `npm run build` compiles
 * it into ../compiled-kernels.ts. ../pair-kernel.ts explains the arguments, and ../posting-list-format.ts
 * the lists. Areas are byte addresses in the one imported memory; places in the section of posting
 * lists are counted from its first byte, of which `origin` is the address.
 */

const BLOCK: u32 = 128;
const ENTRY: usize = 12;
const BITMAP: u32 = 64;
const ESCAPE: u32 = 7;
/** Positions between the words of a pair of the largest cost. */
const REACH: u32 = 3;
/** Occurrences of a document that are sorted by insertion. */
const SORTED_MAX: u32 = 256;

// Areas, set by `begin`.
/** Documents of a block, and the state of the wanted ones: see the offsets below. */
let scratch: usize = 0;
const PLACES: usize = 512;
const SLOTS: usize = 1024;
const CODE_FIELDS: usize = 1536;
let masks: usize = 0;
let wideBits: u32 = 0;
/** Wanted documents as bits; one word more is zero. */
let bits: usize = 0;
/** Number of the first document of each word among the wanted ones. */
let firstSlots: usize = 0;
let firstDoc: u32 = 0;
let lastDoc: u32 = 0;
let slotCount: u32 = 0;
/** Least cost of each wanted document so far: a byte. */
let costs: usize = 0;
/** First of the sorted occurrences of each wanted document, and the end of the last. */
let offsets: usize = 0;
/** Ends of the sorted part. */
let ends: usize = 0;
/** Number of occurrences that can be held. */
let room: u32 = 0;
let heldSlots: usize = 0;
let heldKeys: usize = 0;
let heldUses: usize = 0;
let sortedKeys: usize = 0;
let sortedUses: usize = 0;

/** End of the copied bytes. */
let copiedEnd: usize = 0;
/** A list does not end where its bytes do. */
let isDamaged: bool = false;

// Modes of reading occurrences.
let isHolding: bool = false;
let held: u32 = 0;
let isFull: bool = false;
/** 1 = the held words stand on the left. */
let heldIsLeft: bool = false;
/** Uses of the terms that are read: 1 = in the order of the query, 2 = against it. */
let uses: u32 = 0;
let slot: u32 = 0;
let at: u32 = 0;
let atEnd: u32 = 0;
/** Lower values of the document are not near what is held; NONE = no further one is. */
let least: u32 = 0;
const NONE: u32 = 0xffffffff;

// The block of occurrences that is read: see posting-list-format.ts.
let total: u32 = 0;
/** 0 = each document has one occurrence. */
let starts: usize = 0;
let values: usize = 0;
let width: u32 = 0;
let laneLength: u32 = 0;
let exception: usize = 0;
let exceptionsEnd: usize = 0;
/** Number of the value of the next exception. */
let nextException: u32 = 0;
/** Marks of first occurrences, from that of document `docsBefore` on, and the number of the first of them. */
let marks: u32 = 0;
let marksAt: u32 = 0;
let docsBefore: u32 = 0;
/** Occurrences of the document: from the first one up to the one before `end`. */
let first: u32 = 0;
let end: u32 = 0;

// The list that is read.
let origin: usize = 0;
let cursor: usize = 0;
let codeBits: u32 = 0;
let codeMask: u32 = 0;
let isWide: bool = false;

export function begin(
  tables: usize,
  maskTable: usize,
  bitsOfWideCodes: u32,
  wantedBits: usize,
  slotsOfWords: usize,
  firstWanted: u32,
  lastWanted: u32,
  count: u32,
): void {
  scratch = tables;
  masks = maskTable;
  wideBits = bitsOfWideCodes;
  bits = wantedBits;
  firstSlots = slotsOfWords;
  firstDoc = firstWanted;
  lastDoc = lastWanted;
  slotCount = count;
}

export function beginPairs(
  leastCosts: usize,
  slotOffsets: usize,
  slotEnds: usize,
  capacity: u32,
  slotsHeld: usize,
  keysHeld: usize,
  usesHeld: usize,
  keysSorted: usize,
  usesSorted: usize,
  endOfCopies: usize,
): void {
  costs = leastCosts;
  offsets = slotOffsets;
  ends = slotEnds;
  room = capacity;
  heldSlots = slotsHeld;
  heldKeys = keysHeld;
  heldUses = usesHeld;
  sortedKeys = keysSorted;
  sortedUses = usesSorted;
  copiedEnd = endOfCopies;
  isDamaged = false;
}

/** Sets the wanted documents, which ascend. */
export function want(docs: usize): void {
  const base = firstDoc >>> 5;
  memory.fill(bits, 0, ((<usize>((lastDoc >>> 5) - base)) << 2) + 8);
  for (let i: u32 = 0; i < slotCount; i++) {
    const doc = load<u32>(docs + ((<usize>i) << 2));
    const word = (<usize>((doc >>> 5) - base)) << 2;
    const before = load<u32>(bits + word);
    if (before === 0) store<u32>(firstSlots + word, i);
    store<u32>(bits + word, before | (1 << (doc & 31)));
  }
}

/** The next occurrences are held. */
export function hold(): void {
  isHolding = true;
  held = 0;
  isFull = false;
}

/**
 * Sorts what is held by document and position; the next occurrences are compared with it. Returns 0 when
 * there was no room for all, when a list was damaged, or when sorting would take long.
 */
export function compare(isLeft: u32, farCost: u32): u32 {
  isHolding = false;
  heldIsLeft = isLeft !== 0;
  memory.fill(costs, <u8>farCost, slotCount);
  if (isFull || isDamaged) return 0;
  memory.fill(offsets, 0, ((<usize>slotCount) << 2) + 4);
  for (let i: u32 = 0; i < held; i++) {
    const own = offsets + ((<usize>load<u32>(heldSlots + ((<usize>i) << 2))) << 2);
    store<u32>(own, load<u32>(own) + 1);
  }
  let sum: u32 = 0;
  for (let own = offsets, end = offsets + ((<usize>slotCount) << 2); own <= end; own += 4) {
    const count = load<u32>(own);
    store<u32>(own, sum);
    sum += count;
  }
  memory.copy(ends, offsets, (<usize>slotCount) << 2);
  for (let i: u32 = 0; i < held; i++) {
    const own = (<usize>load<u32>(heldSlots + ((<usize>i) << 2))) << 2;
    const end = load<u32>(ends + own);
    store<u32>(ends + own, end + 1);
    if (!place(i, end, load<u32>(offsets + own))) return 0;
  }
  return 1;
}

/** Places occurrence `i` among the sorted ones of its document, `[first, to)`. */
function place(i: u32, to: u32, first: u32): bool {
  const key = load<u32>(heldKeys + ((<usize>i) << 2));
  const use = load<u8>(heldUses + i);
  let into = to;
  while (into > first) {
    const before = load<u32>(sortedKeys + ((<usize>(into - 1)) << 2));
    if (before <= key) break;
    if (to - into > SORTED_MAX) return false;
    store<u32>(sortedKeys + ((<usize>into) << 2), before);
    store<u8>(sortedUses + into, load<u8>(sortedUses + into - 1));
    into--;
  }
  store<u32>(sortedKeys + ((<usize>into) << 2), key);
  store<u8>(sortedUses + into, use);
  return true;
}

/** Adds the costs to `sums`; returns 0 when a list was damaged. */
export function addCosts(sums: usize): u32 {
  for (let i: u32 = 0; i < slotCount; i++) {
    const own = sums + ((<usize>i) << 2);
    store<u32>(own, load<u32>(own) + load<u8>(costs + i));
  }
  return isDamaged ? 0 : 1;
}

/** Reads lists that follow each other. @param offsets places of the lists in the section */
export function takeLists(
  sectionStart: usize,
  listOffsets: usize,
  count: u32,
  usesOfTerms: u32,
): void {
  origin = sectionStart;
  uses = usesOfTerms;
  for (let i: u32 = 0; i < count; i++) takeList(load<u32>(listOffsets + ((<usize>i) << 2)));
}

function takeList(offset: u32): void {
  cursor = origin + offset;
  const head = varint();
  const code = head & 7;
  setCodes(load<u32>(masks + ((<usize>(code === ESCAPE ? varint() : code)) << 2)));
  const count = head >>> 4;
  let before: i32 = -1;
  if (count >= BLOCK) {
    const base = origin + ((cursor - origin + 3) & ~3);
    const end = base + <usize>(count >>> 7) * ENTRY;
    if (isBehind(end)) return;
    for (let entry = base; entry < end; entry += ENTRY) {
      const last = load<u32>(entry);
      const place = load<u32>(entry, 4);
      if (last >= firstDoc)
        takeBlock(
          before,
          last,
          base + ((<usize>(place & 0xffffff)) << 2),
          place >>> 24,
          base + ((<usize>load<u32>(entry, 8)) << 2),
        );
      before = <i32>last;
      if (last >= lastDoc) return;
    }
    cursor = end;
  }
  takeRun(count & (BLOCK - 1), before, (head & 8) !== 0);
}

/**
 * Reads blocks of a list: of each its last document and the one before it, the address of its documents, their
 * encoding, and the address of its occurrences.
 */
export function takeBlocks(table: usize, count: u32, mask: u32, usesOfTerms: u32): void {
  uses = usesOfTerms;
  setCodes(mask);
  for (let entry = table, end = table + <usize>count * 20; entry < end; entry += 20)
    takeBlock(
      load<i32>(entry, 4),
      load<u32>(entry),
      load<u32>(entry, 8),
      load<u32>(entry, 12),
      load<u32>(entry, 16),
    );
}

/** Reads the run of a list. @param isSingle 1 = each document has one occurrence */
export function takeRest(
  from: usize,
  count: u32,
  before: i32,
  isSingle: u32,
  mask: u32,
  usesOfTerms: u32,
): void {
  uses = usesOfTerms;
  setCodes(mask);
  cursor = from;
  takeRun(count, before, isSingle !== 0);
}

function setCodes(mask: u32): void {
  isWide = mask >>> 31 === 1;
  if (isWide) codeBits = wideBits;
  else {
    let count: u32 = 0;
    for (let rest = mask; rest !== 0; rest &= rest - 1)
      store<u8>(scratch + CODE_FIELDS + count++, <u8>ctz(rest));
    codeBits = count < 2 ? 0 : 32 - clz(count - 1);
  }
  codeMask = (1 << codeBits) - 1;
}

function fieldOf(value: u32): u32 {
  const code = value & codeMask;
  return isWide ? code : load<u8>(scratch + CODE_FIELDS + code);
}

function varint(): u32 {
  const byte: u32 = load<u8>(cursor++);
  return byte < 0x80 ? byte : longVarint(byte);
}

function longVarint(first: u32): u32 {
  let value = first & 0x7f;
  for (let shift: u32 = 7; shift < 35; shift += 7) {
    const byte: u32 = load<u8>(cursor++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return value;
}

/** The number of a wanted document, or -1. */
function slotOf(doc: u32): i32 {
  const word = (<usize>((doc >>> 5) - (firstDoc >>> 5))) << 2;
  if (doc < firstDoc || doc > lastDoc) return -1;
  const own = load<u32>(bits + word);
  const bit: u32 = 1 << (doc & 31);
  if ((own & bit) === 0) return -1;
  return load<u32>(firstSlots + word) + popcnt(own & (bit - 1));
}

function takeBlock(before: i32, last: u32, docs: usize, encoding: u32, occurrences: usize): void {
  const count =
    encoding === BITMAP
      ? placesInBitmap(docs, before, last)
      : placesInPacked(docs, encoding, before);
  if (count !== 0) takePlaces(occurrences, count);
}

/** Writes places and numbers of the wanted documents of a block; returns how many they are. */
function placesInBitmap(from: usize, before: i32, last: u32): u32 {
  let count: u32 = 0;
  let docsBefore: u32 = 0;
  const first = <u32>(before + 1) >>> 5;
  for (let word = first; word <= last >>> 5; word++) {
    const own = load<u32>(from + ((<usize>(word - first)) << 2));
    if (word >= firstDoc >>> 5 && word <= lastDoc >>> 5) {
      const at = (<usize>(word - (firstDoc >>> 5))) << 2;
      const wanted = load<u32>(bits + at);
      for (let both = own & wanted; both !== 0; both &= both - 1) {
        const below = (1 << ctz(both)) - 1;
        store<u8>(scratch + PLACES + count, <u8>(docsBefore + popcnt(own & below)));
        store<u32>(
          scratch + SLOTS + ((<usize>count) << 2),
          load<u32>(firstSlots + at) + popcnt(wanted & below),
        );
        count++;
      }
    }
    docsBefore += popcnt(own);
  }
  return count;
}

/** The same of packed documents. */
function placesInPacked(from: usize, width: u32, before: i32): u32 {
  unpackDocuments(from, width);
  let count: u32 = 0;
  let base = <u32>before;
  const firstWord = firstDoc >>> 5;
  const end = (lastDoc >>> 5) - firstWord + 1;
  for (let lane: usize = 0; lane < 4; lane++) {
    const docs = scratch + (lane << 2);
    for (let i: usize = 0; i < 32; i++) {
      const doc = load<u32>(docs + (i << 4)) + base;
      const word = (doc >>> 5) - firstWord;
      store<u8>(scratch + PLACES + count, <u8>((lane << 5) + i));
      store<u32>(scratch + SLOTS + ((<usize>count) << 2), doc);
      // The word behind the last one is zero.
      count += (load<u32>(bits + ((<usize>min(word, end)) << 2)) >>> (doc & 31)) & 1;
    }
    base += load<u32>(docs + 496);
  }
  for (let i: usize = 0; i < count; i++) {
    const own = scratch + SLOTS + (i << 2);
    store<u32>(own, slotOf(load<u32>(own)));
  }
  return count;
}

/**
 * Writes the documents of a block to `scratch`, those of the four lanes by turns; to those of the second lane
 * the last of the first is still to be added, and so on.
 */
function unpackDocuments(from: usize, width: u32): void {
  const mask = i32x4.splat(width === 0 ? 0 : <i32>(0xffffffff >>> (32 - width)));
  const one = i32x4.splat(1);
  let sum = i32x4.splat(0);
  let shift: u32 = 0;
  let own = v128.load(from);
  for (let i: usize = 0; i < 32; i++) {
    let value: v128;
    if (shift + width <= 32) {
      value = i32x4.shr_u(own, shift);
      shift += width;
    } else {
      from += 16;
      const next = v128.load(from);
      const kept = 32 - shift;
      value = kept === 0 ? next : v128.or(i32x4.shr_u(own, shift), i32x4.shl(next, kept));
      shift = width - kept;
      own = next;
    }
    sum = i32x4.add(sum, i32x4.add(v128.and(value, mask), one));
    v128.store(scratch + (i << 4), sum);
  }
}

/** Reads the occurrences of the wanted documents of a block. */
function takePlaces(from: usize, count: u32): void {
  openBlock(from);
  if (isBehind(exceptionsEnd)) return;
  for (let n: u32 = 0; n < count; n++) {
    const own = load<u32>(scratch + SLOTS + ((<usize>n) << 2));
    if (starts === 0) {
      first = load<u8>(scratch + PLACES + n);
      end = first + 1;
    } else if (!seek(load<u8>(scratch + PLACES + n))) return;
    if (setSlot(own)) takeValues();
  }
}

function openBlock(from: usize): void {
  const head = load<u32>(from);
  width = head & 63;
  total = BLOCK;
  starts = 0;
  values = from + 4;
  if ((head & 64) !== 0) {
    total = load<u32>(from, 4);
    starts = from + 8;
    values = starts + ((<usize>((total + 31) >>> 5)) << 2);
    marks = load<u32>(starts);
    marksAt = 0;
    docsBefore = 0;
  }
  laneLength = (total + 3) >>> 2;
  exception = values + ((<usize>((laneLength * width + 31) >>> 5)) << 4);
  exceptionsEnd = exception + ((<usize>(head >>> 7)) << 2);
  nextException = exceptionIndex();
}

/** Whether a part of a list ends behind what was copied, so that it is damaged. */
function isBehind(end: usize): bool {
  if (end > copiedEnd) isDamaged = true;
  return isDamaged;
}

function exceptionIndex(): u32 {
  return exception < exceptionsEnd ? load<u32>(exception) >>> 16 : NONE;
}

/** Sets the occurrences of the document at a place, which is not before the last one. */
function seek(place: u32): bool {
  for (let own: u32 = popcnt(marks); docsBefore + own <= place; own = popcnt(marks)) {
    docsBefore += own;
    marksAt += 32;
    if (marksAt >= total) return false;
    marks = load<u32>(starts + (marksAt >>> 3));
  }
  for (; docsBefore < place; docsBefore++) marks &= marks - 1;
  first = marksAt + ctz(marks);
  let next = marks & (marks - 1);
  let nextAt = marksAt;
  while (next === 0) {
    nextAt += 32;
    if (nextAt >= total) break;
    next = load<u32>(starts + (nextAt >>> 3));
  }
  end = next === 0 ? total : nextAt + ctz(next);
  return true;
}

/** Reads the occurrences of a document, as long as they can be near what is held. */
function takeValues(): void {
  while (nextException < first) {
    exception += 4;
    nextException = exceptionIndex();
  }
  // In variables of the function: others are read from memory after each call.
  const valuesAt = values;
  const bits = width;
  const length = laneLength;
  const mask = bits === 0 ? 0 : 0xffffffff >>> (32 - bits);
  const ownEnd = end;
  let index = nextException;
  let lane = first / length;
  let bit = (first - lane * length) * bits;
  let laneEnd = (lane + 1) * length;
  let value: u32 = 0;
  for (let i = first; i < ownEnd; i++, bit += bits) {
    if (i === laneEnd) {
      lane++;
      laneEnd += length;
      bit = 0;
    }
    const own = valuesAt + ((<usize>lane) << 2) + ((<usize>(bit >>> 5)) << 4);
    const both = <u64>load<u32>(own) | ((<u64>load<u32>(own, 16)) << 32);
    value += <u32>(both >>> (bit & 31)) & mask;
    if (i === index) {
      value += (load<u32>(exception) & 0xffff) << bits;
      exception += 4;
      index = nextException = exceptionIndex();
    }
    if (value < least) continue;
    take(value);
    if (least === NONE) return;
  }
}

/** Reads a run of documents at the cursor. */
function takeRun(count: u32, before: i32, isSingle: bool): void {
  let doc = <u32>before;
  let wanted: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    doc += varint() + 1;
    const own = slotOf(doc);
    store<i32>(scratch + ((<usize>i) << 2), own);
    if (own >= 0) wanted = i + 1;
  }
  for (let i: u32 = 0; i < wanted; i++) {
    const own = load<i32>(scratch + ((<usize>i) << 2));
    const isTaken = own >= 0 && setSlot(own);
    if (isSingle) {
      const value = varint();
      if (isTaken) take(value);
    } else if (isWide) takeCounted(isTaken);
    else takeLinked(isTaken);
  }
}

function takeCounted(isTaken: bool): void {
  let value: u32 = 0;
  for (let left = varint(); left > 0 && !isBehind(cursor); left--) {
    value += varint();
    if (isTaken) take(value);
  }
}

function takeLinked(isTaken: bool): void {
  let value: u32 = 0;
  while (!isBehind(cursor)) {
    const linked = varint();
    value += linked >>> 1;
    if (isTaken) take(value);
    if ((linked & 1) === 0) return;
  }
}

/** Sets the document of the next occurrences; false when they cannot make it cheaper. */
function setSlot(own: u32): bool {
  slot = own;
  least = 0;
  if (isHolding) return true;
  if (load<u8>(costs + own) === 0) return false;
  at = load<u32>(offsets + ((<usize>own) << 2));
  atEnd = load<u32>(offsets + ((<usize>own) << 2), 4);
  setLeast();
  return at < atEnd;
}

/** Holds the occurrence, or compares it with those held. */
function take(value: u32): void {
  const key = ((value >>> codeBits) << 16) | fieldOf(value);
  if (isHolding) keep(key);
  else compareWithHeld(key);
}

function keep(key: u32): void {
  if (held === room) {
    isFull = true;
    return;
  }
  store<u32>(heldSlots + ((<usize>held) << 2), slot);
  store<u32>(heldKeys + ((<usize>held) << 2), key);
  store<u8>(heldUses + held, <u8>uses);
  held++;
}

function setLeast(): void {
  if (at === atEnd) least = NONE;
  else {
    const position = load<u32>(sortedKeys + ((<usize>at) << 2)) >>> 16;
    least = position < REACH ? 0 : (position - REACH) << codeBits;
  }
}

/** The occurrences of a term in a document ascend, so that held ones are passed once. */
function compareWithHeld(key: u32): void {
  const position = key >>> 16;
  const passed = at;
  while (at < atEnd && (load<u32>(sortedKeys + ((<usize>at) << 2)) >>> 16) + REACH < position) at++;
  if (at !== passed) setLeast();
  for (let i = at; i < atEnd; i++) {
    if (load<u32>(sortedKeys + ((<usize>i) << 2)) >>> 16 > position + REACH) return;
    const cost = costOf(key, i);
    if (cost >= <u32>load<u8>(costs + slot)) continue;
    store<u8>(costs + slot, <u8>cost);
    if (cost === 0) least = NONE;
  }
}

/** Cost of an occurrence with held occurrence `i`. */
function costOf(key: u32, i: u32): u32 {
  const other = load<u32>(sortedKeys + ((<usize>i) << 2));
  if ((other & 0xffff) !== (key & 0xffff)) return REACH;
  const later = <i32>(key >>> 16) - <i32>(other >>> 16);
  const gap = heldIsLeft ? later : -later;
  const both = uses & load<u8>(sortedUses + i);
  if (gap > 0) return (both & 1) !== 0 ? gap - 1 : REACH;
  return gap < 0 && (both & 2) !== 0 ? -gap : REACH;
}
