/** Search rules: pinned documents under conditions. */

import { useState } from 'preact/hooks';
import type { SearchRule } from '../../model/search-rule.ts';
import { api } from '../api-client.ts';
import { Button } from '../parts/button.tsx';
import { useDeletion } from '../parts/deletion-dialog.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { usePost } from '../parts/use-request.ts';
import { useWrite, WriteNote } from '../parts/use-write.tsx';
import type { ViewProps } from '../view.ts';
import { RuleDialog } from './rule-dialog.tsx';
import { conditionSentence, draftOfRule, EMPTY_RULE, type RuleDraft } from './rule-draft.ts';

const RULES_SHOWN_MAX = 1000;

export function RulesView({ uids }: ViewProps) {
  const rules = usePost<{ readonly results: readonly SearchRule[] }>('dynamic-search-rules', {
    limit: RULES_SHOWN_MAX,
  });
  const [edited, setEdited] = useState<RuleDraft | null>(null);
  const { refused, attempt } = useAttempt(rules.refresh);
  const deletion = useWrite(rules.refresh);
  const enable = () => {
    const body = { dynamicSearchRules: true };
    attempt(() => api.request('PATCH', 'experimental-features', { body }));
  };
  const { ask, dialog } = useDeletion(questionOf, (uid: string) => {
    void deletion.write(`Delete rule ${uid}`, () =>
      api.request('DELETE', `dynamic-search-rules/${encodeURIComponent(uid)}`),
    );
  });
  const isOff = rules.failure?.code === 'feature_not_enabled';
  return (
    <section class="search-rules">
      <h1>Search rules</h1>
      <p class="about">
        A rule puts documents at places of the results, or hides them, for some queries, filters or
        days. <a href="docs/search-rules">More</a>
      </p>
      {isOff ? (
        <p>
          Search rules are an experimental feature, which is off.{' '}
          <Button text="Enable search rules" onClick={enable} />
        </p>
      ) : (
        rules.answer !== null && <Button text="New rule" onClick={() => setEdited(EMPTY_RULE)} />
      )}
      <FailureNote failure={refused ?? (isOff ? null : rules.failure)} />
      <WriteNote state={deletion.state} />
      <ul class="made plain stack" aria-label="Search rules">
        {rules.answer?.results.map(draftOfRule).map((rule) => (
          <RuleItem
            key={rule.uid}
            rule={rule}
            onEdit={() => setEdited(rule)}
            onDelete={() => ask(rule.uid)}
          />
        ))}
      </ul>
      {edited !== null && (
        <RuleDialog
          indexes={uids}
          rule={edited}
          onSaved={() => {
            setEdited(null);
            rules.refresh();
          }}
          onClose={() => setEdited(null)}
        />
      )}
      {dialog}
    </section>
  );
}

const questionOf = (uid: string) => ({
  title: `Delete rule ${uid}`,
  action: 'Delete rule',
  children: <p>The documents are ranked without this rule from then on.</p>,
});

interface RuleItemProps {
  readonly rule: RuleDraft;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

const RuleItem = ({ rule, onEdit, onDelete }: RuleItemProps) => (
  <li class="card">
    <h2>
      {rule.uid} {!rule.isActive && <span class="badge">off</span>}
    </h2>
    {rule.description !== '' && <p>{rule.description}</p>}
    <p class="about">{conditionSentence(rule)}:</p>
    <ul>
      {rule.documents.map(({ indexUid, id, place }) => (
        <li key={`${indexUid} ${id}`}>
          {place === null ? 'hidden' : `place ${place}`}: document {id} of{' '}
          {indexUid === '' ? 'any index' : indexUid}
        </li>
      ))}
    </ul>
    <div class="buttons">
      <Button text="Edit" about={` ${rule.uid}`} class="quiet" onClick={onEdit} />
      <Button text="Delete" about={` ${rule.uid}`} class="ghost" onClick={onDelete} />
    </div>
  </li>
);
