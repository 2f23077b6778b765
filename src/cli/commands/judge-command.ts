/**
 * `gannet judge`: measures relevance against stored judgments, and what changed since an earlier
 * run.
 */
import { counted } from '../../core/counted.ts';
import { judge, mean, type QueryVerdict } from '../../model/judgment.ts';
import { primaryKeyValue } from '../../model/primary-key-value.ts';
import {
  type Command,
  type CommandCall,
  jsonOption,
  numberOption,
  textOption,
  wrongUsage,
} from '../command.ts';
import { CommandFailure, EXIT } from '../command-failure.ts';
import { indexPath } from '../instance-client.ts';
import { changesOf, parseJudgments, queriesIn, savedVerdicts, saveResults } from '../judgments.ts';

const K_DEFAULT = 10;
const CHANGES_SHOWN = 20;

interface Answer {
  readonly hits: readonly Readonly<Record<string, unknown>>[];
}

interface Preview {
  readonly rebuilds: readonly { readonly component: string; readonly documents: number }[];
  readonly embeds: readonly string[];
  /** null = the settings require a rebuild of the index. */
  readonly result: Answer | null;
}

export const judgeCommand: Command = {
  name: 'judge',
  summary: 'Measures relevance with stored judgments: nDCG, recall, changes',
  usage: 'FILE --index UID',
  arguments: [1, 1],
  asksServer: true,
  options: {
    'index UID': 'index name',
    'k N': `number of hits to evaluate (default: ${K_DEFAULT})`,
    'body JSON': 'more parameters of each search, such as \'{"matchingStrategy":"any"}\'',
    'settings JSON': 'settings to try: the searches use them, nothing is stored',
    'against FILE': 'results of an earlier run to compare with',
    'save FILE': 'file for the results, for a later --against',
    'min-ndcg PERCENT': 'exits with 1 if the mean nDCG is lower, for CI',
  },
  async run(call) {
    const { options, terminal } = call;
    const verdicts = await verdictsOf(call);
    const ndcg = mean(verdicts.map((verdict) => verdict.ndcg));
    const recall = mean(verdicts.map((verdict) => verdict.recall));
    const k = numberOption(options, 'k', K_DEFAULT);
    terminal.print(
      `${counted(verdicts.length, 'query', 'queries')}: nDCG@${k} ${ndcg.toFixed(4)}, recall@${k} ${recall.toFixed(4)}`,
    );
    const earlier = textOption(options, 'against');
    const changes = earlier === null ? [] : changesOf(verdicts, savedVerdicts(earlier));
    for (const { q, before, ndcg: now } of changes.slice(0, CHANGES_SHOWN))
      terminal.print(`  ${before.toFixed(3)} -> ${now.toFixed(3)}  ${q}`);
    if (changes.length > CHANGES_SHOWN)
      terminal.print(`  and ${changes.length - CHANGES_SHOWN} more`);
    terminal.json({ queries: verdicts.length, k, ndcg, recall, changes });
    saveResults(options, verdicts);
    return ndcg * 100 < numberOption(options, 'min-ndcg', 0) ? EXIT.failed : EXIT.done;
  },
};

async function verdictsOf({
  arguments: [file = ''],
  options,
  instance,
  terminal,
}: CommandCall): Promise<QueryVerdict[]> {
  const index = textOption(options, 'index');
  if (index === null) throw wrongUsage(judgeCommand);
  const judgments = queriesIn(file, parseJudgments);
  const path = indexPath(index);
  const { primaryKey } = await instance.request<{ primaryKey: string | null }>('GET', path);
  const k = numberOption(options, 'k', K_DEFAULT);
  const more = jsonOption(options, 'body') as object | undefined;
  const settings = jsonOption(options, 'settings');
  const verdicts: QueryVerdict[] = [];
  for (const judgment of judgments) {
    const body = { q: judgment.q, limit: k, ...more };
    const { hits } =
      settings === undefined
        ? await instance.request<Answer>('POST', `${path}/search`, { body })
        : triedAnswer(
            await instance.request<Preview>('POST', `${path}/settings/preview`, {
              body: { settings, search: body },
            }),
          );
    verdicts.push(
      judge(
        judgment,
        hits.map((hit) => String(primaryKeyValue(hit, primaryKey ?? 'id'))),
        k,
      ),
    );
    terminal.progress(`${verdicts.length} of ${judgments.length} queries`);
  }
  terminal.progress(null);
  return verdicts;
}

function triedAnswer({ rebuilds, embeds, result }: Preview): Answer {
  if (result !== null) return result;
  const reasons = [
    ...rebuilds.map(
      ({ component, documents }) => `${component} of ${counted(documents, 'document')}`,
    ),
    ...embeds.map((name) => `the vectors of the embedder ${name}`),
  ];
  throw new CommandFailure(
    `these settings cannot be tried, because they rebuild ${reasons.join(', ')}; try them on a copy of the index`,
  );
}
