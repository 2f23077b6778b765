/** Reads the Content-Type of a request. */
import { ApiError } from '../core/errors.ts';

/** Lower case, without parameters. Throws `missing_content_type`. */
export function mediaTypeOf(contentType: string): string {
  if (contentType === 'application/json') return contentType;
  const semicolon = contentType.indexOf(';');
  const mediaType = (semicolon < 0 ? contentType : contentType.slice(0, semicolon))
    .trim()
    .toLowerCase();
  if (mediaType === '') {
    throw new ApiError(
      'missing_content_type',
      'The request has a body but no `Content-Type` header that says what it is.',
    );
  }
  return mediaType;
}

/** Accepts `json` and every subtype ending in `+json`. */
export function requireJson(contentType: string): void {
  const mediaType = mediaTypeOf(contentType);
  const subtype = mediaType.slice(mediaType.indexOf('/') + 1);
  if (mediaType.includes('/') && (subtype === 'json' || subtype.endsWith('+json'))) return;
  throw new ApiError(
    'invalid_content_type',
    `The content type \`${mediaType}\` is not accepted here; it must be application/json.`,
  );
}
