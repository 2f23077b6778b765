/** Schemas of the log routes: log level and log stream. */
import Type, { type Static } from 'typebox';
import { closed, flag, oneOf, text } from './schema.ts';

const target = Type.Optional(text('bad_request'));

export const LogStreamBody = closed({
  target,
  mode: Type.Optional(oneOf(['human', 'json', 'profile'], 'bad_request')),
  profileMemory: Type.Optional(flag('bad_request')),
});
export type LogStreamBody = Static<typeof LogStreamBody>;

export const LogLevelsBody = closed({ target });
