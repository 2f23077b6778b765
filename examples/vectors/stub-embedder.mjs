/**
 * A stand-in for an embedding provider over HTTP: POST {"input": [texts]} is answered with
 * {"embeddings": [vectors]}. A vector counts the words of each subject, so that texts about one
 * subject are near each other without a word in common.
 */
import { createServer } from 'node:http';

const SUBJECTS = [
  'sea ship ships sailor sailors ocean gale storm harbour',
  'space rocket rockets astronaut astronauts moon orbit planet',
  'detective murder police thief thieves crime heist',
  'love wedding romance lovers heart kiss',
].map((words) => new Set(words.split(' ')));

/** A little of everything keeps texts without such words from the zero vector. */
function vectorOf(text) {
  const words = text.toLowerCase().split(/\W+/);
  return SUBJECTS.map((subject) => 0.1 + words.filter((word) => subject.has(word)).length);
}

/** Resolves with its address and what ends it. */
export function startStubEmbedder() {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { input } = JSON.parse(body);
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ embeddings: input.map(vectorOf) }));
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const stop = () => {
        server.closeAllConnections();
        server.close();
      };
      resolve({ url: `http://127.0.0.1:${server.address().port}`, stop });
    });
  });
}
