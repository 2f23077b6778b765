/** The variables that are visible in a block: its own, and those of enclosing blocks. */
import type { Value } from './values.ts';

export interface Binding {
  value: Value;
  readonly isConstant: boolean;
}

export class Scope {
  readonly #outer: Scope | null;
  #own: Map<string, Binding> | null = null;

  constructor(outer: Scope | null) {
    this.#outer = outer;
  }

  /** A second declaration of a name hides the first. */
  declare(name: string, value: Value, isConstant = false): void {
    this.#own ??= new Map();
    this.#own.set(name, { value, isConstant });
  }

  find(name: string): Binding | null {
    for (let scope: Scope | null = this; scope !== null; scope = scope.#outer) {
      const binding = scope.#own?.get(name);
      if (binding !== undefined) return binding;
    }
    return null;
  }
}
