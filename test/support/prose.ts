/** The prose of a file, by line: comments, messages and test titles of code, text of Markdown. */
import ts from 'typescript';

export interface ProseLine {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

/** A call of these has its first argument as the title of a test. */
const TITLED = new Set(['describe', 'it', 'test']);

const CODE = /\.(?:ts|tsx|mts|mjs|cjs)$/;
const TEST = /^test\//;

/** Comments of a source file, one entry each. */
function commentsOf(source: ts.SourceFile): ProseLine[] {
  const text = source.text;
  const found = new Map<number, ProseLine>();
  const collect = (node: ts.Node): void => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.getEnd()) ?? []),
    ];
    for (const { pos, end } of ranges)
      found.set(pos, { line: lineOf(source, pos), text: text.slice(pos, end) });
    for (const child of node.getChildren(source)) collect(child);
  };
  collect(source);
  return [...found.values()];
}

const lineOf = (source: ts.SourceFile, position: number): number =>
  source.getLineAndCharacterOfPosition(position).line + 1;

/** The fixed text of a literal; the values in a template are left out. */
function literalText(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) return node.text;
  return ts.isJsxText(node) ? node.text : null;
}

/** The callee's name of `it(…)`, `it.each(…)(…)` and `describe.skipIf(…)(…)`. */
function titledCallee(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  if (ts.isPropertyAccessExpression(expression) || ts.isCallExpression(expression))
    return titledCallee(expression.expression);
  return '';
}

function titlesOf(source: ts.SourceFile): ProseLine[] {
  const found: ProseLine[] = [];
  const visit = (node: ts.Node): void => {
    const title = ts.isCallExpression(node) ? node.arguments[0] : undefined;
    if (title && ts.isCallExpression(node) && TITLED.has(titledCallee(node.expression)))
      found.push(...literalsOf(title, source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Literals of more than one word: a single word is a name or a value. */
function literalsOf(root: ts.Node, source: ts.SourceFile): ProseLine[] {
  const found: ProseLine[] = [];
  const visit = (node: ts.Node): void => {
    const text = literalText(node);
    if (text?.trim().includes(' '))
      found.push({ line: lineOf(source, node.getStart(source)), text });
    ts.forEachChild(node, visit);
  };
  visit(root);
  return found;
}

function proseOfCode(path: string, content: string): ProseLine[] {
  const source = ts.createSourceFile(path, content, ts.ScriptTarget.Latest, true);
  const messages = TEST.test(path) ? titlesOf(source) : literalsOf(source, source);
  return [...commentsOf(source), ...messages];
}

/** Markdown without its code blocks, code spans and link targets. */
function proseOfMarkdown(content: string): ProseLine[] {
  let inBlock = false;
  return content.split('\n').flatMap((text, index) => {
    const fence = text.trimStart().startsWith('```');
    if (fence) inBlock = !inBlock;
    if (fence || inBlock) return [];
    return [{ line: index + 1, text: text.replace(/`[^`]*`/g, '').replace(/\]\([^)]*\)/g, ']') }];
  });
}

/** The prose of a file of the repository; files that are neither code nor Markdown have none. */
export function proseOf(path: string, content: string): ProseLine[] {
  if (CODE.test(path)) return proseOfCode(path, content);
  return path.endsWith('.md') ? proseOfMarkdown(content) : [];
}
