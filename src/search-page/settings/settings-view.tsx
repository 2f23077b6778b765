/** Settings of the chosen index as forms; changes are reviewed and saved together. */
import { useState } from 'preact/hooks';
import { counted } from '../../core/counted.ts';
import type { Json } from '../../core/json.ts';
import { VECTORS_FIELD } from '../../model/embedders/embedder-settings.ts';
import { DEFAULT_SETTINGS, isAddedSetting, type Settings } from '../../model/settings.ts';
import { api } from '../api-client.ts';
import { Button } from '../parts/button.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { useGet, usePost } from '../parts/use-request.ts';
import type { IndexViewProps } from '../view.ts';
import { ChangeDialog } from './change-dialog.tsx';
import { type ControlProps, Surroundings } from './control.ts';
import { without } from './field-names.ts';
import {
  GROUPS,
  type Group,
  SETTING_FORMS,
  SETTING_NAMES,
  type SettingForm,
} from './setting-table.tsx';
import { changedSettings, settingChanges, updateOf } from './settings-change.ts';

type SettingName = keyof Settings;

const FIELDS_MAX = 5000;

export function SettingsView({ uids, index }: IndexViewProps) {
  const path = `indexes/${encodeURIComponent(index)}`;
  const settings = useGet<Json>(`${path}/settings`);
  const [saved, setSaved] = useState<Json | null>(null);
  const fields = usePost<{ readonly results: readonly { readonly name: string }[] }>(
    `${path}/fields`,
    { limit: FIELDS_MAX },
  );
  const stored = saved ?? settings.answer;
  const readSaved = async () => setSaved(await api.getPatiently<Json>(`${path}/settings`));
  return (
    <section class="settings">
      <h1>Settings of {index}</h1>
      <FailureNote failure={settings.failure ?? fields.failure} />
      {stored !== null && fields.answer !== null && (
        <Surroundings.Provider
          value={{
            index,
            fields: fields.answer.results.flatMap(({ name }) =>
              name === VECTORS_FIELD ? [] : [name],
            ),
            indexes: uids,
            stored,
          }}
        >
          <Forms index={index} stored={withAddedDefaults(stored)} readSaved={readSaved} />
        </Surroundings.Provider>
      )}
    </section>
  );
}

/** The answer omits settings that other servers lack while they have their default. */
const withAddedDefaults = (stored: Json): Json => ({
  ...Object.fromEntries(Object.entries(DEFAULT_SETTINGS).filter(([name]) => isAddedSetting(name))),
  ...stored,
});

interface FormsProps {
  readonly index: string;
  readonly stored: Json;
  /** Reads the stored settings again. */
  readonly readSaved: () => Promise<void>;
}

/** Settings that a dialog is about. */
type Asked =
  | { readonly kind: 'save' }
  | { readonly kind: 'reset'; readonly names: readonly string[] };

function Forms({ index, stored, readSaved }: FormsProps) {
  /** Values that the user has changed, by setting. */
  const [draft, setDraft] = useState<Json>({});
  const [asked, setAsked] = useState<Asked | null>(null);
  const names = SETTING_NAMES.filter((name) => name in stored);
  const changed = changedSettings(stored, draft);
  const resettable = names.filter((name) => !isDefault(stored, name));
  const ofGroup = (group: Group) => names.filter((name) => SETTING_FORMS[name].group === group);
  /** Drops the saved values, but not those that were changed meanwhile. */
  const forget = async (done: readonly string[]) => {
    await readSaved();
    setDraft((now) => without(now, ...done.filter((name) => now[name] === draft[name])));
  };
  return (
    <div class="setting-page">
      <GroupLinks ofGroup={ofGroup} />
      <div class="setting-list stack">
        {GROUP_NAMES.filter((group) => ofGroup(group).length > 0).map((group) => (
          <section key={group} aria-labelledby={`group-${group}`}>
            <h2 id={`group-${group}`}>{GROUPS[group]}</h2>
            {ofGroup(group).map((name) => (
              <SettingCard
                key={name}
                name={name}
                value={{ ...stored, ...draft }[name]}
                isChanged={changed.includes(name)}
                isDefault={isDefault(stored, name)}
                onChange={(value) => setDraft({ ...draft, [name]: value })}
                onReset={() => setAsked({ kind: 'reset', names: [name] })}
              />
            ))}
          </section>
        ))}
        {resettable.length > 0 && (
          <Button
            text="Reset all settings"
            class="ghost"
            onClick={() => setAsked({ kind: 'reset', names: resettable })}
          />
        )}
      </div>
      {changed.length > 0 && (
        <SaveBar
          titles={changed.map((name) => SETTING_FORMS[name as SettingName].title)}
          onReview={() => setAsked({ kind: 'save' })}
          onDiscard={() => setDraft({})}
        />
      )}
      {asked !== null && (
        <ChangeDialog
          index={index}
          {...(asked.kind === 'save' ? saveOf(stored, draft) : resetOf(stored, asked.names))}
          onSaved={() => void forget(asked.kind === 'save' ? changed : asked.names)}
          onClose={() => setAsked(null)}
        />
      )}
    </div>
  );
}

