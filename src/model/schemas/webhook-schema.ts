/** Schemas of the webhook routes. */
import Type from 'typebox';
import { closed, mapOf, nullable, optional, refused, text } from './schema.ts';

const members = {
  headers: optional(
    mapOf(
      nullable(text('invalid_webhook_headers')),
      'invalid_webhook_headers',
      'an object of header names and values',
    ),
  ),
  signingSecret: optional(
    text('invalid_webhook_signing_secret', 'a string of 16 to 256 characters'),
  ),
  uuid: Type.Optional(
    refused('immutable_webhook_uuid', 'no `uuid`: it is given by the server and does not change'),
  ),
  isEditable: Type.Optional(
    refused(
      'immutable_webhook_is_editable',
      'no `isEditable`: it follows from how the webhook came to be',
    ),
  ),
};

const url = Type.String({
  code: 'invalid_webhook_url',
  missing: 'invalid_webhook_url',
  expects: 'an absolute `http:` or `https:` URL',
});

export const WebhookCreationBody = closed({ url, ...members });
export const WebhookUpdateBody = closed({ url: Type.Optional(url), ...members });
