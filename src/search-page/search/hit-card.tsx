/** One hit like a product: image, title and fields; score details and JSON on demand. */
import { useState } from 'preact/hooks';
import { counted } from '../../core/counted.ts';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { distanceM, humanDistance, type LatLng, latLngOf } from './distance.ts';
import { explainScore, type RuleDetails } from './explain-score.ts';
import { FieldValue, MarkedText } from './field-value.tsx';
import { hitParts, type IndexFields, type NamedValue } from './hit-fields.ts';
import { HitImage } from './hit-image.tsx';
import { shownValue, unmarked } from './marked-text.ts';

export interface Hit {
  readonly _formatted?: Readonly<Record<string, unknown>>;
  readonly _rankingScore?: number;
  readonly _rankingScoreDetails?: Readonly<Record<string, RuleDetails>>;
  readonly _geoDistance?: number;
  readonly [field: string]: unknown;
}

/** Further fields are hidden until a click. */
const FIELDS_SHOWN = 6;
/** Members that the search adds to documents. */
const ADDED = ['_formatted', '_rankingScore', '_rankingScoreDetails', '_geoDistance'];

const Fields = ({ fields }: { readonly fields: readonly NamedValue[] }) => (
  <dl>
    {fields.map(([name, value]) => (
      <div key={name}>
        <dt dir="auto">{name}</dt>
        <dd dir="auto">
          <FieldValue name={name} value={value} />
        </dd>
      </div>
    ))}
  </dl>
);

export interface HitCardProps {
  readonly hit: Hit;
  readonly fields: IndexFields;
  readonly areImagesShown: boolean;
  /** Point that distances are measured from, null = none. */
  readonly near: LatLng | null;
  /** Shows the hits nearest to a place; null if the index cannot be sorted by `_geo`. */
  readonly onNear: ((place: LatLng) => void) | null;
  /** Address of the document in the documents view, null without the right to see it. */
  readonly editHref: string | null;
}

type Panel = 'why' | 'json' | null;

/** Characters of a title in the names of its buttons. */
const NAME_LENGTH_MAX = 80;

export function HitCard({
  hit,
  fields: names,
  areImagesShown,
  near,
  onNear,
  editHref,
}: HitCardProps) {
  const [panel, setPanel] = useState<Panel>(null);
  const { id, title, image, fields } = hitParts(hit, hit._formatted ?? hit, names);
  const details = hit._rankingScoreDetails ?? {};
  const isImageShown = image !== null && (areImagesShown || image.startsWith('data:'));
  const titleText = shownValue(title?.[1] ?? '');
  const about = `: ${unmarked(titleText).slice(0, NAME_LENGTH_MAX)}`;
  const panelButton = (chosen: Panel, text: string) => (
    <Button
      text={text}
      about={about}
      class="ghost"
      aria-expanded={panel === chosen}
      onClick={() => setPanel(panel === chosen ? null : chosen)}
    />
  );
  const place = latLngOf(hit['_geo']);
  return (
    <li class="hit">
      <article class="card">
        {isImageShown && <HitImage url={image} />}
        <div class="body">
          <h2>
            <span dir="auto">
              <MarkedText text={titleText} />
            </span>
            {id !== null && (
              <span class="id" title={names.primaryKey ?? ''}>
                {id}
              </span>
            )}
          </h2>
          {place !== null && <Where place={place} near={near} measured={hit._geoDistance} />}
          <Fields fields={fields.slice(0, FIELDS_SHOWN)} />
          {fields.length > FIELDS_SHOWN && (
            <details>
              <summary>{counted(fields.length - FIELDS_SHOWN, 'more field')}</summary>
              <Fields fields={fields.slice(FIELDS_SHOWN)} />
            </details>
          )}
          <div class="actions row">
            {Object.keys(details).length > 0 && panelButton('why', 'Why this hit?')}
            {panelButton('json', 'JSON')}
            {onNear !== null && place !== null && (
              <Button
                text="Nearest to this"
                about={about}
                class="ghost"
                onClick={() => onNear(place)}
              />
            )}
            {editHref !== null && (
              <a href={editHref}>
                Edit<span class="hidden">{about}</span>
              </a>
            )}
          </div>
          {panel === 'why' && <ScoreTable score={hit._rankingScore} details={details} />}
          {panel === 'json' && <Json hit={hit} about={about} />}
        </div>
      </article>
    </li>
  );
}

interface WhereProps {
  readonly place: LatLng;
  readonly near: LatLng | null;
  /** Distance in the answer of the server, in metres; only if it sorted by distance. */
  readonly measured: number | undefined;
}

const Where = ({ place, near, measured }: WhereProps) => (
  <p class="where">
    {near !== null && <strong>{humanDistance(measured ?? distanceM(near, place))} away</strong>}{' '}
    <span class="about">
      {place.lat.toFixed(4)}, {place.lng.toFixed(4)}
    </span>
  </p>
);

function Json({ hit, about }: { readonly hit: Hit; readonly about: string }) {
  const document = Object.fromEntries(
    Object.entries(hit).filter(([name]) => !ADDED.includes(name)),
  );
  const text = JSON.stringify(document, null, 2);
  return (
    <div>
      <CopyButton text={text} about={about} />
      <pre class="code">{text}</pre>
    </div>
  );
}

interface ScoreTableProps {
  readonly score: number | undefined;
  readonly details: Readonly<Record<string, RuleDetails>>;
}

/** Why the hit is at its place: the ranking rules in their order, with scores and reasons. */
const ScoreTable = ({ score, details }: ScoreTableProps) => (
  <div class="why">
    <p class="about">
      Rules decide in this order: a later rule orders only hits that are equal under all earlier
      ones.
      {score !== undefined && ` Ranking score: ${score.toFixed(4)} of 1.`}
    </p>
    <ol class="plain">
      {explainScore(details).map(({ rule, title, score: part, sentence }) => (
        <li key={rule}>
          <strong title={rule}>{title}</strong>
          {part === null ? (
            <span class="about">–</span>
          ) : (
            <meter value={part} title={part.toFixed(4)} aria-label={`Score of ${title}`} />
          )}
          <span>{sentence}</span>
        </li>
      ))}
    </ol>
  </div>
);
