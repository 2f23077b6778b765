/** True for an absolute URL with the scheme `http:` or `https:`. */
export const isHttpUrl = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
