/**
 * Images of hits. Other servers learn the address of the browser, so images are loaded only
 * after a user of this browser has allowed it for the index.
 */
import { useState } from 'preact/hooks';

const itemOf = (index: string): string => `gannet-images:${index}`;

export const areImagesAllowed = (index: string): boolean =>
  localStorage.getItem(itemOf(index)) === 'yes';

export function allowImages(index: string, isAllowed: boolean): void {
  if (isAllowed) localStorage.setItem(itemOf(index), 'yes');
  else localStorage.removeItem(itemOf(index));
}

/** Nothing if the image cannot be loaded. */
export function HitImage({ url }: { readonly url: string }) {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return null;
  return (
    <img
      class="thumb"
      src={url}
      alt=""
      loading="lazy"
      referrerpolicy="no-referrer"
      onError={() => setBroken(true)}
    />
  );
}
