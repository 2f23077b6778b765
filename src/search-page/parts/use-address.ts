/** The URL fragment of the page as state, in sync with the browser's history. */
import { useCallback, useLayoutEffect, useState } from 'preact/hooks';
import { fragmentOf, type PageAddress, pageAddressOf } from '../page-address.ts';

export interface AddressPort {
  readonly address: PageAddress;
  /** Adds an entry to the history. */
  readonly go: (next: Partial<PageAddress>) => void;
  /** Replaces the current entry: for state that changes with every key press. */
  readonly stay: (state: PageAddress['state']) => void;
}

export function useAddress(): AddressPort {
  const [address, setAddress] = useState(() => pageAddressOf(location.hash));
  useLayoutEffect(() => {
    const follow = () => setAddress(pageAddressOf(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const go = useCallback((next: Partial<PageAddress>) => {
    const before = pageAddressOf(location.hash);
    location.hash = fragmentOf({ ...before, state: {}, ...next });
  }, []);
  const stay = useCallback((state: PageAddress['state']) => {
    const next = { ...pageAddressOf(location.hash), state };
    history.replaceState(null, '', fragmentOf(next));
    setAddress(next);
  }, []);
  return { address, go, stay };
}
