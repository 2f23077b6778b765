/**
 * Start here: a script that edits documents one after another, compiled once. Pure; it accesses
 * only the document and the context.
 */
import type { Deadline } from '../core/deadline.ts';
import type { ByteBuffer } from '../engine/bytes/byte-buffer.ts';
import type { JsonTape } from '../engine/json/json-tape.ts';
import { fromJson, toValue, writeDocument } from './document-json.ts';
import { editLimits } from './edit-limits.ts';
import { Interpreter } from './interpreter.ts';
import { Meter } from './meter.ts';
import { parseScript } from './parser.ts';
import { Scope } from './scope.ts';
import { NO_POSITION, ScriptError, scriptFailure } from './script-error.ts';
import type { FunctionBody } from './syntax.ts';
import { typeName, type Value } from './values.ts';

export type EditOutcome = 'unchanged' | 'edited' | 'deleted';

export class EditFunction {
  readonly #source: string;
  readonly #script: FunctionBody;
  readonly #context: Value;

  private constructor(source: string, script: FunctionBody, context: Value) {
    this.#source = source;
    this.#script = script;
    this.#context = context;
  }

  /**
   * @param context JSON value that scripts see as `context`; null or absent = `()`
   * @throws ScriptError with the position of a syntax error
   */
  static compile(source: string, context: unknown = null): EditFunction {
    const bytes = new TextEncoder().encode(source).length;
    if (bytes > editLimits.scriptBytesMax) {
      throw new ScriptError(
        'limit',
        `the function has ${bytes} bytes, at most ${editLimits.scriptBytesMax} are allowed`,
        NO_POSITION,
      );
    }
    return new EditFunction(
      source,
      located(source, () => parseScript(source)),
      fromJson(context),
    );
  }

  /**
   * Runs on the document on the tape. An edited document is appended to `out`; in other cases the
   * content of `out` is undefined.
   * @param deadline for all documents together
   * @throws ScriptError
   */
  edit(tape: JsonTape, out: ByteBuffer, deadline: Deadline): EditOutcome {
    return located(this.#source, () => {
      const scope = new Scope(null);
      scope.declare('context', this.#context, true);
      scope.declare('doc', toValue(tape, 0));
      new Interpreter(this.#script, new Meter(deadline)).run(scope);
      const document = scope.find('doc')?.value ?? null;
      if (document === null) return 'deleted';
      if (!(document instanceof Map)) {
        throw scriptFailure(
          `\`doc\` is ${typeName(document)} in the end; it must be a map, or () to delete the document`,
          NO_POSITION,
        );
      }
      return writeDocument(document, tape, out) ? 'edited' : 'unchanged';
    });
  }
}

/** Adds line and position to errors. */
function located<T>(source: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof ScriptError ? error.inSource(source) : error;
  }
}
