/** The current search as code, to copy. */
import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { CODE_LANGUAGES, type CodedSearch, type CodeLanguage, searchCode } from './request-code.ts';

export function CopyCode(call: CodedSearch) {
  const [isOpen, setOpen] = useState(false);
  const [language, setLanguage] = useState<CodeLanguage>('curl');
  const code = searchCode(language, call);
  return (
    <>
      <Button text="Copy as code" class="ghost" onClick={() => setOpen(true)} />
      {isOpen && (
        <Dialog title="This search as code" onClose={() => setOpen(false)}>
          <div class="languages row">
            <fieldset class="segments">
              <legend class="hidden">Language</legend>
              {CODE_LANGUAGES.map((name) => (
                <label key={name}>
                  <input
                    type="radio"
                    name="language"
                    checked={name === language}
                    onChange={() => setLanguage(name)}
                  />
                  {name}
                </label>
              ))}
            </fieldset>
            <CopyButton text={code} />
          </div>
          <pre class="code">{code}</pre>
          {call.needsKey && <p class="about">Replace YOUR_API_KEY with your API key.</p>}
        </Dialog>
      )}
    </>
  );
}
