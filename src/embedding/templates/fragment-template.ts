/** A fragment: JSON whose strings are Liquid templates. */
import { parseTemplate, RenderLimit, renderTemplate, TemplateError } from './liquid-engine.ts';

type Fill = (variables: object, limit: RenderLimit) => unknown;

export class FragmentTemplate {
  readonly #fill: Fill;

  private constructor(fill: Fill) {
    this.#fill = fill;
  }

  /** @param value JSON of bounded depth @throws TemplateError when a string does not parse */
  static parse(value: unknown): FragmentTemplate {
    return new FragmentTemplate(parse(value));
  }

  /**
   * The JSON with rendered strings. @param limit of all strings together
   * @throws TemplateError, which names a missing variable
   */
  fill(variables: object, limit = new RenderLimit()): unknown {
    return this.#fill(variables, limit);
  }

  /**
   * @param variables `doc`, or `q` and `media`
   * @returns undefined when a variable is missing: the fragment does not apply
   * @throws TemplateError when a string fails for another reason
   */
  render(variables: object): unknown {
    try {
      return this.fill(variables);
    } catch (error) {
      if (error instanceof TemplateError && error.stage === 'missing') return undefined;
      throw error;
    }
  }
}

function parse(value: unknown): Fill {
  if (typeof value === 'string') {
    const template = parseTemplate(value);
    return (variables, limit) => renderTemplate(template, variables, undefined, limit);
  }
  if (Array.isArray(value)) {
    const items = value.map(parse);
    return (variables, limit) => items.map((fill) => fill(variables, limit));
  }
  if (typeof value !== 'object' || value === null) return () => value;
  const members = Object.entries(value).map(([name, member]) => [name, parse(member)] as const);
  return (variables, limit) =>
    Object.fromEntries(members.map(([name, fill]) => [name, fill(variables, limit)]));
}
