/** A value of a document as text, tags or a date. Never as HTML. */
import { piecesOf, shownValue } from './marked-text.ts';
import { dayOf, timeUnitOf } from './time-values.ts';

/** Longer texts and lists are cut. */
const TEXT_SHOWN_MAX = 400;
const TAGS_SHOWN_MAX = 8;
const TAG_LENGTH_MAX = 40;

export const MarkedText = ({ text }: { readonly text: string }) => (
  <>
    {piecesOf(text).map(({ text: piece, isMarked }, i) =>
      isMarked ? <mark key={i}>{piece}</mark> : piece,
    )}
  </>
);

interface FieldValueProps {
  readonly name: string;
  readonly value: unknown;
}

const isTag = (value: unknown): boolean => shownValue(value).length <= TAG_LENGTH_MAX;

export function FieldValue({ name, value }: FieldValueProps) {
  if (Array.isArray(value) && value.length > 0 && value.every(isTag)) return <Tags all={value} />;
  // Highlighted copies of a document have texts instead of numbers.
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) {
    const unit = timeUnitOf(name, [number]);
    if (unit !== null) return <time title={String(number)}>{dayOf(number, unit)}</time>;
  }
  const whole = Array.isArray(value) ? value.map(shownValue).join(', ') : shownValue(value);
  const text = whole.length > TEXT_SHOWN_MAX ? `${whole.slice(0, TEXT_SHOWN_MAX)} …` : whole;
  return <MarkedText text={text} />;
}

const Tags = ({ all }: { readonly all: readonly unknown[] }) => (
  <>
    {all.slice(0, TAGS_SHOWN_MAX).map((value, i) => (
      <span key={i} class="tag" dir="auto">
        <MarkedText text={shownValue(value)} />
      </span>
    ))}
    {all.length > TAGS_SHOWN_MAX && (
      <span class="about">and {all.length - TAGS_SHOWN_MAX} more</span>
    )}
  </>
);
