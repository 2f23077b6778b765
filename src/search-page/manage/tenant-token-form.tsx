/** Makes a tenant token to try: which index, which filter, for how long. */
import { useState } from 'preact/hooks';
import { signTenantToken } from '../../model/sign-tenant-token.ts';
import { Button } from '../parts/button.tsx';
import { CopyText } from '../parts/copy-button.tsx';
import { NumberField } from '../parts/number-field.tsx';
import { Select } from '../parts/select.tsx';
import { TextField } from '../parts/text-field.tsx';

interface TenantTokenFormProps {
  /** Of the API key. */
  readonly name: string;
  readonly apiKey: string;
  readonly apiKeyUid: string;
  readonly indexes: readonly string[];
}

const HOUR_SECONDS = 3600;

/** False on pages that came by plain HTTP from another machine. */
const canSign = (): boolean => globalThis.crypto?.subtle !== undefined;

export function TenantTokenForm({ name, apiKey, apiKeyUid, indexes }: TenantTokenFormProps) {
  const [index, setIndex] = useState(indexes[0] ?? '*');
  const [filter, setFilter] = useState('');
  const [hours, setHours] = useState(1);
  const [token, setToken] = useState('');
  const sign = async () => {
    const searchRules = { [index]: filter.trim() === '' ? null : { filter } };
    const exp = Math.floor(Date.now() / 1000) + hours * HOUR_SECONDS;
    setToken(await signTenantToken({ apiKey, apiKeyUid, searchRules, exp }));
  };
  return (
    <details class="tenant-token">
      <summary>
        Tenant token<span class="hidden"> of {name}</span>
      </summary>
      <p class="about">
        A token lets the browser of one customer search only the documents that the filter leaves.
        Your server signs one for each customer with this API key; the token made here is signed in
        this tab, to try it. <a href="docs/keys-and-tenants">More</a>
      </p>
      {canSign() ? (
        <div class="options">
          <Select
            label="Index"
            class="text"
            value={index}
            options={[...indexes.filter((uid) => uid !== '*'), ['*', 'all indexes of the key']]}
            onChange={setIndex}
          />
          <TextField label="Filter" placeholder="tenant = 7" value={filter} onChange={setFilter} />
          <NumberField label="Hours" value={hours} min={1} onChange={setHours} />
          <Button
            text="Sign token"
            about={` with ${name}`}
            class="quiet"
            onClick={() => void sign()}
          />
        </div>
      ) : (
        <p class="note">
          Browsers sign only on pages from HTTPS or localhost. On a shell: gannet token --api-key
          KEY --uid {apiKeyUid} --rules JSON
        </p>
      )}
      {token !== '' && <CopyText label="Tenant token" text={token} />}
    </details>
  );
}
