/** Schemas of the Model Context Protocol over HTTP. The protocol's own checks are those of its SDK. */
import Type from 'typebox';
import { closed, flag } from './schema.ts';

export const McpQuery = closed({ allowWrites: Type.Optional(flag('bad_request')) });

export const McpBody = Type.Object(
  {},
  { code: 'bad_request', expects: 'an object of JSON-RPC', additionalProperties: true },
);
