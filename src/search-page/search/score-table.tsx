/** Why a hit is at its place: the ranking rules in their order, each with its score and a reason. */
import { explainScore, type RuleDetails } from './explain-score.ts';

interface ScoreTableProps {
  readonly score: number | undefined;
  readonly details: Readonly<Record<string, RuleDetails>>;
}

export const ScoreTable = ({ score, details }: ScoreTableProps) => (
  <div class="why">
    <p class="about">
      Rules decide in this order: a later rule orders only hits that are equal under all earlier
      ones.
      {score !== undefined && ` Ranking score: ${score.toFixed(4)} of 1.`}
    </p>
    <ol>
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
