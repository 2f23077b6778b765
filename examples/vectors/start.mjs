/**
 * `npm run example:vectors`: searches films by words, by meaning, and by both, and prints each step.
 * By default a stub provider makes the vectors; `-- --local [--model NAME] [--model-dir FOLDER]`
 * takes a model in the server instead.
 */
import { parseArgs } from 'node:util';
import { ensureBuilt, ensureInstalled } from '../../scripts/lib/fresh.mjs';
import { startStubEmbedder } from './stub-embedder.mjs';

ensureInstalled();
await ensureBuilt();

const MODEL = 'BAAI/bge-small-en-v1.5';
const QUERY = 'gale at sea';
const FILMS = [
  { id: 1, title: 'White Squall', overview: 'A school ship meets a storm on the ocean.' },
  { id: 2, title: 'Gravity', overview: 'Two astronauts drift in orbit after an accident.' },
  { id: 3, title: 'Heat', overview: 'A police detective hunts a crew after a heist.' },
  { id: 4, title: 'Brief Encounter', overview: 'Two people fall in love at a railway station.' },
  { id: 5, title: 'Gale Force', overview: 'A thriller about a bank and its thieves.' },
];

const { values: options } = parseArgs({
  options: {
    local: { type: 'boolean', default: false },
    model: { type: 'string', default: MODEL },
    'model-dir': { type: 'string' },
  },
});

const print = (line) => process.stdout.write(`${line}\n`);

/** The setting of the embedder, and the launch options that it needs. */
function chosenEmbedder(stubUrl) {
  const documentTemplate = '{{doc.title}}: {{doc.overview}}';
  if (options.local) {
    const folder = options['model-dir'];
    return {
      setting: { source: 'huggingFace', model: options.model, documentTemplate },
      flags: folder === undefined ? ['--allow-model-downloads'] : ['--model-dir', folder],
    };
  }
  return {
    setting: {
      source: 'rest',
      url: stubUrl,
      request: { input: ['{{text}}', '{{..}}'] },
      response: { embeddings: ['{{embedding}}', '{{..}}'] },
      documentTemplate,
    },
    // The stub has an address of this machine, which servers refuse by default.
    flags: ['--experimental-allowed-ip-networks', '127.0.0.1'],
  };
}

async function run(client, setting) {
  const films = client.index('films');
  print(`embedder: ${JSON.stringify(setting)}`);
  const tasks = [
    await films.updateEmbedders({ texts: setting }).waitTask({ timeout: 0 }),
    await films.addDocuments(FILMS, { primaryKey: 'id' }).waitTask({ timeout: 0 }),
  ];
  const failed = tasks.find(({ status }) => status !== 'succeeded');
  if (failed !== undefined) throw new Error(failed.error.message);
  const [{ _vectors }] = (await films.getDocuments({ retrieveVectors: true, limit: 1 })).results;
  print(
    `${FILMS.length} films, each with a vector of ${_vectors.texts.embeddings[0].length} numbers`,
  );
  for (const [semanticRatio, title] of [
    [0, 'words alone'],
    [1, 'meaning alone'],
    [0.5, 'both'],
  ]) {
    const { hits } = await films.search(QUERY, {
      hybrid: { embedder: 'texts', semanticRatio },
      limit: 2,
      showRankingScore: true,
    });
    const found = hits.map(
      ({ title: name, _rankingScore }) => `${name} ${_rankingScore.toFixed(2)}`,
    );
    print(`“${QUERY}” by ${title}: ${found.join(', ') || 'nothing'}`);
  }
}

const { createServer } = await import('../../dist/src/runtime/create-server.js');
const { Meilisearch } = await import('meilisearch');
const stub = options.local ? null : await startStubEmbedder();
if (stub !== null) print(`stub provider at ${stub.url}`);
const { setting, flags } = chosenEmbedder(stub?.url);
const server = await createServer({ flags: [...flags, '--no-warm-up'] });
print(`server at ${server.url}`);
try {
  await run(new Meilisearch({ host: server.url }), setting);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  await server.stop();
  stub?.stop();
}
