/** A fragment: JSON whose strings are Liquid templates. */
import {
  type ParsedTemplate,
  parseTemplate,
  renderTemplate,
  TemplateError,
} from './liquid-engine.ts';

/** The shape of the JSON, with parsed templates for its strings. */
type Node =
  | { readonly kind: 'template'; readonly template: ParsedTemplate }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Node])[] }
  | { readonly kind: 'constant'; readonly value: unknown };

export class FragmentTemplate {
  readonly #root: Node;

  private constructor(root: Node) {
    this.#root = root;
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

  /** @throws TemplateError also when a variable is missing, which it names */
  fill(variables: object): unknown {
    return render(this.#root, variables);
  }
}

function parse(value: unknown): Node {
  if (typeof value === 'string') return { kind: 'template', template: parseTemplate(value) };
  if (Array.isArray(value)) return { kind: 'list', items: value.map(parse) };
  if (typeof value !== 'object' || value === null) return { kind: 'constant', value };
  const members = Object.entries(value).map(([name, member]) => [name, parse(member)] as const);
  return { kind: 'object', members };
}

function render(node: Node, variables: object): unknown {
  switch (node.kind) {
    case 'template':
      return renderTemplate(node.template, variables);
    case 'list':
      return node.items.map((item) => render(item, variables));
    case 'object':
      return Object.fromEntries(
        node.members.map(([name, member]) => [name, render(member, variables)]),
      );
    case 'constant':
      return node.value;
  }
}
