/** Checks the server's own values where they are read from the database. */

import Type, { type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { CorruptionError } from '../../core/errors.ts';
import { getOrCompute } from '../../core/get-or-compute.ts';
import { parseJson } from '../../core/json.ts';

const text = Type.String();
const whole = Type.Integer({ minimum: 0 });
export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const texts = Type.Array(text);

const segment = Type.Object({
  id: text,
  documentCount: whole,
  deadCount: whole,
  tombstones: orNull(text),
  files: Type.Array(Type.Object({ component: text, name: text, bytes: whole })),
});

/** By kind of value. Members without which the server cannot start; further ones are not checked. */
const SCHEMAS = {
  'index manifest': Type.Object({
    uid: text,
    id: whole,
    generation: whole,
    primaryKey: orNull(text),
    settings: Type.Object({}),
    segments: Type.Array(segment),
  }),
  'API key': Type.Object({
    uid: text,
    actions: texts,
    indexes: texts,
    expiresAt: orNull(text),
    createdAt: text,
  }),
  'chat workspace': Type.Object({ uid: text, source: text, prompts: Type.Object({}) }),
  'search rule': Type.Object({
    uid: text,
    active: Type.Boolean(),
    conditions: Type.Object({}),
    actions: Type.Array(Type.Object({ selector: Type.Object({ id: text }) })),
  }),
  aliases: Type.Object({ aliases: Type.Array(Type.Object({ name: text, indexUid: text })) }),
  network: Type.Object({
    self: orNull(text),
    remotes: Type.Record(text, Type.Object({ url: text })),
    shards: Type.Record(text, Type.Object({ remotes: texts })),
    version: text,
  }),
  webhook: Type.Object({ url: text, headers: Type.Record(text, text) }),
  task: Type.Object({
    work: orNull(Type.Object({ type: text })),
    details: Type.Object({}),
    error: orNull(Type.Object({ message: text, code: text, type: text, link: text })),
  }),
  batch: Type.Object({
    uid: whole,
    details: Type.Object({}),
    stats: Type.Object({
      totalNbTasks: whole,
      status: Type.Object({}),
      types: Type.Object({}),
      indexUids: Type.Object({}),
    }),
    startedAt: text,
    finishedAt: orNull(text),
  }),
  features: Type.Object({}),
  'state of the embedding store': Type.Object({ generation: whole, bytes: whole }),
  'place of an export': Type.Object({
    done: texts,
    current: orNull(Type.Object({ indexUid: text, fromDocId: whole })),
    sent: Type.Record(text, whole),
  }),
  'crash-loop note': Type.Object({
    running: Type.Array(whole),
    suspects: Type.Object({ uids: Type.Array(whole), cutOffs: whole, ownEnds: whole }),
  }),
} as const satisfies Record<string, TSchema>;

type StoredKind = keyof typeof SCHEMAS;

const validators = new Map<StoredKind, ReturnType<typeof Compile>>();

/**
 * The value from the database; its schema is compiled at first use.
 * @throws CorruptionError that names the kind and the member
 */
export function readStored<T>(kind: StoredKind, bytes: Uint8Array): T {
  const validator = getOrCompute(validators, kind, () => Compile(SCHEMAS[kind] as TSchema));
  const value = parseJson(bytes);
  if (validator.Check(value)) return value as T;
  const [{ instancePath, message } = { instancePath: '', message: '' }] = validator.Errors(value);
  const found = value === undefined ? 'no JSON' : 'another value';
  throw new CorruptionError(`A stored ${kind}`, `member "${instancePath}"`, message, found);
}
