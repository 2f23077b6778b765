/** One hit: its title, its other fields, and its score details. */
import { counted } from '../../core/counted.ts';
import { explainScore, type RuleDetails } from './explain-score.ts';
import { piecesOf, shownValue } from './marked-text.ts';

export interface Hit {
  readonly _formatted?: Readonly<Record<string, unknown>>;
  readonly _rankingScore?: number;
  readonly _rankingScoreDetails?: Readonly<Record<string, RuleDetails>>;
  readonly _geoDistance?: number;
  readonly [field: string]: unknown;
}

/** Longer lists and objects are cut in the card. */
const TEXT_SHOWN_MAX = 600;
/** Further fields are hidden until a click. */
const FIELDS_SHOWN = 6;

export const MarkedText = ({ text }: { readonly text: string }) => (
  <>
    {piecesOf(text).map(({ text: piece, isMarked }, i) =>
      isMarked ? <mark key={i}>{piece}</mark> : piece,
    )}
  </>
);

interface FieldProps {
  readonly name: string;
  readonly value: unknown;
}

const Field = ({ name, value }: FieldProps) => {
  const whole = Array.isArray(value) ? value.map(shownValue).join(', ') : shownValue(value);
  const text = whole.length > TEXT_SHOWN_MAX ? `${whole.slice(0, TEXT_SHOWN_MAX)} …` : whole;
  return (
    <>
      <dt>{name}</dt>
      <dd dir="auto">
        <MarkedText text={text} />
      </dd>
    </>
  );
};

const Fields = ({ fields }: { readonly fields: readonly (readonly [string, unknown])[] }) => (
  <dl>
    {fields.map(([name, value]) => (
      <Field key={name} name={name} value={value} />
    ))}
  </dl>
);

const Why = ({ details }: { readonly details: Readonly<Record<string, RuleDetails>> }) => (
  <details class="why">
    <summary>Why this hit?</summary>
    <table>
      <thead>
        <tr>
          <th scope="col">Rule</th>
          <th scope="col">Score</th>
          <th scope="col">Reason</th>
        </tr>
      </thead>
      <tbody>
        {explainScore(details).map(({ rule, score, sentence }) => (
          <tr key={rule}>
            <th scope="row">{rule}</th>
            <td>{score === null ? '–' : <meter value={score} title={score.toFixed(4)} />}</td>
            <td>{sentence}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </details>
);

/** The first text field that reads as a title: neither the id nor a URL. */
function titleFieldOf(fields: readonly (readonly [string, unknown])[], primaryKey: string | null) {
  const isTitle = ([name, value]: readonly [string, unknown]) =>
    typeof value === 'string' && name !== primaryKey && !/^https?:/.test(value);
  return fields.find(isTitle) ?? fields[0];
}

interface HitCardProps {
  readonly hit: Hit;
  readonly primaryKey: string | null;
}

export function HitCard({ hit, primaryKey }: HitCardProps) {
  const fields = Object.entries(hit._formatted ?? hit).filter(([name]) => !name.startsWith('_'));
  const title = titleFieldOf(fields, primaryKey);
  const others = fields.filter((field) => field !== title && field[1] !== null);
  const details = hit._rankingScoreDetails;
  return (
    <li class="hit">
      <article>
        <h2>
          <span dir="auto">
            <MarkedText text={shownValue(title?.[1] ?? '')} />
          </span>
          {hit._rankingScore !== undefined && (
            <span class="score" title="Ranking score, 0 to 1">
              {hit._rankingScore.toFixed(3)}
            </span>
          )}
        </h2>
        {hit._geoDistance !== undefined && <p>{hit._geoDistance.toLocaleString('en')} m away</p>}
        <Fields fields={others.slice(0, FIELDS_SHOWN)} />
        {others.length > FIELDS_SHOWN && (
          <details>
            <summary>{counted(others.length - FIELDS_SHOWN, 'more field')}</summary>
            <Fields fields={others.slice(FIELDS_SHOWN)} />
          </details>
        )}
        {details !== undefined && Object.keys(details).length > 0 && <Why details={details} />}
      </article>
    </li>
  );
}
