/** A fragment: JSON whose strings are Liquid templates. */
import { parseTemplate, renderTemplate, TemplateError } from './liquid-engine.ts';

type Fill = (variables: object) => unknown;

export class FragmentTemplate {
  /** The JSON with rendered strings. @throws TemplateError, which names a missing variable */
  readonly fill: Fill;

  private constructor(fill: Fill) {
    this.fill = fill;
  }

  /** @param value JSON of bounded depth @throws TemplateError when a string does not parse */
  static parse(value: unknown): FragmentTemplate {
    return new FragmentTemplate(parse(value));
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
    return (variables) => renderTemplate(template, variables);
  }
  if (Array.isArray(value)) {
    const items = value.map(parse);
    return (variables) => items.map((fill) => fill(variables));
  }
  if (typeof value !== 'object' || value === null) return () => value;
  const members = Object.entries(value).map(([name, member]) => [name, parse(member)] as const);
  return (variables) => Object.fromEntries(members.map(([name, fill]) => [name, fill(variables)]));
}