const saveOf = (stored: Json, draft: Json) => ({
  title: 'Review the changes',
  changes: changedSettings(stored, draft).flatMap((name) =>
    settingChanges(name, stored[name], draft[name]),
  ),
  update: updateOf(stored, draft),
});

const resetOf = (stored: Json, names: readonly string[]) => ({
  title: names.length === 1 ? `Reset ${names[0]}?` : 'Reset all settings?',
  changes: names.flatMap((name) =>
    settingChanges(name, stored[name], DEFAULT_SETTINGS[name as SettingName]),
  ),
  update: Object.fromEntries(names.map((name) => [name, null])),
});

const isDefault = (stored: Json, name: SettingName): boolean =>
  JSON.stringify(stored[name]) === JSON.stringify(DEFAULT_SETTINGS[name]);

const GROUP_NAMES = Object.keys(GROUPS) as readonly Group[];

const reveal = (id: string): void => {
  const card = document.getElementById(id);
  card?.scrollIntoView({ block: 'start' });
  card?.focus({ preventScroll: true });
};

const isWide = (): boolean => matchMedia('(width >= 48rem)').matches;

/** Links within the page are buttons, because the address names the view. */
const GroupLinks = ({
  ofGroup,
}: {
  readonly ofGroup: (group: Group) => readonly SettingName[];
}) => (
  <nav class="setting-groups" aria-label="Settings">
    {GROUP_NAMES.filter((group) => ofGroup(group).length > 0).map((group) => (
      <details key={group} open={isWide()}>
        <summary>{GROUPS[group]}</summary>
        <ul>
          {ofGroup(group).map((name) => (
            <li key={name}>
              <Button text={SETTING_FORMS[name].title} class="ghost" onClick={() => reveal(name)} />
            </li>
          ))}
        </ul>
      </details>
    ))}
  </nav>
);

interface SettingCardProps {
  readonly name: SettingName;
  readonly value: unknown;
  readonly isChanged: boolean;
  readonly isDefault: boolean;
  readonly onChange: (value: unknown) => void;
  readonly onReset: () => void;
}

function SettingCard({ name, value, isChanged, isDefault, onChange, onReset }: SettingCardProps) {
  const { title, about, control } = SETTING_FORMS[name] as SettingForm<unknown>;
  const Control: (props: ControlProps<unknown>) => preact.JSX.Element = control;
  return (
    <section
      id={name}
      tabIndex={-1}
      class={isChanged ? 'setting card stack changed' : 'setting card stack'}
      aria-labelledby={`title-${name}`}
    >
      <header class="row">
        <h3 id={`title-${name}`}>{title}</h3>
        <code>{name}</code>
        {isChanged && <span class="badge">not saved</span>}
        {!isDefault && <Button text="Reset" about={` ${title}`} class="ghost" onClick={onReset} />}
      </header>
      <p class="about">{about}</p>
      <Control title={title} value={value} onChange={onChange} />
    </section>
  );
}

interface SaveBarProps {
  readonly titles: readonly string[];
  readonly onReview: () => void;
  readonly onDiscard: () => void;
}

const SaveBar = ({ titles, onReview, onDiscard }: SaveBarProps) => (
  <section class="save-bar card row" aria-label="Changes that are not saved">
    <p role="status">
      {counted(titles.length, 'setting')} changed: {titles.join(', ')}
    </p>
    <Button text="Discard" class="quiet" onClick={onDiscard} />
    <Button text="Review and save" onClick={onReview} />
  </section>
);
